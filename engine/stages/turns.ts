/** Longest work between two pauses, in which timers and the operator's requests get their turn. */
const SLICE_MS = 25

/**
 * @returns a function that long work calls between its steps: it returns a pause to await when a slice is over,
 * otherwise nothing. Awaiting nothing would still cost a promise, and there are thousands of steps per second.
 */
export function createTurns(): () => Promise<void> | undefined {
  let beganMs = performance.now()
  return () => {
    if (performance.now() - beganMs < SLICE_MS) return undefined
    return new Promise((resolve) =>
      setImmediate(() => {
        beganMs = performance.now()
        resolve()
      }),
    )
  }
}

/** Takes every step, with pauses. @returns what the last one gives. */
export async function inTurns<Result>(steps: Generator<void, Result>): Promise<Result> {
  const turn = createTurns()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    const pause = turn()
    if (pause !== undefined) await pause
  }
}
