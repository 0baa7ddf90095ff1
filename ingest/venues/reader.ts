import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../../ops/errors.ts'
import { type HttpClient, HttpError, type HttpRead } from '../../ops/http.ts'
import { PAGE_RETRY, type Retry, waitMs } from '../poll/backoff.ts'
import { createBucket, takeToken } from '../poll/bucket.ts'

/** Reads per second and the burst that a venue's host allows us. */
export type Limit = { perSecond: number; burst: number }

/** Reads and parses; what `parse` throws counts as a failed read. */
export type Reader = <T>(read: HttpRead & { signal: AbortSignal }, parse: (body: Buffer) => T) => Promise<T>

/** Reads of one host within its limit, tried again where that can help. @throws ServiceError, the last one */
export function createReader(
  http: HttpClient,
  limit: Limit,
  { random = Math.random, retry = PAGE_RETRY }: { random?: () => number; retry?: Retry } = {},
): Reader {
  const bucket = createBucket(limit.perSecond, limit.burst, performance.now())
  return async (read, parse) => {
    for (let failures = 0; ; ) {
      const pauseMs = takeToken(bucket, performance.now())
      if (pauseMs > 0) await sleep(pauseMs, undefined, { signal: read.signal })
      try {
        return parse(await http.readBytes(read))
      } catch (error) {
        if (!(error instanceof ServiceError) || !error.retryable) throw error
        failures++
        const asked = error instanceof HttpError ? error.retryAfterMs : null
        const againMs = waitMs(failures, asked, random(), retry)
        if (againMs === null) throw error
        await sleep(againMs, undefined, { signal: read.signal })
      }
    }
  }
}
