import { describe, expect, test } from 'vitest'
import { PROBLEMS, type ProblemCode } from '../../../api/errors.ts'
import { isStreamId } from '../../../api/feed/streamId.ts'
import { problemBody, retryAfterOf } from '../../../api/http/respond.ts'
import { openApi } from '../../../api/openapi/openApi.ts'
import { someFacts } from '../../support/facts.ts'
import { asSent, operationsIn, resolved, schemaChecker } from './support.ts'

const document = asSent(openApi(someFacts({})))
const check = schemaChecker(document)
const { operation } = operationsIn(document).find(
  ({ operation: { operationId } }) => operationId === 'alphaFeed',
)!
const answered = resolved(document, operation.responses['200']!).content!

type PerVenue<Value> = { a: Value; b: Value }
type Poll = {
  generatedAt: string
  asOf: PerVenue<string>
  ageMs: PerVenue<number>
  events: { atMs: number; card: { toldMs: number } }[]
}

describe('4.2 the alpha feed as the interface description has it', () => {
  const message = (answered['text/event-stream'] as { 'x-message-schema'?: object })['x-message-schema']!

  test('a message is also the error that a WebSocket is told before it is closed, whatever the problem', () => {
    const errors = Object.keys(PROBLEMS).map((code) => ({
      kind: 'error',
      ...problemBody({ problem: code as ProblemCode }),
      retryAfterS: retryAfterOf({ problem: code as ProblemCode }),
    }))
    expect(check({ type: 'array', items: message }, errors)).toBeNull()
    expect(check(message, { kind: 'error', ok: false })).not.toBeNull()
  })

  test('in the example of a poll ages are as of generatedAt, and nothing is told that happened after it', () => {
    const { generatedAt, asOf, ageMs, events } = answered['application/json']!.example as Poll
    const atMs = Date.parse(generatedAt)
    expect({ a: atMs - Date.parse(asOf.a), b: atMs - Date.parse(asOf.b) }).toEqual(ageMs)
    expect(events.filter((event) => event.atMs > atMs || event.card.toldMs > event.atMs)).toEqual([])
  })

  test.each(['since', 'lastEventId'])('the form of an id in %s is the one that is read', (name) => {
    const { schema } = operation.parameters!.find((each) => 'name' in each && each.name === name) as {
      schema: object
    }
    const texts = [
      '0-0',
      '1790000000000-12',
      '01790000000000-0',
      '1790000000000-00',
      `${'1'.repeat(21)}-0`,
      '',
    ]
    for (const text of texts) expect([text, check(schema, text) === null]).toEqual([text, isStreamId(text)])
  })
})
