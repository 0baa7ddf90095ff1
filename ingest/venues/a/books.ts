import type { Book } from '../../contract/quote.ts'
import { bookOf, type MicroLevel, microLevel } from '../levels.ts'
import { parseEpochMs } from '../time.ts'
import { BookA } from './wire.ts'

/**
 * One answer of venue A's order books. Order of the levels is not relied on (the documentation shows both),
 * nor order and completeness of the list. @returns null when it is unreadable or crossed.
 */
export function mapBookA(
  raw: unknown,
  marketIdOf: (token: string) => string | null,
  seenMs: number,
): Book | null {
  const parsed = BookA.safeParse(raw)
  if (!parsed.success) return null
  const marketId = marketIdOf(parsed.data.asset_id)
  if (marketId === null) return null
  const levels = (side: BookA['bids']): (MicroLevel | null)[] =>
    side.map((level) => microLevel(level.price, level.size))
  return bookOf({
    venue: 'a',
    marketId,
    bids: levels(parsed.data.bids),
    asks: levels(parsed.data.asks),
    venueMs: parseEpochMs(parsed.data.timestamp),
    seenMs,
  })
}
