import { z } from 'zod'

/** One venue's side of a pair. Prices are the venue's own yes prices, in basis points of a dollar. */
export const Leg = z.object({
  marketId: z.string(), //         a: venue id; b: ticker
  title: z.string(),
  slug: z.string().nullable(), //  a: event slug
  url: z.string(),
  bidBps: z.int().nullable(),
  askBps: z.int().nullable(),
  bidSize: z.number().nullable(),
  askSize: z.number().nullable(),
  midBps: z.number().nullable(), // (bid + ask) / 2, so halves occur; null: side missing or crossed
  volume24h: z.number(), //        a: USD; b: contracts; two decimals
  closeMs: z.int().nullable(),
  venueMs: z.int().nullable(),
  seenMs: z.int(),
})
export type Leg = z.infer<typeof Leg>

/**
 * The same question on both venues. When `verdict` is inverted, a yes on A is a no on B: B's leg still
 * shows B's own prices and every difference below is computed with B's sides swapped.
 */
export const GapRow = z.object({
  pairId: z.string(), //            `a:<id>|b:<ticker>`
  topic: z.string(),
  category: z.string().nullable(),
  verdict: z.enum(['identity', 'inverted']),
  reasons: z.array(z.string()), //  why the pair was accepted, closed set of codes
  gapCents: z.number(), //          |midA − midB|, two decimals
  netCents: z.number().nullable(), // best of both directions of (bid of the dearer − ask of the cheaper); may be negative
  cheaperVenue: z.enum(['a', 'b']).nullable(), // by mid of the question as A words it; null when equal
  closesApartMs: z.int().nonnegative().nullable(),
  executable: z.boolean(),
  a: Leg,
  b: Leg,
})
export type GapRow = z.infer<typeof GapRow>

/** Board `gaps`: all live pairs with a mid on both sides, largest gap first. */
export const GapsBoard = z.object({
  rows: z.array(GapRow),
  markets: z.object({ a: z.int(), b: z.int() }), // open markets known
  pairs: z.int(), //                 accepted pairs, quoted or not
  refused: z.record(z.string(), z.int()), // proposals refused, by first reason
})
export type GapsBoard = z.infer<typeof GapsBoard>

export const GAPS = 'gaps'
