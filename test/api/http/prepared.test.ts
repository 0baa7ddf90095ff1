import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PreparedReply, prepareReply, withHeaders } from '../../../api/http/prepared.ts'
import { type Server, serveHttp } from '../../../api/http/server.ts'
import { quietLog } from '../../support/ledger.ts'
import { sleep } from '../../support/process.ts'

const MARKS = ['<first..>', '<2.>']
const prepared = prepareReply(
  {
    status: 402,
    headers: [
      ['content-type', 'application/json'],
      ['x-first', 'a<first..>b'],
    ],
    body: '{"first":"<first..>","again":"<first..>","second":"<2.>"}',
  },
  MARKS,
)
const filled = (...fills: string[]) => new PreparedReply(prepared, fills)
const CONSTANT = [['vary', 'x-payment']] as const

let server: Server
let replies: PreparedReply[] = []
beforeAll(async () => {
  server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    log: quietLog,
    handler: (request) => {
      const reply = replies[Number(request.path.slice(1))]!
      return request.rawQuery === 'later' ? sleep(5).then(() => reply) : reply
    },
  })
})
afterAll(() => server?.close())
const ask = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${server.port}${path}`, { method })
const width = (chars: number) =>
  fc.string({ unit: fc.constantFrom(...'aZ09-_$&"'), minLength: chars, maxLength: chars })

describe('a reply that is made once goes out as it reads', () => {
  test('property: status, headers and body on the wire are those of its text, many at once, at once or later', async () => {
    const fills = fc.array(fc.tuple(width(9), width(4)), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(fills, fc.constantFrom('', '?later'), async (all, when) => {
        replies = all.map((each) => filled(...each).with(CONSTANT))
        const answers = await Promise.all(replies.map((_, at) => ask(`/${at}${when}`)))
        for (const [at, answer] of answers.entries()) {
          const [first, second] = all[at]!
          expect(answer.status).toBe(402)
          expect(await answer.text()).toBe(`{"first":"${first}","again":"${first}","second":"${second}"}`)
          expect(answer.headers.get('x-first')).toBe(`a${first}b`)
          for (const [name, value] of replies[at]!.headers) expect(answer.headers.get(name)).toBe(value)
        }
      }),
      { numRuns: 30 },
    )
  })

  test('with what is on every answer, and with headers of the moment', async () => {
    replies = [
      filled('123456789', 'abcd')
        .with(CONSTANT)
        .with([['ratelimit', '"free";r=1;t=1']]),
    ]
    const { headers } = await ask('/0')
    expect(headers.get('vary')).toBe('x-payment')
    expect(headers.get('ratelimit')).toBe('"free";r=1;t=1')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('x-request-id')).toMatch(/^[\w.-]{8,}$/)
  })

  test('a HEAD has its head and no body', async () => {
    replies = [filled('123456789', 'abcd')]
    const answer = await ask('/0', 'HEAD')
    expect([answer.status, await answer.text()]).toEqual([402, ''])
    expect(answer.headers.get('x-first')).toBe('a123456789b')
    expect(answer.headers.get('content-length')).toBe(String(replies[0]!.body.length))
  })

  test('a list that was added to one route is not seen on another', () => {
    const head = (reply: PreparedReply) => Buffer.from(reply.head()).toString()
    const plain = filled('123456789', 'abcd')
    expect(head(plain.with(CONSTANT))).toContain('vary: x-payment')
    expect(head(plain)).not.toContain('vary')
    expect(head(plain.with([['vary', 'b']]))).toContain('vary: b')
  })

  test('headers are added to it as to any other reply', () => {
    const names = (reply: ReturnType<typeof withHeaders>) => reply.headers.map(([name]) => name)
    const more = [['a', '1']] as const
    expect(names(withHeaders(filled('123456789', 'abcd'), more))).toEqual(['content-type', 'x-first', 'a'])
    const plain = { status: 200, headers: [['b', '2']] as const, body: 'x' }
    expect(withHeaders(plain, more)).toEqual({
      status: 200,
      headers: [
        ['b', '2'],
        ['a', '1'],
      ],
      body: 'x',
    })
  })

  test('a fill of another width than its place, or what is not ASCII, is a broken assumption', () => {
    expect(() => filled('1234', 'abcd')).toThrow('as wide as its mark')
    const reply = { status: 200, headers: [['a', 'b']] as const, body: 'é' }
    expect(() => prepareReply(reply, [])).toThrow('ASCII')
  })
})
