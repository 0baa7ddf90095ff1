import { PROBLEMS, type Problem } from '../errors.ts'
import type { Reply } from './exchange.ts'

/** Paid and refused answers belong to one caller at one moment: no cache may keep them. */
export const NO_STORE = ['cache-control', 'private, no-store'] as const
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

export function problemReply(problem: Problem, headers: Reply['headers'] = []): Reply {
  const { status } = PROBLEMS[problem.problem]
  const retry =
    status === 503 || problem.retryAfterS !== undefined
      ? [['retry-after', String(problem.retryAfterS ?? DEFAULT_RETRY_S)] as const]
      : []
  return {
    status,
    headers: [['content-type', 'application/problem+json'], NO_STORE, ...retry, ...headers],
    body: JSON.stringify(problemBody(problem)),
  }
}

export function jsonReply(status: number, value: unknown, headers: Reply['headers'] = []): Reply {
  return { status, headers: [['content-type', 'application/json'], ...headers], body: JSON.stringify(value) }
}
