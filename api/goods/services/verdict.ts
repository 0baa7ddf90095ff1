import { z } from 'zod'
import type { EdgeRow } from '../../../engine/contract/edges.ts'
import { CLOSE_WINDOW_MS } from '../../../engine/contract/marketRules.ts'
import { counted } from '../../../ops/counted.ts'
import { HOUR } from '../../../ops/units.ts'

/** What a report concludes from its parts. */
export const Verdict = z.object({
  summary: z.string(),
  tradable: z
    .boolean()
    .describe(
      'Both venues quote it, it is executable, it leaves something after both venues’ taker fees, and it is not advised against',
    ),
  edgeCents: z
    .number()
    .nullable()
    .describe('Left of the best net after both fees, per contract; null: not among the best edges'),
  reasons: z.array(z.string()),
})
export type Verdict = z.infer<typeof Verdict>

/** Of each part only the fields that the conclusion uses. */
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

type Edge = Pick<EdgeRow, 'edgeCents' | 'suggestedAction'>

/**
 * A pair is tradable only when both venues quote it, it is executable (spec 4.1 rule 4), something is left after fees, and
 * we do not advise against it.
 * @param edge of the net's first pair; undefined: not among the best edges, which are all that the board holds.
 */
export function conclude(
  parts: { spread?: unknown; net?: unknown; move?: unknown; book?: unknown },
  edge: Edge | undefined,
): Verdict {
  const spread = Spread.parse(parts.spread)
  const net = Net.parse(parts.net)
  const edgeCents = edge?.edgeCents ?? null
  const tradable =
    spread.found &&
    net.executable === true &&
    edgeCents !== null &&
    edgeCents > 0 &&
    edge?.suggestedAction !== 'avoid'
  return {
    summary: tradable
      ? `A gap worth ${cents(edgeCents)} after fees is open now: "${firstTopic(net)}".`
      : untradable(spread),
    tradable,
    edgeCents,
    reasons: [
      spreadReason(spread),
      netReason(net, edge),
      `Listed here: ${counted(Rows.parse(parts.move).rows.length, 'mover')} of the day, ${counted(Rows.parse(parts.book).rows.length, 'liquid book')}.`,
    ],
  }
}

const untradable = ({ found }: z.infer<typeof Spread>): string =>
  found
    ? 'Both venues quote it, but no trade worth taking is open now.'
    : 'There is no cross-venue price on this topic now; single markets are listed.'

function spreadReason({
  found,
  topic,
  matchVerdict,
  gapCents,
  cheaperVenue,
}: z.infer<typeof Spread>): string {
  if (!found) return 'No question on this topic is quoted on both venues.'
  const distance = gapCents == null ? 'an unknown distance' : cents(gapCents)
  const cheaper = cheaperVenue == null ? '' : `, venue ${cheaperVenue.toUpperCase()} is cheaper`
  return `Both venues quote "${topic}" (${matchVerdict}); the mid prices are ${distance} apart${cheaper}.`
}

function netReason(net: z.infer<typeof Net>, edge: Edge | undefined): string {
  if (!net.found) return 'No pair on this topic has an ask and a bid across the venues.'
  const left = net.netCents == null ? 'an unknown sum' : cents(net.netCents)
  const afterFees =
    edge === undefined
      ? ''
      : ` and ${cents(edge.edgeCents)} after both venues’ taker fees (suggested: ${edge.suggestedAction})`
  const executable = net.executable
    ? `names match and both contracts close within ${CLOSE_WINDOW_MS / HOUR} hours of each other`
    : 'it is not executable'
  return `Buying the ask and selling the bid of "${firstTopic(net)}" across the venues leaves ${left} before fees${afterFees}; ${executable}.`
}

const firstTopic = ({ rows }: z.infer<typeof Net>): string | undefined => rows[0]?.topic
const cents = (count: number) => counted(count, 'cent')
