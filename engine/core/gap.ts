import { roundTo } from '../../ops/units.ts'

/** Distance of two mids (bps) in cents, two decimals, rounded once. Null when a venue has no mid. Spec 4.1 rule 2. */
export function gapCents(midA: number | null, midB: number | null): number | null {
  if (midA === null || midB === null) return null
  return roundTo(Math.abs(midA - midB) / 100, 2)
}

/** Which venue asks less for the question as A words it, by mid; null when equal or a mid is missing. */
export function cheaperVenue(midA: number | null, midB: number | null): 'a' | 'b' | null {
  if (midA === null || midB === null || midA === midB) return null
  return midA < midB ? 'a' : 'b'
}
