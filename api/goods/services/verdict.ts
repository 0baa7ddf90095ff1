import { z } from 'zod'

/** What a report concludes from its parts. */
export const Verdict = z.object({
  summary: z.string(),
  tradable: z.boolean().describe('It stands on both venues, is executable, and leaves something before fees'),
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

/** Tradable is only what stands on both venues, is executable (spec 4.1 rule 4) and leaves something before fees. */
export function conclude(parts: {
  spread?: unknown
  net?: unknown
  move?: unknown
  book?: unknown
}): Verdict {
  const spread = Spread.parse(parts.spread)
  const net = Net.parse(parts.net)
  const best = net.rows[0]?.topic
  const reasons = [
    spread.found
      ? `Both venues quote "${spread.topic}" (${spread.matchVerdict}); the mid prices are ${spread.gapCents == null ? 'an unknown distance' : cents(spread.gapCents)} apart${spread.cheaperVenue == null ? '' : `, venue ${spread.cheaperVenue.toUpperCase()} is cheaper`}.`
      : 'No question on this topic is quoted on both venues.',
    net.found
      ? `Buying the ask and selling the bid of "${best}" across the venues leaves ${net.netCents == null ? 'an unknown sum' : cents(net.netCents)} before fees; ${net.executable ? 'names match and both contracts close within 48 hours' : 'it is not executable'}.`
      : 'No pair on this topic has an ask and a bid across the venues.',
    `Listed here: ${counted(Rows.parse(parts.move).rows.length, 'mover')} of the day, ${counted(Rows.parse(parts.book).rows.length, 'liquid book')}.`,
  ]
  const tradable = spread.found && net.executable === true && (net.netCents ?? 0) > 0
  return {
    summary: tradable
      ? `A gap worth ${cents(net.netCents ?? 0)} before fees stands open now: "${best}".`
      : spread.found
        ? 'Both venues quote it, but nothing is left to take now.'
        : 'There is no cross-venue price on this topic now; single markets are listed.',
    tradable,
    reasons,
  }
}

const counted = (count: number, thing: string) => `${count} ${thing}${count === 1 ? '' : 's'}`
const cents = (count: number) => counted(count, 'cent')
