import type { Redis } from 'ioredis'
import { DAY } from '../../ops/units.ts'
import { KEYS } from './keys.ts'
import { guarded, scriptsOn, writeOn } from './scripts.ts'

/** How a buyer asked for a payment: on which rail, by which transaction ('' for none), and since when. */
export type Sought = { rail: string; tx: string; sinceMs: number }

/** Payments that a buyer asked for and that were not found: the search goes on for a while without the buyer. */
export type SoughtLedger = {
  /**
   * The newest question of an intent counts.
   * @param site digest; its share is limited.
   * @param firstMs time of the first look.
   * @param isSeen the money is on its chain, which costs something.
   */
  seek(intent: string, site: string, sought: Sought, firstMs: number, isSeen?: boolean): Promise<void>
  sought(intent: string): Promise<Sought | null>
  /** Intents due for a search by then, longest due first. */
  soughtDue(max: number, dueMs: number): Promise<string[]>
  /** @param atMs of the next look; null: never. */
  seekAgain(intent: string, atMs: number | null): Promise<void>
}

/** How long the search goes on after the last question. */
export const SOUGHT_KEPT_MS = 1 * DAY
export type SoughtLimits = { all: number; perSite: number }
/** Beyond these limits a buyer has to ask again. */
export const SOUGHT_LIMITS: SoughtLimits = { all: 5_000, perSite: 100 }
/** Money that was seen has this many times the room: made-up transactions cost nothing, and must not take all of it. */
const SEEN_ROOM = 2

export function createSoughtLedger(redis: Redis, limits: SoughtLimits = SOUGHT_LIMITS): SoughtLedger {
  const run = scriptsOn(redis)

  /** What is sought no more takes no share of its site: most is found within minutes. */
  async function end(intent: string): Promise<void> {
    const row = KEYS.soughtOf(intent)
    const site = await redis.hget(row, 'site')
    const ending = redis.multi().zrem(KEYS.sought, intent).del(row)
    await (site === null ? ending : ending.zrem(KEYS.soughtFrom(site), intent)).exec()
  }

  return {
    seek: async (intent, site, { rail, tx, sinceMs }, firstMs, isSeen = false) => {
      const keys = [KEYS.soughtOf(intent), KEYS.sought, KEYS.soughtFrom(site)]
      const row = JSON.stringify({ rail, tx, sinceMs: String(sinceMs), site })
      const room = isSeen ? SEEN_ROOM : 1
      const [all, perSite] = [room * limits.all, room * limits.perSite]
      await run('intentSeek', keys, [intent, row, sinceMs, firstMs, SOUGHT_KEPT_MS, all, perSite])
    },

    sought: async (intent) => {
      const [rail, tx, sinceMs] = await guarded(redis.hmget(KEYS.soughtOf(intent), 'rail', 'tx', 'sinceMs'))
      return rail == null ? null : { rail, tx: tx ?? '', sinceMs: Number(sinceMs ?? 0) }
    },

    soughtDue: (max, dueMs) => guarded(redis.zrangebyscore(KEYS.sought, '-inf', dueMs, 'LIMIT', 0, max)),

    seekAgain: async (intent, atMs) => {
      if (atMs !== null) await writeOn(redis)('ZADD', KEYS.sought, 'XX', atMs, intent)
      else await guarded(end(intent))
    },
  }
}
