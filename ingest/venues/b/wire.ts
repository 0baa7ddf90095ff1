import { z } from 'zod'

/**
 * Venue B's events with nested markets, dollars-only form (integer cents are gone since 2026-03-12). Prices
 * and counts are decimal texts. Sizes, rules and times may be absent: older recordings lack them.
 */
const Text = z.string().nullish()

/** The fields that move. */
export const FiguresB = z.object({
  yes_bid_dollars: z.string(),
  yes_ask_dollars: z.string(),
  no_bid_dollars: Text, //               1 − yes_ask, in every recording
  no_ask_dollars: Text,
  yes_bid_size_fp: z.string().optional(),
  yes_ask_size_fp: z.string().optional(),
  last_price_dollars: z.string(),
  previous_price_dollars: z.string().optional(),
  volume_24h_fp: z.string(), //          contracts
})
export const FIGURES_B = Object.keys(FiguresB.shape)

/**
 * The fields that rarely change: texts and terms. `fee_waiver_expiration_time` is not among them: its meaning depends
 * on the clock.
 */
export const TextsB = z.object({
  ticker: z.string(),
  market_type: Text,
  title: Text,
  yes_sub_title: Text,
  rules_primary: Text,
  rules_secondary: Text,
  strike_type: Text,
  floor_strike: z.number().nullish(),
  cap_strike: z.number().nullish(),
  open_time: Text,
  close_time: Text,
  expected_expiration_time: Text,
})
export type TextsB = z.infer<typeof TextsB>
export const TEXTS_B = Object.keys(TextsB.shape)

export const EventB = z.object({
  event_ticker: z.string(),
  series_ticker: Text,
  title: Text,
  category: Text,
  mutually_exclusive: z.boolean().nullish(),
  fee_type_override: Text,
  fee_multiplier_override: z.number().nonnegative().max(100).nullish(),
})
export type EventB = z.infer<typeof EventB>
export const EVENT_B = Object.keys(EventB.shape)

export const SeriesB = z.object({
  ticker: z.string(),
  category: Text,
  tags: z.array(z.string()).nullish(),
  fee_type: Text,
  fee_multiplier: z.number().nonnegative().max(100).nullish(),
})
export const SeriesListB = z.object({ series: z.array(z.unknown()) })

export const FeeChangeB = z.object({
  series_ticker: z.string(),
  fee_type: Text,
  fee_multiplier: z.number().nonnegative().max(100).nullish(),
  scheduled_ts: z.string(),
})
export const FeeChangeListB = z.object({ series_fee_change_arr: z.array(z.unknown()) })

/** Both sides are bids as [price, count] texts; a side may be null when it is empty. */
const SideB = z
  .array(z.tuple([z.string(), z.string()]))
  .max(5_000)
  .nullish()

export const BookB = z.object({
  ticker: z.string(),
  orderbook_fp: z.object({ yes_dollars: SideB, no_dollars: SideB }),
})
export const BooksB = z.object({ orderbooks: z.array(z.unknown()) })
