import type { Market } from '../../ingest/contract/market.ts'
import type { Quote } from '../../ingest/contract/quote.ts'
import { roundTo } from '../../ops/units.ts'
import type { GapRow, Leg } from '../contract/gaps.ts'
import { titleOfMarket, topicOfMarket } from './boards/marketWords.ts'
import { swapSides, type Top } from './book.ts'
import { closesApartMs, isExecutable } from './executable.ts'
import { cheaperVenue, gapCents } from './gap.ts'
import { midBps } from './mid.ts'
import { netCents } from './net.ts'
import type { Pair } from './pairing/pairer.ts'

/** A market with its newest quote; a new object whenever one of the two changes. */
export type Listed = { readonly market: Market; readonly quote: Quote }

/**
 * A pair with a mid on both sides: what its rank and its row depend on. The row itself is made where it is published.
 */
export type Gap = { pair: Pair; a: Listed; b: Listed; gapCents: number; executable: boolean }

/** Null while a leg has no mid. Differences word the question as venue A does. */
export function gapOf(pair: Pair, a: Listed, b: Listed, fresh: { a: boolean; b: boolean }): Gap | null {
  const bookB = bookOfB(pair, b)
  const cents = gapCents(midBps(a.quote), midBps(bookB))
  if (cents === null) return null
  const apart = closesApartMs(a.market.closeMs, b.market.closeMs)
  const executable = isExecutable({ a: a.quote, b: bookB, closesApartMs: apart, fresh })
  return { pair, a, b, gapCents: cents, executable }
}

/** One row of the board. */
export function gapRow({ pair, a, b, gapCents, executable }: Gap): GapRow {
  const bookB = bookOfB(pair, b)
  return {
    pairId: pair.pairId,
    topic: topicOfMarket(a.market),
    category: a.market.category ?? b.market.category,
    verdict: pair.verdict,
    reasons: pair.reasons,
    gapCents,
    netCents: netCents(a.quote, bookB),
    cheaperVenue: cheaperVenue(midBps(a.quote), midBps(bookB)),
    closesApartMs: closesApartMs(a.market.closeMs, b.market.closeMs),
    executable,
    a: legOf(a),
    b: legOf(b),
  }
}

const bookOfB = ({ verdict }: Pair, { quote }: Listed): Top =>
  verdict === 'inverted' ? swapSides(quote) : quote

/** One venue's side of a pair, with the venue's own prices. */
export function legOf({ market, quote }: Listed): Leg {
  return {
    marketId: market.marketId,
    title: titleOfMarket(market),
    slug: market.slug,
    url: market.url,
    bidBps: quote.bidBps,
    askBps: quote.askBps,
    bidSize: quote.bidSize,
    askSize: quote.askSize,
    midBps: midBps(quote),
    volume24h: roundTo(quote.volume24h, 2),
    closeMs: market.closeMs,
    venueMs: quote.venueMs,
    seenMs: quote.seenMs,
  }
}
