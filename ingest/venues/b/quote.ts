import { parseScaled } from '../../../ops/units.ts'
import type { Quote } from '../../contract/quote.ts'
import type { Drop } from '../drop.ts'
import { askBps, bidBps, isMirrored, lastBps, microOfText } from '../price.ts'
import { dropOf } from '../refusal.ts'
import type { Refused } from '../venue.ts'
import { FiguresB } from './wire.ts'

const WORDS: Readonly<Record<string, Drop>> = {
  yes_bid_dollars: 'bad_price',
  yes_ask_dollars: 'bad_price',
  no_bid_dollars: 'bad_price',
  no_ask_dollars: 'bad_price',
  last_price_dollars: 'bad_price',
  previous_price_dollars: 'bad_price',
  yes_bid_size_fp: 'bad_size',
  yes_ask_size_fp: 'bad_size',
  volume_24h_fp: 'bad_volume',
}

/** Maps the figures of one market to a quote. */
export function mapQuoteB(raw: unknown, marketId: string, seenMs: number): Quote | Refused {
  const parsed = FiguresB.safeParse(raw)
  if (!parsed.success) return { drop: dropOf(parsed.error, WORDS) }
  const wire = parsed.data
  const bid = microOfText(wire.yes_bid_dollars)
  const ask = microOfText(wire.yes_ask_dollars)
  const last = microOfText(wire.last_price_dollars)
  const previous = microOfText(wire.previous_price_dollars ?? '0')
  if (
    typeof bid === 'string' ||
    typeof ask === 'string' ||
    typeof last === 'string' ||
    typeof previous === 'string'
  )
    return { drop: [bid, ask, last, previous].includes('range') ? 'bad_price' : 'price_too_fine' }
  const bidSize = countOf(wire.yes_bid_size_fp)
  const askSize = countOf(wire.yes_ask_size_fp)
  if (bidSize === undefined || askSize === undefined) return { drop: 'bad_size' }
  const volume24h = countOf(wire.volume_24h_fp)
  if (volume24h == null) return { drop: 'bad_volume' }
  //  stated sizes decide whether a side exists: an empty ask reads 1.0000 or 0.0000
  const bidPrice = bidSize === 0 ? null : bidBps(bid)
  const askPrice = askSize === 0 ? null : askBps(ask)
  //  the no side says the same two orders a second time: a row that contradicts itself has no price
  const isSound =
    (bidPrice === null || isMirrored(bid, wire.no_ask_dollars)) &&
    (askPrice === null || isMirrored(ask, wire.no_bid_dollars))
  if (!isSound) return { drop: 'bad_price' }
  return {
    venue: 'b',
    marketId,
    bidBps: bidPrice,
    askBps: askPrice,
    bidSize: bidPrice === null ? null : bidSize,
    askSize: askPrice === null ? null : askSize,
    lastBps: lastBps(last),
    previousBps: lastBps(previous), // 0.0000: no trade older than a day
    changeHourBps: null,
    changeDayBps: null,
    changeWeekBps: null,
    volume24h,
    venueMs: null,
    seenMs,
  }
}

/** Contracts with two decimals. @returns null when not stated, undefined when unreadable. */
function countOf(text: string | undefined): number | null | undefined {
  if (text === undefined) return null
  const hundredths = parseScaled(text, 2)
  return hundredths === null || hundredths < 0 ? undefined : hundredths / 100
}
