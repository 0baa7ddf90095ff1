import type { Market, Venue } from '../contract/market.ts'
import type { Book, Quote } from '../contract/quote.ts'
import type { EventCache, Piece, SeenEvent } from '../poll/eventCache.ts'
import type { Drop } from './drop.ts'

export type Refused = { drop: Drop }

/**
 * One market as it is on a page, read only as far as needed to see whether it changed. Equal `figures` make equal
 * quotes, except for the clocks; equal `text` makes equal markets.
 */
export type RawRow = {
  marketId: string //           '' when the page gives no usable one
  drop: Drop | null //          refused already; it is not mapped then
  figures: number //            digests, see text.ts
  text: number
  venueMs: number | null
  quote(seenMs: number): Quote | Refused
  market(): Market | Refused
}

/** The part of a market that moves: its figures and the venue's clock. */
export type Moving = Pick<RawRow, 'marketId' | 'figures' | 'venueMs' | 'quote'>

/**
 * Every row is made here: rows made in several places, and refused ones, would have different hidden classes, so that
 * the code reading them was recompiled on every other page, a fourth of the cost of a sweep.
 */
export const rowOf = (
  { marketId, figures, venueMs, quote }: Moving,
  { drop, text, market }: Pick<RawRow, 'drop' | 'text' | 'market'>,
): RawRow => ({ marketId, drop, figures, text, venueMs, quote, market })

/** A row that is refused without being mapped. */
export const refusedRow = (marketId: string, drop: Drop): RawRow =>
  rowOf(
    { marketId, figures: 0, venueMs: null, quote: () => ({ drop }) },
    { drop, text: 0, market: () => ({ drop }) },
  )

/** One event that was parsed, with its bytes on the page as a checksum and a length. */
export type ReadEvent = {
  id: string //                 '' when the page gives no usable one
  rows: RawRow[] //             markets that were parsed …
  sizes: Size[] | null //       … their bytes; null: they are not recognised one by one
  kept: Kept[] //               … and those whose bytes are what they were
  text: number //               digest of what the event says about all its markets
  untilMs: number | null //     market clock: its bytes mean something else then; null: never, 0: not even now
} & Size

/** `terms`: digest of its bytes without what moves, see scan.ts; 0: not known. Both digests are whole numbers of 32 bits. */
export type Size = { crc: number; length: number; terms: number }

/** A market whose bytes and event are what they were, and its place among the event's markets. */
export type Kept = { at: number; piece: Piece }

export type Page = {
  bytes: number //              its size
  events: (ReadEvent | SeenEvent)[] // in the page's order; seen: its bytes are what they were when it was parsed
  next: string | null //        null: this was the last page
}

export const isRead = (event: ReadEvent | SeenEvent): event is ReadEvent => 'rows' in event

/** A market whose depth is wanted. `token` is what venue A's books are asked by. */
export type WantedBook = { marketId: string; token: string }
export type BookPage = { books: Book[]; dropped: number }

/**
 * What a venue must give. Adding a venue is filling this in: wire.ts the raw shapes, map.ts raw → contract
 * (pure), client.ts HTTP within the venue's documented limits.
 */
export type VenuePort = {
  readonly venue: Venue
  /**
   * Before each sweep: slow-changing tables that mapping needs. Never throws: what is missing is guessed and flagged.
   * @param nowMs market clock, for what changes at an instant that was announced.
   * @returns true when they changed, so that unchanged bytes may mean something else now.
   */
  prepare(nowMs: number, signal: AbortSignal): Promise<boolean>
  /** One page of all open markets. @param nowMs market clock, for terms that begin or end by time. */
  page(cursor: string | null, nowMs: number, cache: EventCache, signal: AbortSignal): Promise<Page>
  /** Most books one read may ask for. */
  readonly booksPerRead: number
  books(wanted: WantedBook[], seenMs: () => number, signal: AbortSignal): Promise<BookPage>
}
