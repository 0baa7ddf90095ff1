import { hardest, isLookAlike } from '../core/boards/refusals.ts'
import type { Refused } from '../core/pairing/pairer.ts'
import type { World } from './world.ts'

/** Duration of one scan, plus one event. */
const SCAN_MS = 25
/** Look-alikes remembered between scans; more than are shown, because markets close. */
const POOL_MAX = 200

/** Scans the proposals a little at a time, over and over, and remembers the hardest ones. */
export class LookAlikes {
  #nextEvent = 0
  #pool: Refused[] = []

  /** @returns the hardest known ones whose markets are still open and unchanged. */
  scan(world: World): readonly Refused[] {
    const isLive = ({ a, b }: Refused) =>
      world.market('a', a.marketId) === a && world.market('b', b.marketId) === b
    const found = this.#pool.filter(isLive)
    const untilMs = performance.now() + SCAN_MS
    let ended = true
    for (const refused of world.refusedFrom(this.#nextEvent)) {
      this.#nextEvent++
      found.push(...refused.filter(isLookAlike))
      if (performance.now() < untilMs) continue
      ended = false
      break
    }
    if (ended) this.#nextEvent = 0
    this.#pool = hardest(found, POOL_MAX)
    return this.#pool
  }
}
