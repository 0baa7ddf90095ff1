import type { StreamRow } from '../../ops/drainStream.ts'

/** Tables of the archive (ops/migrations/001_archive.sql) and what a row of each holds when it is written. */
export const TABLES = {
  markets: 'markets',
  quotes: 'quotes',
  closings: 'closings',
  sweeps: 'sweeps',
} as const

/** `YYYY-MM-DD hh:mm:ss.mmm`, UTC. */
export type Instant = string

export type MarketRow = StreamRow & {
  venue: string
  market_id: string
  event_id: string
  series_id: string | null
  event_title: string
  title: string
  outcome: string | null
  yes_means: string | null
  no_means: string | null
  exclusive: boolean
  placeholder: boolean
  rules: string
  category: string | null
  tags: string[]
  strike_type: string | null
  strike_floor: number | null
  strike_cap: number | null
  slug: string | null
  market_slug: string | null
  url: string
  token_id: string | null
  open_at: Instant | null
  close_at: Instant | null
  expected_at: Instant | null
  game_at: Instant | null
  fee_rate: number | null
  fee_exponent: number | null
  fee_rounding: string | null
  fee_flagged: boolean | null
}

/** Readers also find `stream_ms` and `venue_at`, computed from the lags. */
export type QuoteRow = StreamRow & {
  venue: string
  market_id: string
  seen_at: Instant
  bid_bps: number | null
  ask_bps: number | null
  bid_size: number | null //   contracts, two decimals
  ask_size: number | null
  last_bps: number | null
  previous_bps: number | null
  change_hour_bps: number | null
  change_day_bps: number | null
  change_week_bps: number | null
  volume_24h: number //        a: US dollars; b: contracts; whole ones
  venue_lag_ms: number | null
  stream_lag_ms: number
}

export type ClosingRow = StreamRow & { venue: string; market_id: string }

export type SweepRow = StreamRow & {
  venue: string
  sweep_id: number
  started_at: Instant
  finished_at: Instant
  changed_at: Instant
  complete: boolean
  problem: string | null
  markets: number
  pages: number
  dropped: Record<string, number>
}
