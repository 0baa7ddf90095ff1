import { createHash } from 'node:crypto'
import { SECOND } from '../../ops/units.ts'
import type { HttpRequest, Reply } from '../http/exchange.ts'
import type { Route } from '../http/router.ts'
import type { Facts } from './facts.ts'

/** One discovery resource: a path, and its text as a function of the facts. */
export type Document = {
  path: `/${string}`
  type: string //  media type
  text(facts: Facts): string | Buffer
}

/** One that changes while the process runs: made again when somebody asks and it is older than this. */
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

/** The facts stay as they are until the process ends, so a document is made once and asked for again by its ETag. */
export function documentRoute({ path, type, text }: Document, facts: Facts): Route {
  const answer = answering(type, text(facts), FIXED_MAX_AGE_MS)
  return { method: 'GET', path, handler: answer }
}

/**
 * Whoever asks while it is made waits for the same making. One that cannot be made now is answered as it was last made.
 * @param failed the answer when it was never made.
 */
export function changingRoute(
  { path, type, maxAgeMs, text }: ChangingDocument,
  clock: { nowMs(): number },
  failed: (error: unknown) => Reply,
): Route {
  let made: { atMs: number; answer: (request: HttpRequest) => Reply } | null = null
  let making: Promise<void> | null = null
  const make = async () => {
    try {
      const body = await text()
      made = { atMs: clock.nowMs(), answer: answering(type, body, maxAgeMs) }
    } finally {
      making = null
    }
  }
  return {
    method: 'GET',
    path,
    async handler(request) {
      if (made !== null && clock.nowMs() - made.atMs < maxAgeMs) return made.answer(request)
      making ??= make()
      try {
        await making
      } catch (error) {
        if (made === null) return failed(error)
      }
      return made!.answer(request)
    },
  }
}

/** A document that is a JSON value. */
export const jsonDocument = (path: `/${string}`, value: (facts: Facts) => unknown): Document => ({
  path,
  type: JSON_TYPE,
  text: (facts) => jsonText(value(facts)),
})

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

function answering(type: string, text: string | Buffer, maxAgeMs: number): (request: HttpRequest) => Reply {
  const body = Buffer.from(text as string)
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`
  const headers = [
    ['etag', etag],
    ['cache-control', `public, max-age=${Math.floor(maxAgeMs / SECOND)}`],
    ['x-content-type-options', 'nosniff'],
  ] as const
  const whole: Reply = { status: 200, headers: [['content-type', type], ...headers], body }
  const same: Reply = { status: 304, headers, body: '' }
  return (request) => (request.header('if-none-match') === etag ? same : whole)
}
