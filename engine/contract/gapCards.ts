import { z } from 'zod'
import { HOUR, MINUTE, SECOND } from '../../ops/units.ts'
import { EdgeRow } from './edges.ts'

/** What a buyer must know about an age, wherever it is sold or announced: see gapAge. */
export const GAP_AGE_RULE =
  'ageMs is rounded down: to 10 s below a minute, to a minute below an hour, to ten minutes above'

/** How long a gap has been open and what it did, from its own episode; null while no episode is open. */
export const GapLife = z.object({
  openedMs: z.int(), //              market clock
  ageMs: z.int().nonnegative().describe(GAP_AGE_RULE),
  peakCents: z.number(),
  everExecutable: z.boolean(),
})
export type GapLife = z.infer<typeof GapLife>

/**
 * An age as cards state it, and the age at which it changes. Each step is a new card for every reader that holds it, so
 * steps are coarser for an older gap; `openedMs` is exact.
 */
export function gapAge(ms: number): { ageMs: number; nextMs: number } {
  const stepMs = ms < MINUTE ? 10 * SECOND : ms < HOUR ? MINUTE : 10 * MINUTE
  const ageMs = Math.floor(ms / stepMs) * stepMs
  return { ageMs, nextMs: ageMs + stepMs }
}

/** One gap card, schema `botFuel.v2` (spec 2.2): the row an agent acts on, or leaves alone, and why. */
export const GapCard = EdgeRow.extend({
  schema: z.literal('botFuel.v2'),
  cardId: z.string(), //             `<pairId>@<openedMs>`: stable while the gap lives
  gapCents: z.number(), //           a card always has a mid on both sides
  life: GapLife.nullable(),
})
export type GapCard = z.infer<typeof GapCard>

/** Why a pair gets no card, in the order the checks run; only the first reason is counted. */
export const UNQUALIFIED = [
  'closed', //               venue B's closing time has passed
  'stale', //                data of a venue is older than its limit
  'crossed', //              a bid at or above its ask
  'one_sided', //            a mid is missing
  'no_gap', //               both mids are equal
  'large_gap_suspicious', // the flag of the same name
] as const
export type Unqualified = (typeof UNQUALIFIED)[number]

/**
 * Board `gapCards`, best card first: those that suggest a trade, then those to watch; the larger edge first, then the
 * larger gap. Only identity and inverted pairs; a card qualifies when both sides are fresh and uncrossed and it has no
 * flag with effect `avoid`. `unqualified` counts the others by their first reason. At most GAP_CARDS_MAX cards, the
 * last are cut.
 */
export const GapCardsBoard = z.object({
  cards: z.array(GapCard),
  unqualified: z.record(z.string(), z.int()), // keys of UNQUALIFIED, those that occur
})
export type GapCardsBoard = z.infer<typeof GapCardsBoard>

export const GAP_CARDS = 'gapCards'
export const GAP_CARDS_MAX = 1_000
