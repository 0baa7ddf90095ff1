import { DAY, HOUR, MINUTE } from '../../../units.ts'
import type { Slot } from './plan.ts'

/** How long after A's close B's is, with the share of events up to which it holds: nine of ten are within 48 hours. */
const LATER: readonly (readonly [number, number])[] = [
  [0.42, 0],
  [0.62, 3 * HOUR],
  [0.74, 15 * HOUR],
  [0.86, 40 * HOUR],
  [0.9, 47 * HOUR + 59 * MINUTE],
  [0.93, 48 * HOUR + MINUTE],
  [0.96, 14 * DAY],
  [1, 365 * DAY],
]

/**
 * The close each venue states for a market that is decided at `decidedMs`. Neither needs to be the truth:
 * venue A's date may be half a day off or missing, venue B's long after the event.
 */
export function closesOf({ dice, cadence }: Slot, decidedMs: number): { a: number | null; b: number } {
  // markets of a few hours close when they say
  if (cadence.every === 'ms' && cadence.periodMs < 2 * DAY) return { a: decidedMs, b: decidedMs }
  const u = dice.unit('closeA')
  const offset = u < 0.86 ? 0 : u < 0.92 ? -12 * HOUR : 12 * HOUR
  const a = u > 0.98 ? null : decidedMs + offset
  const v = dice.unit('closeB')
  const later = LATER.find(([upTo]) => v < upTo)![1]
  return { a, b: (a ?? decidedMs) + later }
}
