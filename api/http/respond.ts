import { UnavailableError } from '../../ops/errors.ts'
import { PROBLEMS, type Problem, type ProblemCode } from '../errors.ts'
import { isKnown } from './etag.ts'
import type { Reply } from './exchange.ts'

/** Paid and refused answers belong to one caller at one moment: no cache may keep them. */
export const NO_STORE = ['cache-control', 'private, no-store'] as const
/** The same for everybody, and may be another or gone at any time: a cache asks each time before it shows it. */
export const ASK_AGAIN = ['cache-control', 'no-cache'] as const
const DEFAULT_RETRY_S = 2

/** RFC 9457 members plus `ok`, `code`, `retryable`, `next`. The only place where a refusal becomes a status. */
export function problemBody(problem: Problem): Record<string, unknown> {
  const { status, title, retryable, next } = PROBLEMS[problem.problem]
  return {
    ok: false,
    type: `/errors#${problem.problem}`,
    title,
    status,
    code: problem.problem,
    ...(problem.detail === undefined ? {} : { detail: problem.detail }),
    retryable,
    next,
    ...problem.extra,
  }
}

/** What a 426 asks for (RFC 9110, 15.5.22): the one protocol spoken here beside HTTP. */
const UPGRADE = [
  ['upgrade', 'websocket'],
  ['connection', 'upgrade'],
] as const

/** Seconds after which the same may succeed; null: nobody knows of such a time. */
export function retryAfterOf({ problem, retryAfterS }: Problem): number | null {
  const { status, retryable } = PROBLEMS[problem]
  return retryAfterS ?? (status === 503 && retryable ? DEFAULT_RETRY_S : null)
}

export function problemReply(problem: Problem, headers: Reply['headers'] = []): Reply {
  const { status } = PROBLEMS[problem.problem]
  const waitS = retryAfterOf(problem)
  return {
    status,
    headers: [
      ['content-type', 'application/problem+json'],
      NO_STORE,
      ...(waitS === null ? [] : [['retry-after', String(waitS)] as const]),
      ...(status === 426 ? UPGRADE : []),
      ...headers,
    ],
    body: JSON.stringify(problemBody(problem)),
  }
}

/** For a store, node or provider that did not answer: its own refusal. @throws every other error. */
export function outageReply(error: unknown): Reply {
  if (!(error instanceof UnavailableError)) throw error
  return problemReply({ problem: error.code as ProblemCode })
}

export function jsonReply(status: number, value: unknown, headers: Reply['headers'] = []): Reply {
  return { status, headers: [['content-type', 'application/json'], ...headers], body: JSON.stringify(value) }
}

/** 200 with its tag, or 304 to a caller that has this version already. */
export function taggedReply(
  { ifNoneMatch, etag, type = 'application/json' }: { ifNoneMatch: string; etag: string; type?: string },
  body: string,
  headers: Reply['headers'],
): Reply {
  const tagged = [['etag', etag], ...headers] as const
  if (isKnown(ifNoneMatch, etag)) return { status: 304, headers: tagged, body: '' }
  return { status: 200, headers: [['content-type', type], ...tagged], body }
}
