import { setImmediate as nextTurn } from 'node:timers/promises'

/** Work in slices: a generator that yields where others may take their turn, and returns the result. */
export type Steps<Result> = Generator<void, Result, void>

/** Longest work without a break, but for one slice: a paid read waits no longer than this while a board is read. */
const TURN_MS = 2

export function runNow<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Runs the steps with breaks in which the event loop serves others. @param now steady milliseconds. */
export async function runInTurns<Result>(
  steps: Steps<Result>,
  now: () => number = () => performance.now(),
): Promise<Result> {
  let startedMs = now()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (now() - startedMs < TURN_MS) continue
    await nextTurn()
    startedMs = now()
  }
}
