import { type LivePair, livePair } from '../core/boards/livePair.ts'
import type { Pair } from '../core/pairing/pairer.ts'
import type { World } from './world.ts'

type Kept = { pair: Pair; live: LivePair }

/** All pairs with the newest state of both markets. A pair of which nothing moved is the same object as at the last look. */
export class LivePairs {
  #before = new Map<string, Kept>()

  read(world: World): LivePair[] {
    const now = new Map<string, Kept>()
    const found: LivePair[] = []
    for (const pair of world.livePairs()) {
      const kept = this.#before.get(pair.pairId)
      const entry = kept !== undefined && holds(kept, pair, world) ? kept : look(pair, world)
      if (entry === null) continue
      now.set(pair.pairId, entry)
      found.push(entry.live)
    }
    this.#before = now
    return found
  }
}

function look(pair: Pair, world: World): Kept | null {
  const [a, b] = [world.listing('a', pair.a), world.listing('b', pair.b)]
  return a === null || b === null ? null : { pair, live: livePair(pair, a, b) }
}

/** Quotes, markets and pairs are replaced, never changed in place. */
const holds = (kept: Kept, pair: Pair, world: World): boolean =>
  kept.pair === pair &&
  kept.live.a.quote === world.quote('a', pair.a) &&
  kept.live.b.quote === world.quote('b', pair.b) &&
  kept.live.a.market === world.market('a', pair.a) &&
  kept.live.b.market === world.market('b', pair.b)
