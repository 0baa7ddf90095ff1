import { SECOND } from '../../ops/units.ts'

/** Failures in a row of one peer, and until when it is passed over. Times are monotonic ms. */
export type Circuit = { failures: number; openUntilMs: number }

export const CLOSED: Circuit = { failures: 0, openUntilMs: 0 }

const FAILURES = 3
const FIRST_OPEN_MS = 5 * SECOND
const LONGEST_OPEN_MS = 60 * SECOND

/**
 * The state after one more answer. Three failures in a row open it for 5 s, each further one for twice as long, up to
 * a minute; when that is over the next call is the probe, and one good answer closes it. Pure.
 */
export function afterAnswer({ failures }: Circuit, good: boolean, nowMs: number): Circuit {
  if (good) return CLOSED
  const count = failures + 1
  if (count < FAILURES) return { failures: count, openUntilMs: 0 }
  const openMs = Math.min(LONGEST_OPEN_MS, FIRST_OPEN_MS * 2 ** Math.min(10, count - FAILURES))
  return { failures: count, openUntilMs: nowMs + openMs }
}

export const isOpen = ({ openUntilMs }: Circuit, nowMs: number): boolean => nowMs < openUntilMs
