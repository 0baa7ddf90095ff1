import type { Stamp } from '../../ops/http.ts'
import { SECOND } from '../../ops/units.ts'

/** An answer that leaves the sender's clock uncertain by more than this cannot confirm that it agrees with ours. */
const OPEN_MS = 30 * SECOND

/**
 * By how many ms at least the clock of the answering host is ahead of ours; negative: behind; 0: they may agree
 * (VEN-08). `Date` states a second, written between our request and the arrival of the answer. For an answer from a
 * cache, some caches keep the origin's Date, `Age` seconds old, others write their own: the clock was anywhere between
 * the two.
 * @returns null when the answer does not tell.
 */
export function clockAheadMs({ date, age, sentMs, arrivedMs }: Stamp): number | null {
  const dateMs = typeof date === 'string' && DATE.test(date) ? Date.parse(date) : Number.NaN
  const ageS = age === undefined ? 0 : typeof age === 'string' && AGE.test(age) ? Number(age) + 1 : Number.NaN
  const leastMs = dateMs - arrivedMs
  const mostMs = dateMs + (ageS + 1) * SECOND - sentMs
  if (Number.isNaN(leastMs) || Number.isNaN(mostMs)) return null
  if (leastMs > 0) return leastMs
  if (mostMs < 0) return mostMs
  return mostMs - leastMs <= OPEN_MS ? 0 : null
}

const DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/
const AGE = /^\d{1,9}$/
