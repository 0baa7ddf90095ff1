import { describeError } from './errors.ts'
import { SECOND } from './units.ts'

const SAY_AGAIN_AFTER_MS = 10 * SECOND

/**
 * A queue reports an unreachable store at every attempt, twice each time. The same reason is logged once per this
 * interval, a new reason at once.
 */
export function sparingly(say: (reason: string) => void, nowMs: () => number = Date.now) {
  let last = { reason: '', atMs: 0 }
  return (error: unknown): void => {
    const reason = describeError(error)
    if (reason === last.reason && nowMs() - last.atMs < SAY_AGAIN_AFTER_MS) return
    last = { reason, atMs: nowMs() }
    say(reason)
  }
}

/** Whatever is said, only the first of it in each such interval: thousands may come in turn. What is said is counted elsewhere. */
export function seldom<Words extends unknown[]>(say: (...words: Words) => void) {
  let saidMs = Number.NEGATIVE_INFINITY
  return (...words: Words): void => {
    if (performance.now() - saidMs < SAY_AGAIN_AFTER_MS) return
    saidMs = performance.now()
    say(...words)
  }
}
