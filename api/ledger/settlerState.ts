import type { Redis } from 'ioredis'
import { SECOND } from '../../ops/units.ts'
import { KEYS } from './keys.ts'
import { guarded, writeOn } from './scripts.ts'

/** Longer than a change of leaders takes; a settler reports its state every two seconds. */
const KEPT_MS = 10 * SECOND

/** What the leading settler reports about itself, for processes that sell and do not settle (OPS-18). */
export type SettlerState = {
  say(problem: string | null): Promise<void>
  /** Why claims are not settled now; null when they are. */
  problem(): Promise<string | null>
}

export const createSettlerState = (redis: Redis): SettlerState => ({
  async say(problem) {
    await writeOn(redis)('SET', KEYS.settler, problem ?? '', 'PX', KEPT_MS)
  },
  async problem() {
    const said = await guarded(redis.get(KEYS.settler))
    return said === null ? 'no worker settles: claims wait until one does' : said || null
  },
})
