/** A value, and the span of the market clock in which it holds. */
export type While<Value> = { value: Value; fromMs: number; untilMs: number }

/**
 * What a value is made of also holds it: to ask a weak map for two thousand of them at every look was a fifth of the work
 * on the boards of pairs.
 */
export type Keeper<Value> = { kept: While<Value> | null }

/**
 * Keeps what is made of each keeper while it holds, so that asking again costs next to nothing.
 * @param make returns the value and the instant from which it may read differently. It gets the previous value of the
 * keeper, and returns that same object when it still reads the same.
 */
export function keepWhile<From extends Keeper<Value>, Value>(
  make: (from: From, nowMs: number, before: Value | undefined) => Omit<While<Value>, 'fromMs'>,
): (from: From, nowMs: number) => While<Value> {
  return (from, nowMs) => {
    const before = from.kept
    //  a clock that was set back also makes it anew
    if (before !== null && before.fromMs <= nowMs && nowMs < before.untilMs) return before
    const { value, untilMs } = make(from, nowMs, before?.value)
    from.kept = { value, fromMs: nowMs, untilMs }
    return from.kept
  }
}
