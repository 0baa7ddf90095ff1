import type { Problem } from '../errors.ts'
import type { CapturedHeader, HttpRequest } from './exchange.ts'

/** Refuses a request that has one of these headers more than once: the first would be taken silently (CRD-06). */
export function refuseTwice(
  request: Pick<HttpRequest, 'headerCount'>,
  names: readonly CapturedHeader[],
): (Problem & { detail: string }) | null {
  const twice = names.find((name) => request.headerCount(name) > 1)
  return twice === undefined
    ? null
    : { problem: 'malformed_request', detail: `${twice} is sent more than once.` }
}
