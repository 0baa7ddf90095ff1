import { z } from 'zod'
import { UnixMs, Venue } from './market.ts'

/** Integer basis points of a dollar: 1 = 0.0001. 0 is a price, null is no price. */
export const PriceBps = z.int().min(0).max(10_000)

const ChangeBps = z.int().min(-10_000).max(10_000)

/**
 * Top of book for the yes side of one market as the venue stated it, with the figures that move with it.
 * Written by ingest to the quote stream and table `quotes` (append-only), read by engine.
 */
export const Quote = z.object({
  venue: Venue,
  marketId: z.string().min(1).max(200),
  bidBps: PriceBps.nullable(), //   null: no bid
  askBps: PriceBps.nullable(), //   null: no ask
  bidSize: z.number().nonnegative().nullable(), // shares or contracts at the top; null: not stated
  askSize: z.number().nonnegative().nullable(),
  lastBps: PriceBps.nullable(), //  last trade; null: never traded
  previousBps: PriceBps.nullable(), // b: last trade a day ago; null: none. a: null
  changeHourBps: ChangeBps.nullable(), // a: the venue's own change of the yes price; b: null
  changeDayBps: ChangeBps.nullable(),
  changeWeekBps: ChangeBps.nullable(),
  volume24h: z.number().nonnegative(), // a: US dollars; b: contracts. Never add the two
  venueMs: UnixMs.nullable(), //    the venue's clock; null when it gives none
  seenMs: UnixMs, //                our market clock when the page arrived
})
export type Quote = z.infer<typeof Quote>

/** One level: price in bps, size in shares or contracts. */
export const Level = z.tuple([PriceBps, z.number().positive()])

/** Depth of the yes side, best level first on both sides. */
export const Book = z.object({
  venue: Venue,
  marketId: z.string().min(1).max(200),
  bids: z.array(Level).max(200), //  descending
  asks: z.array(Level).max(200), //  ascending
  venueMs: UnixMs.nullable(),
  seenMs: UnixMs,
})
export type Book = z.infer<typeof Book>
