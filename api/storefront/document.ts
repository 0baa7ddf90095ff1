import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { SECOND } from '../../ops/units.ts'
import { answering } from '../http/answering.ts'
import { constantReply } from '../http/constantReply.ts'
import { etagOf } from '../http/etag.ts'
import type { Route } from '../http/router.ts'
import type { Facts } from './facts.ts'

/** One discovery resource: a path, and its text as a function of the facts. */
export type Document = {
  path: `/${string}`
  type: string //  media type
  schema?: z.ZodType // when it is JSON
  text(facts: Facts): string | Buffer
}

/** A document that changes while the process runs: made again when somebody asks and it is older than this. */
export type ChangingDocument = {
  path: `/${string}`
  type: string
  maxAgeMs: number
  text(): Promise<string>
}

export const JSON_TYPE = 'application/json'
export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8'
export const TEXT_TYPE = 'text/plain; charset=utf-8'

const FIXED_MAX_AGE_MS = 300 * SECOND

/** The facts stay the same until the process ends, so a document is made once, when it is first asked for. */
export function documentRoute({ path, type, text }: Document, facts: Facts): Route {
  let answer: Answer | null = null
  return {
    method: 'GET',
    path,
    handler: (request) => {
      answer ??= answerWith(type, text(facts), FIXED_MAX_AGE_MS)
      return answer(request.header('if-none-match'))
    },
  }
}

/** How long a request waits for a new text when an older one can be served. */
const PATIENCE_MS = 300

/**
 * Requests during a refresh share it. When the refresh fails or takes long, the last text is served; before there is a
 * first text, the store's refusal is the answer.
 */
export function changingRoute(
  { path, type, maxAgeMs, text }: ChangingDocument,
  steady: { nowMs(): number },
): Route {
  let made: { atMs: number; answer: Answer } | null = null
  let making: Promise<void> | null = null
  const make = async () => {
    try {
      const body = await text()
      made = { atMs: steady.nowMs(), answer: answerWith(type, body, maxAgeMs) }
    } finally {
      making = null
    }
  }
  return {
    method: 'GET',
    path,
    handler: answering(async (request) => {
      const known = request.header('if-none-match')
      if (made === null || steady.nowMs() - made.atMs >= maxAgeMs) {
        making ??= make()
        if (made === null) await making
        else await Promise.race([making.catch(() => {}), sleep(PATIENCE_MS)])
      }
      return made!.answer(known)
    }),
  }
}

/** A document that is a JSON value with this shape. */
export const jsonDocument = <Schema extends z.ZodType>(
  path: `/${string}`,
  schema: Schema,
  value: (facts: Facts) => z.input<Schema>,
  type: string = JSON_TYPE,
): Document => ({ path, type, schema, text: (facts) => jsonText(value(facts)) })

/** Without white space: readers pay by the token. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value)}\n`

type Answer = ReturnType<typeof constantReply>

function answerWith(type: string, text: string | Buffer, maxAgeMs: number): Answer {
  const body = Buffer.from(text as string)
  const cacheControl = `public, max-age=${Math.floor(maxAgeMs / SECOND)}`
  return constantReply({ type, etag: etagOf(body), cacheControl }, body)
}
