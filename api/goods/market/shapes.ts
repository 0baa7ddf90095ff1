import { z } from 'zod'
import { GAP_AGE_RULE } from '../../../engine/contract/gapCards.ts'
import { CLOSE_WINDOW_MS } from '../../../engine/contract/marketRules.ts'
import { RiskFlag } from '../../../engine/contract/riskFlags.ts'
import { HOUR } from '../../../ops/units.ts'

/** The parts of market answers, as described on every surface. */
export const Venue = z.enum(['a', 'b'])
const Side = z.enum(['yes', 'no'])
export const Iso = z.iso.datetime()
export const Price = z.number().min(0).max(1).describe('USD per contract')
const Cents = z.number()

/** Beside every market answer: which snapshot it is of, and how old each venue's data is. */
export const Provenance = z.object({
  snapshot: z.object({
    name: z.string(),
    version: z.int().positive().describe('Rises by one per publication of this board'),
    hash: z.string().describe('SHA-256, hex'),
    publishedAt: Iso,
  }),
  asOf: z.object({ a: Iso, b: Iso }).describe('Each venue’s data is complete up to here, market clock'),
  ageMs: z.object({ a: z.number().min(0), b: z.number().min(0) }),
  maxAgeMs: z.number().describe('Older data is refused before any money moves'),
  recorded: z.boolean().describe('True: the markets are a recording'),
})
export type Provenance = z.infer<typeof Provenance>

/** Goes with every answer that relies on a pair. */
export const Precision = z
  .object({
    precision: z.number().min(0).max(1).describe('Share of the pairs sold that are labelled so'),
    recall: z.number().min(0).max(1),
    judged: z.int().describe('Labelled pairs'),
    measuredOn: z.iso.date(),
  })
  .describe('How well pairs are told from look-alikes, on labelled pairs')

/** Provenance of answers that rely on pairs. */
export const PairProvenance = Provenance.extend({ matchPrecision: Precision })

/** Both clocks of a quote. */
export const Clocks = {
  venueAt: Iso.nullable().describe('When the venue changed it last, by its clock; null: it does not say'),
  seenAt: Iso.describe(
    'When we first read these figures there; `asOf` says until when they are known to hold',
  ),
}

const Leg = z.object({
  title: z.string(),
  yesPrice: Price.nullable().describe(
    'Mid of best bid and ask; null: a side is missing, or the book is crossed',
  ),
  bid: Price.nullable(),
  ask: Price.nullable(),
  url: z.string(),
  ...Clocks,
})
export const LegA = Leg.extend({ slug: z.string().nullable() })
export const LegB = Leg.extend({ ticker: z.string() })

/** How sure it is that both venues ask the same question. */
export const Match = z.object({
  matchVerdict: z.enum(['identity', 'inverted']).describe('inverted: a yes on A is a no on B'),
  matchReasons: z.array(z.string()),
  closesApartHours: z.number().min(0).nullable(),
})

/** Both sides of a pair, each with its own yes price. */
export const Legs = z.object({ venueA: LegA, venueB: LegB })

export const CheaperVenue = Venue.nullable().describe('By mid of the question as A words it; null: equal')
export const Executable = z
  .boolean()
  .describe(
    `Names match, both contracts close within ${CLOSE_WINDOW_MS / HOUR} hours of each other, both venues’ data is fresh, and both books are two-sided and uncrossed`,
  )
const RiskFlags = z.array(RiskFlag).describe('Gravest first')
const SuggestedAction = z.enum(['buy_a_sell_b', 'buy_b_sell_a', 'watch', 'avoid'])
export const GapCents = Cents.min(0).describe('Distance between the two mids, in cents')
export const NetCents = Cents.describe(
  'Bid of the selling venue less ask of the buying one, before fees; may be negative',
)

/** A trade of the pair, before fees: where to buy and to sell, at the top of both books. */
export const Trade = z.object({
  netCents: NetCents,
  executable: Executable,
  buyVenue: Venue,
  sellVenue: Venue,
  buySide: Side.describe('Which contract of the buying venue’s market: no where B asks the opposite'),
  sellSide: Side.describe('Which contract of the selling venue’s market'),
  buyPrice: Price.describe('USD per contract that is bought'),
  sellPrice: Price.describe('USD per contract that is sold'),
})

const SizedEdge = z.object({
  usd: z.int().describe('Size asked for on the buying side, USD'),
  filled: z.boolean().describe('False: the known books are not deep enough'),
  contracts: z.number().min(0),
  averageBuyPrice: Price.nullable(),
  averageSellPrice: Price.nullable(),
  feesUsd: z.number(),
  profitUsd: z.number().describe('May be negative'),
  edgeCents: Cents.nullable().describe('Profit per contract'),
})

/** The same trade after the published taker fees of both venues. */
export const Edge = Trade.extend({
  edgeCents: Cents.describe('Per contract at the top of both books, after both fees; may be negative'),
  feeCents: z.object({ a: Cents, b: Cents }),
  feeTableVersion: z.string(),
  feesGuessed: z.boolean().describe('True: a venue named fee terms that are not known here'),
  bySize: z
    .array(SizedEdge)
    .nullable()
    .describe('Both books walked at 10, 100 and 1000 USD; null: no depth known'),
  depthSeenAt: Iso.nullable(),
  lockUpDays: z.number().min(0).nullable().describe('Until the later contract closes'),
  annualisedPct: z.number().nullable(),
})

/** How edges and gap cards are ranked. */
export const BEST_FIRST =
  'Best first: those that suggest a trade, then those to watch; in each group the larger edge first.'

/** One edge as `edge` and `edge-pack` sell it. */
export const EdgeRow = z.object({
  topic: z.string(),
  ...Edge.shape,
  gapCents: GapCents.nullable(),
  riskFlags: RiskFlags,
  suggestedAction: SuggestedAction,
  link: z.string().describe('Where the buying starts'),
  ...Match.shape,
  ...Legs.shape,
})

/** One gap card, schema botFuel.v2. */
export const Card = z.object({
  schema: z.literal('botFuel.v2'),
  cardId: z.string().describe('Stable while the gap lives'),
  topic: z.string(),
  category: z.string().nullable(),
  yesPriceA: Price.nullable(),
  yesPriceB: Price.nullable(),
  gapCents: GapCents,
  cheaperVenue: CheaperVenue,
  ...Edge.shape,
  ...Match.shape,
  ...Legs.shape,
  riskFlags: RiskFlags,
  suggestedAction: SuggestedAction,
  life: z
    .object({ openedAt: Iso, ageMs: z.int().min(0), peakCents: Cents, everExecutable: z.boolean() })
    .nullable()
    .describe(
      `Since when the gap has been open, and what it did; null: its gap is not open. ${GAP_AGE_RULE}`,
    ),
})

/** How far a search looked, where the board holds only the first of what there is. @param rows what was looked through. */
export const lookedThrough = (rows: string, beyond: string) =>
  z.object({
    rows: z.int().min(0).describe(rows),
    complete: z.boolean().describe(`False: ${beyond} were not looked at`),
  })

/** Rows of a search: `found` says whether there are any. */
export const searched = <Row extends z.ZodType>(row: Row) => ({
  found: z.boolean(),
  q: z.string().nullable().describe('What was searched for; null: the board’s own top'),
  rows: z.array(row),
})
