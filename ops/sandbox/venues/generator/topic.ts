import type { Cadence } from './cadence.ts'
import type { Dice } from './dice.ts'

/** Why a look-alike pair is not the same question. Words as in the labelled pairs of the project. */
export type Twist =
  | 'different_date'
  | 'different_deadline'
  | 'different_threshold'
  | 'different_shape' //      above against at least on whole numbers, touch against close
  | 'different_measure' //    core against headline, low against high, total against opening
  | 'different_source' //     another weather station
  | 'different_office'
  | 'different_condition' //  to advance against to win in 90 minutes
  | 'winner_vs_nominee'
  | 'announce_vs_complete'
  | 'doubleheader'

/** `prop`: number of the proposition that a market prices; `flip`: its yes side is the proposition's no. */
type Leg = { prop: number; flip?: boolean; decideMs?: number }

export type MarketA = Leg & {
  question: string
  group: string //  short outcome name inside the event, '' for a single market
  sides?: readonly [string, string] //  of outcome 0 and 1, unless Yes and No
  rules?: string //  the event's, unless stated
  kind?: 'placeholder' | 'other'
  sport?: { type: 'moneyline' | 'spreads' | 'totals'; line: number | null }
}
export type EventA = { title: string; rules: string; exclusive?: boolean; gameMs?: number }

export type StrikeB =
  | { type: 'greater' | 'greater_or_equal'; floor: number }
  | { type: 'less' | 'less_or_equal'; cap: number }
  | { type: 'between'; floor: number; cap: number }
  | { type: 'custom' | 'structured'; custom: Record<string, string> }
export type MarketB = Leg & {
  event: number // index into the events of venue B
  code: string //  ticker suffix, unique in the event
  title: string
  yes: string //   yes_sub_title
  rules: string // rules_primary
  strike?: StrikeB
}
export type EventB = {
  series: string
  suffix: string // event ticker = series-suffix
  title: string
  sub: string
  extra?: string // rules_secondary
  exclusive?: boolean
  gameMs?: number
}

/**
 * How the propositions of a topic relate. softmax: exactly one comes true; falling and rising: thresholds and
 * deadlines, each less or more likely than the one before; free: unrelated.
 */
export type Shape = 'softmax' | 'falling' | 'rising' | 'free'

/** One subject at one time as both venues would list it; the slot's mode decides which of them do. */
export type Topic = {
  category: Category
  tags: readonly string[]
  shape: Shape
  count: number //  propositions; a twisted venue B prices count…2·count-1, a world of its own
  a: { event: EventA; markets: readonly MarketA[] }
  b: { events: readonly EventB[]; markets: readonly MarketB[] }
}

export type Ask = {
  subject: number //       0 … capacity-1
  dice: Dice //            of this generation
  slotDice: Dice //        of the slot: what must not change between generations
  decideMs: number
  twist: Twist | null //   venue B words another question
  flip: boolean //         venue B words the opposite
}

export type Family = {
  name: string
  weight: number //                      share of topics
  capacity: number //                    distinct subjects
  twists: readonly Twist[]
  flips: boolean
  cadence(subject: number, dice: Dice): Cadence
  topic(ask: Ask): Topic
}

export type Category =
  | 'politics'
  | 'economics'
  | 'crypto'
  | 'sports'
  | 'weather'
  | 'entertainment'
  | 'companies'

/** Labels, tags and taker fees of a category. Venue A: rate of fee = C·rate·p·(1-p); null: no fee. */
export const CATEGORIES: Record<
  Category,
  { tagA: string; labelB: string; feeType: string | null; feeRate: number; rebate: number }
> = {
  politics: { tagA: 'Politics', labelB: 'Politics', feeType: 'politics_fees', feeRate: 0.04, rebate: 0.25 },
  economics: { tagA: 'Economy', labelB: 'Economics', feeType: 'economics_fees', feeRate: 0.05, rebate: 0.25 },
  crypto: { tagA: 'Crypto', labelB: 'Crypto', feeType: 'crypto_fees_v2', feeRate: 0.07, rebate: 0.2 },
  sports: { tagA: 'Sports', labelB: 'Sports', feeType: 'sports_fees_v2', feeRate: 0.05, rebate: 0.15 },
  weather: {
    tagA: 'Weather',
    labelB: 'Climate and Weather',
    feeType: 'weather_fees',
    feeRate: 0.05,
    rebate: 0.25,
  },
  entertainment: {
    tagA: 'Pop Culture',
    labelB: 'Entertainment',
    feeType: 'general_fees',
    feeRate: 0.05,
    rebate: 0.25,
  },
  companies: { tagA: 'Business', labelB: 'Companies', feeType: null, feeRate: 0, rebate: 0 },
}

/** The words of outcome 0 and 1 unless others are given. */
export const YES_NO = ['Yes', 'No'] as const
