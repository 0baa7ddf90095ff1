/** A value made for a key, and the span of the market clock in which it holds. */
export type While<Value> = { value: Value; fromMs: number; untilMs: number }

/**
 * Keeps what is made for each key while it holds, so that asking again costs next to nothing.
 * @param make returns the value and the instant from which it may read differently. It gets the previous value of the
 * key, and returns that same object when it still reads the same.
 */
export function keepWhile<Key extends object, Value>(
  make: (key: Key, nowMs: number, before: Value | undefined) => Omit<While<Value>, 'fromMs'>,
): (key: Key, nowMs: number) => While<Value> {
  const known = new WeakMap<Key, While<Value>>()
  return (key, nowMs) => {
    const before = known.get(key)
    //  a clock that was set back also makes it anew
    if (before !== undefined && before.fromMs <= nowMs && nowMs < before.untilMs) return before
    const made = { ...make(key, nowMs, before?.value), fromMs: nowMs }
    known.set(key, made)
    return made
  }
}
