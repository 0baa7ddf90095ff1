import type { Redis } from 'ioredis'
import { type Clock, realClock } from './clock.ts'
import type { Metrics } from './metrics.ts'
import { storeNowMs } from './redis.ts'
import { SECOND } from './units.ts'

/** The stores whose clocks date what we keep. */
export type StoreName = 'ledger' | 'pipeline'

const EVERY_MS = 15 * SECOND

/**
 * Tells the operator how far the clocks of our stores are from this process's: what several processes and machines
 * keep is compared by time, which assumes that they hardly differ (clock.ts). A store that does not answer tells nothing.
 * @returns ends it.
 */
export function watchStoreClocks(
  metrics: Metrics,
  stores: Partial<Record<StoreName, Redis>>,
  clock: Clock = realClock,
): () => void {
  const ahead = metrics.gauge(
    'store_clock_ahead_ms',
    'how far the clock of a store is ahead of this process, ms; negative: behind',
    ['store'],
  )
  const look = () => {
    for (const [store, redis] of Object.entries(stores))
      storeClockAheadMs(redis, clock).then(
        (aheadMs) => ahead.set({ store }, aheadMs),
        () => ahead.remove({ store }),
      )
  }
  look()
  const looking = setInterval(look, EVERY_MS)
  return () => clearInterval(looking)
}

/**
 * By how many ms at least the store's clock is ahead of ours; negative: behind; 0: they may agree. Its answer was written at
 * some instant between our question and its arrival. @throws when the store does not answer.
 */
export async function storeClockAheadMs(redis: Pick<Redis, 'time'>, clock: Clock): Promise<number> {
  const sentMs = clock.nowMs()
  const storeMs = await storeNowMs(redis)
  const arrivedMs = clock.nowMs()
  if (storeMs > arrivedMs) return storeMs - arrivedMs
  return Math.min(0, storeMs - sentMs)
}
