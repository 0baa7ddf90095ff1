import type { Venue } from '../contract/market.ts'
import type { Book } from '../contract/quote.ts'
import { askBps, bidBps, microOfText } from './price.ts'

/** Price in millionths of a dollar, size in shares or contracts. */
export type MicroLevel = [micro: number, size: number]
type Level = [bps: number, size: number]

const MAX_LEVELS = 200

/** @returns null when either text is no number of the documented range; a size of 0 is allowed and later left out. */
export function microLevel(price: string, size: string): MicroLevel | null {
  const micro = microOf(price)
  if (typeof micro !== 'number' || !/^\d{1,15}(?:\.\d{1,12})?$/.test(size)) return null
  return [micro, Number(size)]
}

/** Prices repeat: a venue has some thousand of them, and a round of books has a hundred thousand levels. */
const known = new Map<string, ReturnType<typeof microOfText>>()
const MOST_KNOWN = 20_000 //  all four-digit prices; when full, it is cleared
const LONGEST_KNOWN = 12

function microOf(price: string): ReturnType<typeof microOfText> {
  let micro = known.get(price)
  if (micro === undefined) {
    micro = microOfText(price)
    if (known.size >= MOST_KNOWN) known.clear()
    if (price.length <= LONGEST_KNOWN) known.set(price, micro)
  }
  return micro
}

/**
 * Levels in any order → a book, best first, equal prices added up, the best 200 of each side. One unreadable
 * level spoils the book: its depth would be wrong. @returns null for that and for a crossed or touching book.
 */
export function bookOf({
  venue,
  marketId,
  bids,
  asks,
  venueMs,
  seenMs,
}: {
  venue: Venue
  marketId: string
  bids: (MicroLevel | null)[]
  asks: (MicroLevel | null)[]
  venueMs: number | null
  seenMs: number
}): Book | null {
  const bidLevels = side(bids, bidBps)
  const askLevels = side(asks, askBps)
  if (bidLevels === null || askLevels === null) return null
  bidLevels.sort((left, right) => right[0] - left[0])
  askLevels.sort((left, right) => left[0] - right[0])
  const bestBid = bidLevels[0]
  const bestAsk = askLevels[0]
  if (bestBid !== undefined && bestAsk !== undefined && bestBid[0] >= bestAsk[0]) return null
  return {
    venue,
    marketId,
    bids: bidLevels.slice(0, MAX_LEVELS),
    asks: askLevels.slice(0, MAX_LEVELS),
    venueMs,
    seenMs,
  }
}

function side(levels: (MicroLevel | null)[], toBps: (micro: number) => number | null): Level[] | null {
  const sizes = new Map<number, number>()
  for (const level of levels) {
    if (level === null) return null
    const bps = toBps(level[0])
    if (bps !== null && level[1] > 0) sizes.set(bps, (sizes.get(bps) ?? 0) + level[1])
  }
  return [...sizes]
}
