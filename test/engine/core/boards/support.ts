import type { EdgeRow } from '../../../../engine/contract/edges.ts'
import type { FeedCard } from '../../../../engine/contract/feed.ts'
import type { GapCard, GapLife } from '../../../../engine/contract/gapCards.ts'
import type { NetRow } from '../../../../engine/contract/nets.ts'
import { type Assessed, assess } from '../../../../engine/core/boards/assess.ts'
import type { Books } from '../../../../engine/core/boards/depth.ts'
import { createEdgeRows, edgeRow } from '../../../../engine/core/boards/edges.ts'
import { CardSketch, createCards } from '../../../../engine/core/boards/gapCards.ts'
import type { At, LivePair } from '../../../../engine/core/boards/livePair.ts'
import { netRow } from '../../../../engine/core/boards/nets.ts'
import { isNet, type Priced, price } from '../../../../engine/core/boards/priced.ts'
import type { Known } from '../../../../engine/core/boards/riskFlags.ts'
import type { FeeTerms, Market } from '../../../../ingest/contract/market.ts'
import type { Book, Quote } from '../../../../ingest/contract/quote.ts'
import { DAY } from '../../../../ops/units.ts'
import { marketA, marketB, quote } from '../../support/markets.ts'

/** A Saturday after the last change of the fee table. */
export const NOW_MS = Date.UTC(2026, 10, 21)
export const FRESH: At = { nowMs: NOW_MS, fresh: { a: true, b: true } }

export const feesA = (rate: number, rest: Partial<FeeTerms> = {}): FeeTerms => ({
  rate,
  exponent: 1,
  rounding: 'a_five_decimals',
  flagged: false,
  ...rest,
})
export const feesB = (multiplier = 1, rest: Partial<FeeTerms> = {}): FeeTerms => ({
  rate: 0.07 * multiplier,
  exponent: 1,
  rounding: 'b_cent_up',
  flagged: false,
  ...rest,
})

export type Change = {
  id?: string
  verdict?: LivePair['verdict']
  a?: Partial<Quote>
  b?: Partial<Quote>
  marketA?: Partial<Market>
  marketB?: Partial<Market>
}

/** A pair without a fault: A 0.40/0.41, B 0.45/0.46, closing in ten days, rules known, traded, no fees. */
export function somePair({
  id = '1',
  verdict = 'identity',
  a,
  b,
  marketA: textA,
  marketB: textB,
}: Change = {}): LivePair {
  const common = { rules: 'Resolves to yes if it happens.', closeMs: NOW_MS + 10 * DAY }
  const [idA, idB] = [`A${id}`, `KXB-${id}`]
  return {
    pairId: `a:${idA}|b:${idB}`,
    topic: `Topic ${id}`,
    category: 'Economics',
    verdict,
    reasons: ['same_words'],
    a: {
      market: marketA(idA, `Title ${id}`, { ...common, ...textA }),
      quote: quote('a', idA, 4_000, 4_100, a),
    },
    b: {
      market: marketB(idB, `Title ${id}`, { ...common, ...textB }),
      quote: quote('b', idB, 4_500, 4_600, b),
    },
  }
}

export function someBook(
  venue: 'a' | 'b',
  bids: Book['bids'],
  asks: Book['asks'],
  rest: Partial<Book> = {},
): Book {
  return { venue, marketId: 'M', bids, asks, venueMs: null, seenMs: NOW_MS, ...rest }
}

/** Books of `somePair`, deep enough for 1,000 USD at the top. */
export const DEEP = {
  a: someBook('a', [[4_000, 10_000]], [[4_100, 10_000]]),
  b: someBook('b', [[4_500, 10_000]], [[4_600, 10_000]]),
}
export const NO_BOOKS = { a: null, b: null }

type Around = { books?: Books; life?: Known['life']; at?: At }

/** What is decided about a pair; null where it has no net. */
export function assessed(
  change: Change = {},
  { books = DEEP, life = null, at = FRESH }: Around = {},
): Assessed | null {
  return assess(price(somePair(change), at), books, life, at)
}

/** The net row of a pair; null where it has no net. */
export const rowOf = (priced: Priced): NetRow | null => (isNet(priced) ? netRow(priced) : null)

/** The edge row of a pair. */
export function someEdge(change: Change = {}, around: Around = {}): EdgeRow | null {
  const decided = assessed(change, around)
  return decided === null ? null : edgeRow(decided, around.at?.nowMs ?? NOW_MS)
}

/** The sketch of a pair's card. */
export function someSketch(change: Change = {}, life: GapLife | null = null): CardSketch {
  return new CardSketch(assessed(change)!, life)
}

/** The card of a sketch whose gap has this life. */
export const cardOf = (sketch: CardSketch, life: GapLife | null = null): GapCard =>
  createCards(createEdgeRows(), () => life)(sketch, NOW_MS).value.card

/** The card of a pair. */
export const someCard = (change: Change = {}, life: GapLife | null = null): GapCard =>
  cardOf(someSketch(change, life), life)

/** The card of a pair as the feed tells it. */
export const toldCard = (change: Change = {}, life: GapLife | null = null): FeedCard => ({
  ...someCard(change, life),
  schema: 'feedCard.v1',
  toldMs: NOW_MS,
})
