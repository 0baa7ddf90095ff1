import type { Listed } from '../gapRow.ts'
import type { Pair } from '../pairing/pairer.ts'
import { topicOfMarket } from './marketWords.ts'

/** A pair with the newest state of both its markets: what every board of pairs is computed from. */
export type LivePair = {
  pairId: string
  topic: string
  category: string | null
  verdict: 'identity' | 'inverted'
  reasons: string[]
  a: Listed
  b: Listed
}

/** The instant boards describe, market clock, and whose data may be acted on then. */
export type At = { nowMs: number; fresh: { a: boolean; b: boolean } }

export function livePair({ pairId, verdict, reasons }: Pair, a: Listed, b: Listed): LivePair {
  const category = a.market.category ?? b.market.category
  return { pairId, topic: topicOfMarket(a.market), category, verdict, reasons, a, b }
}

/**
 * A market of B past its closing time is not traded any more, whatever its last page said (VEN-11); the end dates
 * of venue A are no such promise.
 */
export function isTrading({ market, quote }: Listed, nowMs: number): boolean {
  return quote.venue === 'a' || market.closeMs === null || market.closeMs > nowMs
}
