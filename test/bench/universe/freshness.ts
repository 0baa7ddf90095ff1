import { BOARD_NAMES } from '../../../api/boards.ts'
import { followBoards } from '../../../api/latest.ts'
import { createLog } from '../../../ops/log.ts'
import { connectRedis } from '../../../ops/redis.ts'
import { percentile } from '../support/statistics.ts'

/** At most this many quotes are counted. */
const MOST = 1_000_000

/**
 * How old a changed quote is when an api process holds it: from the arrival of the venue's page at ingest. Only pages that
 * arrive once the boards are held here count: a cold start, of the service and of this follower, is no steady state.
 * Follows with the api's own follower, so it costs what one more api process would.
 */
export function watchFreshness(redisUrl: string) {
  const log = createLog('bench', 'error')
  let sinceMs: number | null = null
  const lags: number[] = []
  const seen = new Map<string, number>()
  const known = new WeakSet<object>() // rows already looked at: most rows of a version are those of the one before
  const { boards, stop } = followBoards({
    reader: connectRedis(redisUrl, { log, name: 'bench', blocking: true }),
    log,
    onSnapshot(name) {
      const nowMs = Date.now()
      if (sinceMs === null && BOARD_NAMES.every((each) => boards[each] !== undefined)) sinceMs = nowMs
      if (name !== 'gaps') return
      for (const row of boards.gaps!.snapshot.body.rows) {
        if (known.has(row)) continue
        known.add(row)
        for (const [venue, { marketId, seenMs }] of Object.entries({ a: row.a, b: row.b })) {
          const key = `${venue}${marketId}`
          const before = seen.get(key)
          seen.set(key, seenMs)
          const counts = before !== undefined && sinceMs !== null && seenMs > Math.max(before, sinceMs)
          if (counts && lags.length < MOST) lags.push(nowMs - seenMs)
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
