import { parseScaled } from '../../../units.ts'
import { type Grid, type Levels, levels } from '../book.ts'
import { mix, mixText } from '../generator/dice.ts'
import type { Recorded } from './recording.ts'

/** A recorded price, number or text, in bps; null when there is none or it is no price of an order. */
function priceOf(value: unknown): number | null {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value : ''
  const bps = parseScaled(text, 4) ?? Math.round(Number(text || Number.NaN) * 10_000)
  return Number.isFinite(bps) && bps > 0 && bps < 10_000 ? bps : null
}

/** A recorded count in hundredths; null when the recording has none. */
const countOf = (value: unknown): number | null => (typeof value === 'string' ? parseScaled(value, 2) : null)

const madeUpSize = (id: string, salt: number) => 1_000 + (mix(mixText(0, id), salt) % 50_000)

/** One or two levels a side that agree with the recorded best prices: recordings carry no books. */
function around(
  id: string,
  bid: number | null,
  ask: number | null,
  sizes: [number, number],
  grid: Grid,
): Levels {
  const key = mixText(1, id)
  return levels({ bid, ask, bidSize: sizes[0], askSize: sizes[1] }, grid, key, 1 + (key % 2))
}

/** @returns null when the market has neither bid nor ask, or is closed: the venue knows no book then. */
export function bookOfA(market: Recorded): Levels | null {
  const bid = priceOf(market.bestBid)
  const ask = priceOf(market.bestAsk)
  if ((bid === null && ask === null) || market.closed === true) return null
  const id = String(market.id)
  return around(id, bid, ask, [madeUpSize(id, 1), madeUpSize(id, 2)], gridOfA(market))
}

export const gridOfA = (market: Recorded): Grid =>
  typeof market.orderPriceMinTickSize === 'number' && market.orderPriceMinTickSize < 0.01 ? 'deci' : 'cent'

/** Statuses with orders in the book: a paused book keeps them. */
const WITH_ORDERS: readonly unknown[] = ['active', 'inactive']

/** Empty sides where the market has no quote, or is over. */
export function bookOfB(market: Recorded): Levels {
  if (!WITH_ORDERS.includes(market.status)) return { bids: [], asks: [] }
  const id = String(market.ticker)
  const bidSize = countOf(market.yes_bid_size_fp)
  const askSize = countOf(market.yes_ask_size_fp)
  const bid = bidSize === 0 ? null : priceOf(market.yes_bid_dollars)
  const ask = askSize === 0 ? null : priceOf(market.yes_ask_dollars)
  const sizes: [number, number] = [bidSize ?? madeUpSize(id, 1), askSize ?? madeUpSize(id, 2)]
  return around(id, bid, ask, sizes, gridOfB(market, bid, ask))
}

function gridOfB({ price_ranges: ranges }: Recorded, bid: number | null, ask: number | null): Grid {
  if (!Array.isArray(ranges)) return (bid ?? 0) % 100 === 0 && (ask ?? 0) % 100 === 0 ? 'cent' : 'deci'
  if (ranges.length > 1) return 'tapered'
  return ranges[0]?.step === '0.0100' ? 'cent' : 'deci'
}
