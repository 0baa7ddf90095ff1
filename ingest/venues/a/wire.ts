import { z } from 'zod'

/**
 * Venue A's catalogue as it comes: what we read of it and nothing else. Zero-valued numbers are left out by
 * the venue, so every figure is optional and absent means 0; present, it must be a number.
 * The recorded hourly pages lack texts, tokens and event figures; those are optional as well.
 */
const Dollars = z.number().min(0).max(1)
const Change = z.number().min(-1).max(1)
const Text = z.string().nullish()

/**
 * A larger volume in US dollars is implausible for a day; the archive stores whole numbers and would refuse one of 21
 * digits for ever.
 */
const MOST_DOLLARS = 1e12

export const FeeScheduleA = z.object({
  rate: z.number().min(0).max(1),
  exponent: z.number().positive().max(10),
})

/** The fields that move. */
export const FiguresA = z.object({
  bestBid: Dollars.optional(),
  bestAsk: Dollars.optional(),
  lastTradePrice: Dollars.optional(),
  outcomePrices: Text, //             JSON array of prices as texts, yes and no; shown to people, here a check
  oneHourPriceChange: Change.optional(),
  oneDayPriceChange: Change.optional(),
  oneWeekPriceChange: Change.optional(),
  volume24hr: z.number().min(0).max(MOST_DOLLARS).optional(),
})
export const FIGURES_A = Object.keys(FiguresA.shape)

/** The fields that rarely change: texts and terms. */
export const TextsA = z.object({
  id: z.string(),
  question: Text,
  slug: Text,
  groupItemTitle: Text,
  description: Text,
  outcomes: z.string(), //            JSON array of labels as text
  clobTokenIds: Text, //              JSON array of 77-digit decimals as text, same order
  startDate: Text,
  endDate: Text,
  gameStartTime: Text, //             "2026-07-16 23:00:00+00"
  negRisk: z.boolean().nullish(),
  negRiskOther: z.boolean().nullish(),
  feesEnabled: z.boolean().nullish(),
  feeSchedule: z.unknown().optional(), // FeeScheduleA, or something newer
})
export type TextsA = z.infer<typeof TextsA>
export const TEXTS_A = Object.keys(TextsA.shape)

export const EventA = z.object({
  id: z.string(),
  slug: Text,
  title: Text,
  category: Text,
  negRisk: z.boolean().nullish(),
  enableNegRisk: z.boolean().nullish(),
  tags: z.array(z.object({ label: Text })).nullish(),
})
export type EventA = z.infer<typeof EventA>
export const EVENT_A = Object.keys(EventA.shape)

const LevelA = z.object({ price: z.string(), size: z.string() })

export const BookA = z.object({
  asset_id: z.string(),
  timestamp: Text, //                 Unix ms as text
  bids: z.array(LevelA).max(5_000),
  asks: z.array(LevelA).max(5_000),
})
export type BookA = z.infer<typeof BookA>
