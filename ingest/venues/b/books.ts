import type { Book } from '../../contract/quote.ts'
import { bookOf, type MicroLevel, microLevel } from '../levels.ts'
import { MICRO_PER_DOLLAR } from '../price.ts'
import { BookB } from './wire.ts'

/**
 * Venue B shows bids of both sides: a no bid at p is a yes ask at 1 − p of the same size.
 * @returns null when it is unreadable, crossed, or of a market we did not ask for.
 */
export function mapBookB(raw: unknown, wanted: ReadonlySet<string>, seenMs: number): Book | null {
  const parsed = BookB.safeParse(raw)
  if (!parsed.success || !wanted.has(parsed.data.ticker)) return null
  const { yes_dollars: yes, no_dollars: no } = parsed.data.orderbook_fp
  const asks = (no ?? []).map(([price, count]): MicroLevel | null => {
    const level = microLevel(price, count)
    return level === null ? null : [MICRO_PER_DOLLAR - level[0], level[1]]
  })
  return bookOf({
    venue: 'b',
    marketId: parsed.data.ticker,
    bids: (yes ?? []).map(([price, count]) => microLevel(price, count)),
    asks,
    venueMs: null,
    seenMs,
  })
}
