import { FEED_RETRY, waitMs } from './backoff.ts'

/** How a feed, of sweeps or of books, gets on with its venue. */
export type Standing = {
  failures: number //          runs in a row that failed
  notBeforeMs: number //       performance.now() clock; a pause that the venue asked for is observed
  isAskedTo: boolean //        the venue asked for the pause: another process would be told the same
}

export const isCooling = ({ notBeforeMs }: Standing): boolean => performance.now() < notBeforeMs

/** Sets when the next run may begin after a failed one. @param retryAfterMs what the venue asked for. */
export function coolDown(feed: Standing, retryAfterMs: number | null, random: number): void {
  feed.failures++
  feed.isAskedTo = retryAfterMs !== null
  const pauseMs = waitMs(feed.failures, retryAfterMs, random, FEED_RETRY) ?? FEED_RETRY.longestWaitMs
  feed.notBeforeMs = performance.now() + pauseMs
}
