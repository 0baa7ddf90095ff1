/** Work between two pauses in which timers and the operator's requests get their turn. */
const SLICE_MS = 25

/** @returns what long work awaits between its steps: it pauses when a slice is over, else goes on at once. */
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

/** Takes every step, with pauses. */
export async function inTurns(steps: Iterable<void>): Promise<void> {
  const turn = createTurns()
  for (const _ of steps) await turn()
}
