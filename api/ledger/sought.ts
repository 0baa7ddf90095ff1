import type { Redis } from 'ioredis'
import { DAY } from '../../ops/units.ts'
import { KEYS } from './keys.ts'
import { guarded, writeOn } from './scripts.ts'

/** How a buyer asked for his money: on which rail, by which transaction ('' for none), and since when. */
export type Sought = { rail: string; tx: string; sinceMs: number }

/** Money that a buyer has asked for and that was not there: looked for without him for a while, should he ask no more. */
export type SoughtLedger = {
  /** The newest question of an intent counts. @param site digest; one has a share of all. @param firstMs of the first look. */
  seek(intent: string, site: string, sought: Sought, firstMs: number): Promise<void>
  sought(intent: string): Promise<Sought | null>
  /** Intents to be looked for by then, the longest due first. */
  soughtDue(max: number, dueMs: number): Promise<string[]>
  /** @param atMs of the next look; null: never. */
  seekAgain(intent: string, atMs: number | null): Promise<void>
}

/** So long after it was last asked for. */
export const SOUGHT_KEPT_MS = 1 * DAY
export type SoughtLimits = { all: number; perSite: number }
/** Whoever asks beyond these has to ask again himself. */
export const SOUGHT_LIMITS: SoughtLimits = { all: 5_000, perSite: 100 }

export function createSoughtLedger(redis: Redis, limits: SoughtLimits = SOUGHT_LIMITS): SoughtLedger {
  return {
    seek: async (intent, site, { rail, tx, sinceMs }, firstMs) => {
      const list = KEYS.soughtFrom(site)
      const isListed = (await guarded(redis.zscore(KEYS.sought, intent))) !== null
      if (!isListed) {
        await guarded(redis.zremrangebyscore(list, '-inf', sinceMs))
        const [all, near] = await guarded(Promise.all([redis.zcard(KEYS.sought), redis.zcard(list)]))
        if (all >= limits.all || near >= limits.perSite) return
      }
      const row = KEYS.soughtOf(intent)
      await guarded(
        redis
          .multi()
          .hset(row, { rail, tx, sinceMs })
          .pexpire(row, SOUGHT_KEPT_MS)
          .zadd(KEYS.sought, 'NX', firstMs, intent)
          .zadd(list, sinceMs + SOUGHT_KEPT_MS, intent)
          .pexpire(list, SOUGHT_KEPT_MS)
          .exec(),
      )
    },

    sought: async (intent) => {
      const [rail, tx, sinceMs] = await guarded(redis.hmget(KEYS.soughtOf(intent), 'rail', 'tx', 'sinceMs'))
      return rail == null ? null : { rail, tx: tx ?? '', sinceMs: Number(sinceMs ?? 0) }
    },

    soughtDue: (max, dueMs) => guarded(redis.zrangebyscore(KEYS.sought, '-inf', dueMs, 'LIMIT', 0, max)),

    seekAgain: async (intent, atMs) => {
      if (atMs !== null) await writeOn(redis)('ZADD', KEYS.sought, 'XX', atMs, intent)
      else await guarded(redis.multi().zrem(KEYS.sought, intent).del(KEYS.soughtOf(intent)).exec())
    },
  }
}
