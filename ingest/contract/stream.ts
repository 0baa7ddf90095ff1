import { z } from 'zod'
import { Market, UnixMs, Venue } from './market.ts'
import { Book, Quote } from './quote.ts'

/**
 * The quote stream: one Redis stream, one entry a batch, field `batch` holding JSON of `Batch`.
 * A batch comes from one page of one sweep and holds only what changed since the newest state.
 */
export const QUOTE_STREAM = 'ingest:quotes'

/**
 * Newest state of every open market: two hashes, field = marketId, values JSON `Market` and JSON `Quote`. They are
 * separate because a price moves a thousand times as often as a text. Both are changed in one step with the stream, so
 * that stream position + hashes is a complete warm start.
 */
export const latestMarketsKey = (venue: Venue): string => `ingest:latest-markets:${venue}`
export const latestQuotesKey = (venue: Venue): string => `ingest:latest-quotes:${venue}`

/**
 * Newest complete sweep of each venue: hash, field = venue, value = JSON `Sweep`. A warm start reads from it how fresh
 * the newest state is; incomplete sweeps are only in the stream.
 */
export const SWEEP_KEY = 'ingest:sweeps'

/** One pass over all open markets of a venue. Freshness is judged by it: unchanged quotes are not sent again. */
export const Sweep = z.object({
  venue: Venue,
  sweepId: z.int().nonnegative(), //  rises by one per venue, never back
  startedMs: UnixMs, //  market clock; every quote of the venue is at least this fresh once it is complete
  finishedMs: UnixMs,
  changedMs: UnixMs, //  when the venue's content last differed from the sweep before, market clock
  complete: z.boolean(), // false: a page was missing or the cursor stood still; freshness does not advance
  markets: z.int().nonnegative(), // open markets seen
  pages: z.int().nonnegative(),
  dropped: z.record(z.string(), z.int().nonnegative()), // rows refused, by reason
  problem: z.string().max(40).optional(), // why it is not complete, a word of poll/judge.ts
})
export type Sweep = z.infer<typeof Sweep>

export const Batch = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('changes'),
    venue: Venue,
    markets: z.array(Market), //   new, or text or terms changed
    quotes: z.array(Quote), //     new, or any figure changed
    closed: z.array(z.string()), // ids gone from a complete sweep, or no longer tradable
  }),
  z.object({ kind: z.literal('books'), venue: Venue, books: z.array(Book) }),
  z.object({ kind: z.literal('sweep'), venue: Venue, sweep: Sweep }),
])
export type Batch = z.infer<typeof Batch>

/**
 * Markets whose order books are wanted: a set, written by engine, read by ingest before each round of books.
 * More than WANTED_BOOKS_MAX members a venue are not polled. A book is in the stream when it changed, and again
 * after WANTED_BOOKS_AGAIN_MS unchanged, so that its `seenMs` stays a statement about now.
 */
export const WANTED_BOOKS_KEY = 'ingest:wanted-books'
export const WANTED_BOOKS_MAX = 2_000
export const WANTED_BOOKS_AGAIN_MS = 15_000

/** `a:<marketId>|<tokenId>` or `b:<ticker>`; null when the market has no book to ask for. */
export function wantedBook(market: Pick<Market, 'venue' | 'marketId' | 'tokenId'>): string | null {
  if (market.venue === 'b') return `b:${market.marketId}`
  return market.tokenId === null ? null : `a:${market.marketId}|${market.tokenId}`
}
