import { z } from 'zod'

/** One liquid market with its top of book (spec 4.1 rule 6). Not a matched pair. */
export const BookRow = z.object({
  venue: z.enum(['a', 'b']),
  marketId: z.string(),
  topic: z.string(),
  url: z.string(),
  bidBps: z.int().nullable(),
  askBps: z.int().nullable(),
  bidSize: z.number().nullable(),
  askSize: z.number().nullable(),
  volume24h: z.number(),
  volumeUnit: z.enum(['usd', 'contracts']), // never added or compared across venues
  venueMs: z.int().nullable(), // the venue's clock; null when it gives none
  seenMs: z.int(),
})
export type BookRow = z.infer<typeof BookRow>

/** Board `book`: the markets with the highest 24 h volume of each venue, highest first, at most BOOK_MAX of each. Untraded ones are left out. */
export const BookBoard = z.object({ a: z.array(BookRow), b: z.array(BookRow) })
export type BookBoard = z.infer<typeof BookBoard>

export const BOOK = 'book'
export const BOOK_MAX = 500
