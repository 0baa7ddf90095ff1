import { BPS_PER_DOLLAR, roundTo } from '../../../ops/units.ts'
import type { Quote } from '../../contract/quote.ts'
import type { Drop } from '../drop.ts'
import { askBps, bidBps, lastBps, microOfNumber } from '../price.ts'
import { dropOf } from '../refusal.ts'
import type { Refused } from '../venue.ts'
import { FiguresA } from './wire.ts'

const WORDS: Readonly<Record<string, Drop>> = {
  bestBid: 'bad_price',
  bestAsk: 'bad_price',
  lastTradePrice: 'bad_price',
  oneHourPriceChange: 'bad_change',
  oneDayPriceChange: 'bad_change',
  oneWeekPriceChange: 'bad_change',
  outcomePrices: 'bad_price',
  volume24hr: 'bad_volume',
}

/** Figures of one market → quote. What the venue leaves out is 0: no bid, no ask, never traded, no change. */
export function mapQuoteA(
  raw: unknown,
  marketId: string,
  venueMs: number | null,
  seenMs: number,
): Quote | Refused {
  const parsed = FiguresA.safeParse(raw)
  if (!parsed.success) return { drop: dropOf(parsed.error, WORDS) }
  const wire = parsed.data
  const bid = microOfNumber(wire.bestBid ?? 0)
  const ask = microOfNumber(wire.bestAsk ?? 0)
  const last = microOfNumber(wire.lastTradePrice ?? 0)
  if (bid === null || ask === null || last === null) return { drop: 'price_too_fine' }
  if (!makeDollar(wire.outcomePrices)) return { drop: 'bad_price' }
  return {
    venue: 'a',
    marketId,
    bidBps: bidBps(bid),
    askBps: askBps(ask),
    bidSize: null, //  the listing states no sizes
    askSize: null,
    lastBps: lastBps(last),
    previousBps: null,
    changeHourBps: changeBps(wire.oneHourPriceChange),
    changeDayBps: changeBps(wire.oneDayPriceChange),
    changeWeekBps: changeBps(wire.oneWeekPriceChange),
    volume24h: wire.volume24hr ?? 0,
    venueMs,
    seenMs,
  }
}

const PRICES = /^\["(\d(?:\.\d+)?)", ?"(\d(?:\.\d+)?)"\]$/
/** Tolerance: each of the two prices is rounded by itself. */
const OFF_DOLLARS = 0.001

/**
 * Do the prices of yes and no add up to a dollar (VEN-06)? Both 0 means a market without a price; a text of another
 * form is not judged.
 */
function makeDollar(prices: string | null | undefined): boolean {
  const match = prices == null ? null : PRICES.exec(prices)
  const dollars = match === null ? 1 : Number(match[1]) + Number(match[2])
  //  without the noise of a binary float: 0.544 and 0.457 are off by 0.001 and not by a little more
  return dollars === 0 || roundTo(Math.abs(dollars - 1), 12) <= OFF_DOLLARS
}

const changeBps = (dollars: number | undefined): number => roundTo((dollars ?? 0) * BPS_PER_DOLLAR, 0)
