import { SECOND } from '../../ops/units.ts'

/**
 * A token bucket: at most `burst` reads at once and `perSecond` on average. One per venue host and process; one process
 * a time reads from a venue (turns.ts), so the venue sees one bucket.
 */
export type Bucket = { perSecond: number; burst: number; tokens: number; atMs: number }

export function createBucket(perSecond: number, burst: number, nowMs: number): Bucket {
  return { perSecond, burst, tokens: burst, atMs: nowMs }
}

/**
 * Takes one token, on credit when there is none.
 * @returns ms to wait before the read may be sent.
 */
export function takeToken(bucket: Bucket, nowMs: number): number {
  const earned = (Math.max(0, nowMs - bucket.atMs) * bucket.perSecond) / SECOND
  bucket.tokens = Math.min(bucket.burst, bucket.tokens + earned) - 1
  bucket.atMs = Math.max(bucket.atMs, nowMs)
  return bucket.tokens >= 0 ? 0 : Math.ceil((-bucket.tokens * SECOND) / bucket.perSecond)
}
