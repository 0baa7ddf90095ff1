import { DAY, roundTo } from '../../../ops/units.ts'

//  Days are shown with two decimals.
const STEP_MS = DAY / 100

/**
 * The yield of an edge for the time its money is tied up. Both legs together pay one dollar in the end and cost one
 * dollar less the edge now; that money is tied up until the later contract closes. Simple interest, over at least one
 * day, because settlement takes about that long. Computed from the days as shown, so that the yield changes when they
 * do.
 * @returns nulls when a venue does not state a closing time; untilMs: before that instant the result reads the same.
 */
export function lockUp(edgeCents: number, closeA: number | null, closeB: number | null, nowMs: number) {
  if (closeA === null || closeB === null)
    return { lockUpDays: null, annualisedPct: null, untilMs: Number.POSITIVE_INFINITY }
  const closeMs = Math.max(closeA, closeB)
  const lockUpDays = roundTo(Math.max(0, closeMs - nowMs) / DAY, 2)
  const capitalCents = 100 - edgeCents
  const perYear = capitalCents > 0 ? ((edgeCents / capitalCents) * 365 * 100) / Math.max(1, lockUpDays) : null
  const steps = Math.round(lockUpDays * 100)
  return {
    lockUpDays,
    annualisedPct: perYear === null ? null : roundTo(perYear, 2),
    untilMs: steps === 0 ? Number.POSITIVE_INFINITY : closeMs - (steps - 0.5) * STEP_MS,
  }
}
