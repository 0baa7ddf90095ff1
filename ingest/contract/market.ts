import { z } from 'zod'

export const Venue = z.enum(['a', 'b'])
export type Venue = z.infer<typeof Venue>

export const UnixMs = z.int().nonnegative()

/** Threshold of a market as the venue states it in fields, not in prose. Values are the venue's numbers. */
export const Strike = z.object({
  type: z.enum(['greater', 'greater_or_equal', 'less', 'less_or_equal', 'between', 'other']),
  floor: z.number().nullable(),
  cap: z.number().nullable(),
})
export type Strike = z.infer<typeof Strike>

/** What a venue charges a taker: fee per contract = rate × (p × (1 − p))^exponent dollars, before rounding. */
export const FeeTerms = z.object({
  rate: z.number().nonnegative(),
  exponent: z.number().positive(),
  rounding: z.enum(['a_five_decimals', 'b_cent_up']),
  flagged: z.boolean(), //   the venue named a fee type we do not know; the terms are a guess
})
export type FeeTerms = z.infer<typeof FeeTerms>

/**
 * One binary market of one venue: everything that is text or terms and so changes rarely.
 * Written by ingest to the quote stream and table `markets`, read by engine.
 */
export const Market = z.object({
  venue: Venue,
  marketId: z.string().min(1).max(200), //  a: the venue's `id`; b: ticker. Never rewritten
  eventId: z.string().min(1).max(200), //   a: event `id`; b: event_ticker
  seriesId: z.string().max(200).nullable(), // b: series_ticker
  eventTitle: z.string().max(500),
  title: z.string().min(1).max(500), //     the question as the venue words it
  outcome: z.string().max(300).nullable(), // name of this outcome inside its event, when it has one
  yesMeans: z.string().max(300).nullable(), // label of outcome 0 when it is not "Yes" (a team, Up, Over)
  noMeans: z.string().max(300).nullable(),
  exclusive: z.boolean(), //                at most one market of the event resolves yes
  placeholder: z.boolean(), //              "Person A", "Other", "TBD": never paired
  rules: z.string().max(8_000), //          contract text, cut at the bound; '' when the venue gives none
  category: z.string().max(100).nullable(),
  tags: z.array(z.string().max(100)).max(20),
  strike: Strike.nullable(),
  slug: z.string().max(300).nullable(), //  a: event slug (market slugs drift); b: null
  marketSlug: z.string().max(300).nullable(), // a: market slug of this sweep
  url: z.string().max(700), //              built from an allow-listed template, never from venue data
  tokenId: z.string().max(100).nullable(), // a: token of outcome 0, for its book; b: null
  openMs: UnixMs.nullable(),
  closeMs: UnixMs.nullable(), //            a: endDate; b: close_time
  expectedMs: UnixMs.nullable(), //         b: expected_expiration_time; a: null
  gameMs: UnixMs.nullable(), //             a: start of the game; b: null
  fees: FeeTerms.nullable(), //             null: the venue charges takers nothing
})
export type Market = z.infer<typeof Market>
