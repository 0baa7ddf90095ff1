import { z } from 'zod'

export const MOVE_WINDOWS = ['hour', 'day', 'week'] as const

/** One market's own swing over a window (spec 4.1 rule 5). */
export const MoverRow = z.object({
  venue: z.enum(['a', 'b']),
  marketId: z.string(),
  topic: z.string(),
  url: z.string(),
  changeCents: z.number(), //  a: the venue's own change; b: last trade − previous price, day only
  yesBps: z.number().nullable(), // mid now; null: one-sided or crossed
  lastBps: z.int().nullable(),
  volume24h: z.number(), //    a: US dollars; b: contracts
  volumeUnit: z.enum(['usd', 'contracts']),
  closeMs: z.int().nullable(), // of venue B's contract; null: never, as far as it says
  venueMs: z.int().nullable(), // the venue's clock; null when it gives none
  seenMs: z.int(),
})
export type MoverRow = z.infer<typeof MoverRow>

/** Why a row is left out of a window (spec 4.1 rule 5). */
export const MOVER_DROPS = [
  'closed', //           venue B's closing time has passed
  'no_figure', //        a: no change stated for the window; b: never traded
  'no_previous', //      b: previous price 0 or none
  'under_25_contracts',
  'beyond_bound', //     smaller than the rows kept
] as const
export type MoverDrop = (typeof MOVER_DROPS)[number]

/**
 * Board `movers`: per window, largest absolute change first, at most MOVERS_MAX rows; hour and week hold no row of
 * venue B. `dropped` counts over all windows, so a market of A can be in it three times.
 */
export const MoversBoard = z.object({
  hour: z.array(MoverRow),
  day: z.array(MoverRow),
  week: z.array(MoverRow),
  dropped: z.record(z.string(), z.int()), // rows left out, by reason (MOVER_DROPS)
})
export type MoversBoard = z.infer<typeof MoversBoard>

export const MOVERS = 'movers'
export const MOVERS_MAX = 200
