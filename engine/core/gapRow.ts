import type { Market } from '../../ingest/contract/market.ts'
import type { Quote } from '../../ingest/contract/quote.ts'
import type { GapRow, Leg } from '../contract/gaps.ts'
import { titleOfMarket, topicOfMarket } from './boards/marketWords.ts'
import { swapSides } from './book.ts'
import { closesApartMs, isExecutable } from './executable.ts'
import { cheaperVenue, gapCents } from './gap.ts'
import { midBps } from './mid.ts'
import { netCents } from './net.ts'
import type { Pair } from './pairing/pairer.ts'

/** A market with its newest quote; another object whenever one of the two is. */
export type Listed = {
  readonly market: Market
  readonly quote: Quote
  leg?: Leg | undefined //  its side of the rows it is in, made for the first of them
}

/** One row of the board, or null while a leg has no mid. Differences word the question as venue A does. */
export function gapRow(pair: Pair, a: Listed, b: Listed, fresh: { a: boolean; b: boolean }): GapRow | null {
  const bookB = pair.verdict === 'inverted' ? swapSides(b.quote) : b.quote
  const [midA, midB] = [midBps(a.quote), midBps(bookB)]
  const gap = gapCents(midA, midB)
  if (gap === null) return null
  const apart = closesApartMs(a.market.closeMs, b.market.closeMs)
  return {
    pairId: pair.pairId,
    topic: topicOfMarket(a.market),
    category: a.market.category ?? b.market.category,
    verdict: pair.verdict,
    reasons: pair.reasons,
    gapCents: gap,
    netCents: netCents(a.quote, bookB),
    cheaperVenue: cheaperVenue(midA, midB),
    closesApartMs: apart,
    executable: isExecutable({ a: a.quote, b: bookB, closesApartMs: apart, fresh }),
    a: legOf(a),
    b: legOf(b),
  }
}

/** One venue's side of a pair, with the venue's own prices. The same object for all rows. */
export function legOf(listed: Listed): Leg {
  listed.leg ??= makeLeg(listed)
  return listed.leg
}

function makeLeg({ market, quote }: Listed): Leg {
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
    volume24h: quote.volume24h,
    closeMs: market.closeMs,
    venueMs: quote.venueMs,
    seenMs: quote.seenMs,
  }
}
