import { DAY, roundTo } from '../../../ops/units.ts'

/**
 * What an edge is worth for the time it binds money. Both legs together pay one dollar in the end and cost one
 * dollar less the edge now; until the later contract closes that money is bound. Simple interest, and never less
 * than a day, because settlement takes about that long. Of the days as they are shown, so that it moves when they do.
 * @returns nulls when a venue does not say when it closes.
 */
export function lockUp(edgeCents: number, closeA: number | null, closeB: number | null, nowMs: number) {
  if (closeA === null || closeB === null) return { lockUpDays: null, annualisedPct: null }
  const lockUpDays = roundTo(Math.max(0, Math.max(closeA, closeB) - nowMs) / DAY, 2)
  const capitalCents = 100 - edgeCents
  const perYear = capitalCents > 0 ? ((edgeCents / capitalCents) * 365 * 100) / Math.max(1, lockUpDays) : null
  return { lockUpDays, annualisedPct: perYear === null ? null : roundTo(perYear, 2) }
}
