import { followBoards } from '../../../api/latest.ts'
import { createLog } from '../../../ops/log.ts'
import { connectRedis } from '../../../ops/redis.ts'
import { percentile } from '../support/statistics.ts'

/** As many quotes are counted, and no more. */
const MOST = 1_000_000

/**
 * How old a changed quote is when an api process holds it: from the arrival of the venue's page at ingest. Only pages that
 * arrive from now on count: what a cold start still has to publish is in its CPU. Follows the boards with the api's own
 * follower, so it costs what one more api process would.
 */
export function watchFreshness(redisUrl: string) {
  const log = createLog('bench', 'error')
  const sinceMs = Date.now()
  const lags: number[] = []
  const seen = new Map<string, number>()
  const known = new WeakSet<object>() // rows that were looked at: most are those of the version before
  const { boards, stop } = followBoards({
    reader: connectRedis(redisUrl, { log, name: 'bench', blocking: true }),
    log,
    onSnapshot(name) {
      if (name !== 'gaps') return
      const nowMs = Date.now()
      for (const row of boards.gaps!.snapshot.body.rows) {
        if (known.has(row)) continue
        known.add(row)
        for (const [venue, { marketId, seenMs }] of Object.entries({ a: row.a, b: row.b })) {
          const key = `${venue}${marketId}`
          const before = seen.get(key)
          seen.set(key, seenMs)
          if (before !== undefined && seenMs > Math.max(before, sinceMs) && lags.length < MOST)
            lags.push(nowMs - seenMs)
        }
      }
    },
  })
  return {
    async stop() {
      await stop()
      const sorted = Float64Array.from(lags).sort()
      return sorted.length === 0
        ? null
        : { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), quotes: sorted.length }
    },
  }
}
