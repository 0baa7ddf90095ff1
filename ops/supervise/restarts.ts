import { MINUTE, SECOND } from '../units.ts'
import type { Part } from './part.ts'

const WINDOW_MS = 1 * MINUTE
const MOST_DEATHS = 5
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 5 * SECOND

/** A part's deaths that still count, this one included. */
export const recentDeaths = (deathsMs: readonly number[], nowMs: number): number[] =>
  [...deathsMs, nowMs].filter((diedMs) => nowMs - diedMs < WINDOW_MS)

/**
 * What to do about a part that died: start it again after a wait that doubles with each recent death up to a bound, and when
 * it dies more than five times a minute give it up, unless the rest works without it, or what it lacks may come back
 * without us.
 */
export function judgeDeath(
  recent: number,
  { withoutIt, isNeverGivenUp }: Pick<Part, 'withoutIt' | 'isNeverGivenUp'>,
  wasReady: boolean,
): { waitMs: number; isTooOften: boolean; isGivenUp: boolean } {
  const isTooOften = recent > MOST_DEATHS
  const isSpared = withoutIt !== undefined || (isNeverGivenUp === true && wasReady)
  return {
    waitMs: Math.min(FIRST_WAIT_MS * 2 ** (recent - 1), LONGEST_WAIT_MS),
    isTooOften,
    isGivenUp: isTooOften && !isSpared,
  }
}
