/** As many steps of it as that, and no more. */
export function takeSome(steps: Iterator<void>, count: number): void {
  for (let taken = 0; taken < count && steps.next().done !== true; taken++);
}

/** All of them. @returns what the last one gives. */
export function takeAll<Result>(steps: Iterator<void, Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
