import type { Book } from '../../../ingest/contract/quote.ts'
import { isAhead } from '../../../ops/clock.ts'
import { MINUTE } from '../../../ops/units.ts'
import type { SizedEdge } from '../../contract/edges.ts'
import { isCrossed } from '../book.ts'
import type { Direction } from './direction.ts'
import type { FeeTable } from './feeTable.ts'
import type { At, LivePair } from './livePair.ts'
import { SIZES_USD, sizedEdge } from './sizedEdge.ts'
import { swapBook } from './walk.ts'

/** Newest books of a pair's markets, as each venue states them. */
export type Books = { a: Book | null; b: Book | null }

/**
 * Books are stated again every 15 seconds (WANTED_BOOKS_AGAIN_MS); one older than this says nothing about the present.
 */
export const DEPTH_MAX_AGE_MS = 1 * MINUTE

export type Depth = { bySize: SizedEdge[]; seenMs: number; contractsAtTop: number }

/**
 * The trade in one direction, walked at every size. Null when a book is unknown, too old, crossed, or has no levels on
 * the side that is needed.
 */
export function walkDepth(
  pair: LivePair,
  direction: Direction,
  books: Books,
  table: FeeTable,
  at: At,
): Depth | null {
  if (!isUsable(books.a, at) || !isUsable(books.b, at)) return null
  const legs = {
    a: { book: books.a, fees: pair.a.market.fees },
    b: { book: pair.verdict === 'inverted' ? swapBook(books.b) : books.b, fees: pair.b.market.fees },
  }
  const [buy, sell] = [legs[direction.buyVenue], legs[direction.sellVenue]]
  const [ask, bid] = [buy.book.asks[0], sell.book.bids[0]]
  if (ask === undefined || bid === undefined) return null
  return {
    bySize: SIZES_USD.map((usd) => sizedEdge(usd, buy, sell, table)),
    seenMs: Math.min(books.a.seenMs, books.b.seenMs),
    contractsAtTop: Math.min(ask[1], bid[1]),
  }
}

function isUsable(book: Book | null, { nowMs }: At): book is Book {
  if (book === null || nowMs - book.seenMs > DEPTH_MAX_AGE_MS || isAhead(book.seenMs, nowMs)) return false
  const [bid, ask] = [book.bids[0], book.asks[0]]
  const top = { bidBps: bid?.[0] ?? null, askBps: ask?.[0] ?? null, bidSize: null, askSize: null }
  return !isCrossed(top)
}
