/** Work in slices: a generator that yields where others may take their turn, and returns the result. */
export type Steps<Result> = Generator<void, Result, void>

/** Longest time between two breaks, plus one slice. Paid reads wait no longer for a board to be taken in. */
const TURN_MS = 2

export function runNow<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** The same with breaks in which the event loop does what waits. @param now milliseconds that pass while we work. */
export async function runInTurns<Result>(
  steps: Steps<Result>,
  now: () => number = () => performance.now(),
): Promise<Result> {
  let startedMs = now()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (now() - startedMs < TURN_MS) continue
    await new Promise((resolve) => setImmediate(resolve))
    startedMs = now()
  }
}
