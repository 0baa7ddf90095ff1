import { MINUTE, SECOND } from '../units.ts'

const WINDOW_MS = 1 * MINUTE
const MOST_DEATHS = 5
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 5 * SECOND

/**
 * What to do about a part that died: start it again after a wait that doubles with each recent death, or give
 * up when it dies more than five times a minute, because then starting again is not the cure.
 * @param deathsMs instants of all its deaths, this one included.
 */
export function judgeDeath(deathsMs: number[], nowMs: number): { waitMs: number } | 'giveUp' {
  const recent = deathsMs.filter((diedMs) => nowMs - diedMs < WINDOW_MS).length
  if (recent > MOST_DEATHS) return 'giveUp'
  return { waitMs: Math.min(FIRST_WAIT_MS * 2 ** (recent - 1), LONGEST_WAIT_MS) }
}
