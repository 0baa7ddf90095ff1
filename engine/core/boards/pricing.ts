import type { NetRow } from '../../contract/nets.ts'
import { type At, isTrading, type LivePair } from './livePair.ts'
import { netRow } from './nets.ts'
import { type Priced, price } from './priced.ts'

/** A pair's figures with its net row (null: there is no net), and whose freshness went into them. */
export type PricedPair = { priced: Priced; net: NetRow | null; fresh: At['fresh'] }

/** By pair, in the order of the pairs. */
export type Pricing = ReadonlyMap<string, PricedPair>

export const NO_PRICING: Pricing = new Map()

/**
 * All pairs priced. What did not change since the last time keeps its objects: most pairs do not move between two
 * looks, and a row that is the same object has the same text.
 */
export function priceAll(before: Pricing, pairs: Iterable<LivePair>, at: At): Pricing {
  const pricing = new Map<string, PricedPair>()
  for (const pair of pairs) {
    const kept = before.get(pair.pairId)
    pricing.set(pair.pairId, kept !== undefined && holds(kept, pair, at) ? kept : pricePair(pair, at))
  }
  return pricing
}

function pricePair(pair: LivePair, at: At): PricedPair {
  const priced = price(pair, at)
  return { priced, net: netRow(priced), fresh: at.fresh }
}

/** Quotes and markets are replaced, never changed in place: the same objects say the same. */
function holds({ priced, fresh }: PricedPair, pair: LivePair, at: At): boolean {
  const { a, b, verdict, topic, category, reasons } = priced.pair
  const isSame =
    priced.pair === pair ||
    (a.quote === pair.a.quote &&
      b.quote === pair.b.quote &&
      a.market === pair.a.market &&
      b.market === pair.b.market &&
      verdict === pair.verdict &&
      topic === pair.topic &&
      category === pair.category &&
      reasons === pair.reasons)
  return (
    isSame &&
    fresh.a === at.fresh.a &&
    fresh.b === at.fresh.b &&
    priced.trading === isTrading(pair.b, at.nowMs)
  )
}
