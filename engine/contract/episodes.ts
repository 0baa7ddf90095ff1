import { z } from 'zod'

/** `YYYY-MM-DD hh:mm:ss.mmm`, UTC, market clock: as ClickHouse reads a DateTime64(3). */
const Instant = z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/)

/** A finished gap as the history keeps it: written once, when it ends. `episode_id` is the id its cards had. */
export const EpisodeRow = z.object({
  episode_id: z.string(), //       `<pairId>@<openedMs>`
  pair_id: z.string(),
  topic: z.string(),
  category: z.string().nullable(),
  verdict: z.string(), //          identity or inverted
  market_a: z.string(),
  market_b: z.string(),
  opened_at: Instant,
  peak_at: Instant,
  closed_at: Instant,
  open_cents: z.number(),
  peak_cents: z.number(),
  last_cents: z.number(),
  half_life_ms: z.int().nullable(), // from the peak to half of it; null: it ended before
  ever_executable: z.boolean(),
  samples: z.int(), //             times it was looked at
  why_closed: z.string(), //       narrowed, unquoted, gone or unwatched
})
export type EpisodeRow = z.infer<typeof EpisodeRow>

/**
 * Stream of finished gaps: field `episode` = JSON of EpisodeRow. An entry is written in the same step as the feed
 * events of its instant, by the leading engine only. Bounded: above EPISODES_MAX the oldest entries are cut, so the
 * history must drain it in time; 20,000 gaps can end at once.
 */
export const EPISODE_STREAM = 'engine:episodes'
export const EPISODES_MAX = 100_000
