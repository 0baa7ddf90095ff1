import type { Listed } from '../gapRow.ts'
import type { Pair } from '../pairing/pairer.ts'
import { topicOfMarket } from './marketWords.ts'

/** A pair with the newest state of both its markets: what every board of pairs is computed from. */
export type LivePair = {
  readonly pairId: string
  readonly topic: string
  readonly category: string | null
  readonly verdict: 'identity' | 'inverted'
  readonly reasons: string[]
  readonly a: Listed
  readonly b: Listed
}

/** The instant the boards describe, market clock, and which venues' data is fresh enough to act on then. */
export type At = { nowMs: number; fresh: { a: boolean; b: boolean } }

export const livePair = (pair: Pair, a: Listed, b: Listed): LivePair => new Live(pair, a, b)

/** Made anew whenever a price of the pair moves: it holds only what differs, and reads the rest from the pair. */
class Live implements LivePair {
  readonly #pair: Pair
  readonly a: Listed
  readonly b: Listed

  constructor(pair: Pair, a: Listed, b: Listed) {
    this.#pair = pair
    this.a = a
    this.b = b
  }

  get pairId(): string {
    return this.#pair.pairId
  }

  get topic(): string {
    return topicOfMarket(this.a.market)
  }

  get category(): string | null {
    return this.a.market.category ?? this.b.market.category
  }

  get verdict(): Pair['verdict'] {
    return this.#pair.verdict
  }

  get reasons(): string[] {
    return this.#pair.reasons
  }
}

/**
 * A market of B past its closing time is not traded any more, whatever its last page said (VEN-11); the end dates
 * of venue A are no such promise.
 */
export function isTrading({ market, quote }: Listed, nowMs: number): boolean {
  return quote.venue === 'a' || market.closeMs === null || market.closeMs > nowMs
}
