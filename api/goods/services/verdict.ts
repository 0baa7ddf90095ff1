import { z } from 'zod'
import type { EdgeRow } from '../../../engine/contract/edges.ts'

/** What a report concludes from its parts. */
export const Verdict = z.object({
  summary: z.string(),
  tradable: z
    .boolean()
    .describe(
      'It stands on both venues, is executable, leaves something after both venues’ taker fees, and is not advised against',
    ),
  edgeCents: z
    .number()
    .nullable()
    .describe('Left of the best net after both fees, per contract; null: not among the best edges'),
  reasons: z.array(z.string()),
})
export type Verdict = z.infer<typeof Verdict>

/** Of the parts only what the conclusion rests on. */
const Spread = z.object({
  found: z.boolean(),
  topic: z.string().optional(),
  gapCents: z.number().nullish(),
  cheaperVenue: z.string().nullish(),
  matchVerdict: z.string().optional(),
})
const Net = z.object({
  found: z.boolean(),
  netCents: z.number().nullish(),
  executable: z.boolean().nullish(),
  rows: z.array(z.object({ topic: z.string() })),
})
const Rows = z.object({ rows: z.array(z.unknown()) })

/**
 * Tradable is only what stands on both venues, is executable (spec 4.1 rule 4), leaves something after fees, and is not advised
 * against: what its gap card and the edges say.
 * @param edge of the net's first pair; undefined: not among the best, which are all that the board holds.
 */
export function conclude(
  parts: { spread?: unknown; net?: unknown; move?: unknown; book?: unknown },
  edge: Pick<EdgeRow, 'edgeCents' | 'suggestedAction'> | undefined,
): Verdict {
  const spread = Spread.parse(parts.spread)
  const net = Net.parse(parts.net)
  const best = net.rows[0]?.topic
  const reasons = [
    spread.found
      ? `Both venues quote "${spread.topic}" (${spread.matchVerdict}); the mid prices are ${spread.gapCents == null ? 'an unknown distance' : cents(spread.gapCents)} apart${spread.cheaperVenue == null ? '' : `, venue ${spread.cheaperVenue.toUpperCase()} is cheaper`}.`
      : 'No question on this topic is quoted on both venues.',
    net.found
      ? `Buying the ask and selling the bid of "${best}" across the venues leaves ${net.netCents == null ? 'an unknown sum' : cents(net.netCents)} before fees${edge === undefined ? '' : ` and ${cents(edge.edgeCents)} after both venues’ taker fees (suggested: ${edge.suggestedAction})`}; ${net.executable ? 'names match and both contracts close within 48 hours' : 'it is not executable'}.`
      : 'No pair on this topic has an ask and a bid across the venues.',
    `Listed here: ${counted(Rows.parse(parts.move).rows.length, 'mover')} of the day, ${counted(Rows.parse(parts.book).rows.length, 'liquid book')}.`,
  ]
  const edgeCents = edge?.edgeCents ?? null
  const tradable =
    spread.found &&
    net.executable === true &&
    edgeCents !== null &&
    edgeCents > 0 &&
    edge?.suggestedAction !== 'avoid'
  return {
    summary: tradable
      ? `A gap worth ${cents(edgeCents)} after fees stands open now: "${best}".`
      : spread.found
        ? 'Both venues quote it, but no trade worth taking stands open now.'
        : 'There is no cross-venue price on this topic now; single markets are listed.',
    tradable,
    edgeCents,
    reasons,
  }
}

const counted = (count: number, thing: string) => `${count} ${thing}${count === 1 ? '' : 's'}`
const cents = (count: number) => counted(count, 'cent')
