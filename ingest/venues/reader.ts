import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../../ops/errors.ts'
import { type HttpClient, HttpError, type HttpRead, retryAfterOf } from '../../ops/http.ts'
import { FEED_RETRY, PAGE_RETRY, type Retry, waitMs } from '../poll/backoff.ts'
import { createBucket, takeToken } from '../poll/bucket.ts'
import { clockAheadMs } from './clockAhead.ts'

/** Reads per second and the burst that a venue's host allows us. */
export type Limit = { perSecond: number; burst: number }

/** Reads and parses; what `parse` throws counts as a failed read. */
export type Reader = <T>(read: HttpRead & { signal: AbortSignal }, parse: (body: Buffer) => T) => Promise<T>

/** Called with how far the host's clock is ahead of ours, see clockAhead.ts. */
export type OnClock = (aheadMs: number) => void

/**
 * Reads from one host within its limit, with retries where they can help. A pause that the host asks for holds up all
 * reads, whichever was told; if it is longer than a page may wait, they fail without being sent. @throws ServiceError,
 * the last one
 */
export function createReader(
  http: HttpClient,
  limit: Limit,
  {
    random = Math.random,
    retry = PAGE_RETRY,
    onClock,
  }: { random?: () => number; retry?: Retry; onClock?: OnClock } = {},
): Reader {
  const bucket = createBucket(limit.perSecond, limit.burst, performance.now())
  const pause = createPause(retry.longestWaitMs)
  const onStamp = onClock && createOnStamp(onClock)
  return async (read, parse) => {
    for (let failures = 0; ; ) {
      const tokenMs = takeToken(bucket, performance.now())
      if (tokenMs > 0) await sleep(tokenMs, undefined, { signal: read.signal })
      await pause.over(read.signal)
      try {
        return parse(await http.readBytes(onStamp === undefined ? read : { ...read, onStamp }))
      } catch (error) {
        if (!(error instanceof ServiceError) || !error.retryable) throw error
        failures++
        if (error instanceof HttpError) pause.begin(error)
        const againMs = waitMs(failures, retryAfterOf(error), random(), retry)
        if (againMs === null) throw error
        await sleep(againMs, undefined, { signal: read.signal })
      }
    }
  }
}

/**
 * The pause a host asked for. It is kept no longer than a feed would keep it, and no read waits longer than
 * `longestWaitMs`.
 */
function createPause(longestWaitMs: number) {
  let asked: HttpError | null = null
  let untilMs = 0 // performance.now() clock
  return {
    begin: (error: HttpError): void => {
      const endMs = performance.now() + Math.min(error.retryAfterMs ?? 0, FEED_RETRY.longestWaitMs)
      if (endMs > untilMs) [asked, untilMs] = [error, endMs]
    },
    /** @throws the answer that asked for it, with what is left, when that is too long. */
    over: async (signal: AbortSignal): Promise<void> => {
      const latestMs = performance.now() + longestWaitMs
      for (;;) {
        const leftMs = untilMs - performance.now()
        if (asked === null || leftMs <= 0) return
        if (untilMs > latestMs) {
          const { code, message, status } = asked
          const facts = { retryable: true, status, retryAfterMs: Math.ceil(leftMs) }
          throw new HttpError(code, `${message}, not asked again yet`, facts)
        }
        await sleep(Math.ceil(leftMs), undefined, { signal })
      }
    },
  }
}

const createOnStamp =
  (onClock: OnClock): HttpRead['onStamp'] =>
  (stamp) => {
    const aheadMs = clockAheadMs(stamp)
    if (aheadMs !== null) onClock(aheadMs)
  }
