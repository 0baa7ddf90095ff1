/** What was made of a key at an instant of the market clock, and holds until another one. */
export type While<Value> = { value: Value; fromMs: number; untilMs: number }

/**
 * Keeps what is made of each key while it holds, so that asking again costs next to nothing.
 * @param make from when on it may read otherwise, and what was made of the key before: to be given back when it still reads the same.
 */
export function keepWhile<Key extends object, Value>(
  make: (key: Key, nowMs: number, before: Value | undefined) => Omit<While<Value>, 'fromMs'>,
): (key: Key, nowMs: number) => While<Value> {
  const known = new WeakMap<Key, While<Value>>()
  return (key, nowMs) => {
    const before = known.get(key)
    //  a clock that was set back is asked anew too
    if (before !== undefined && before.fromMs <= nowMs && nowMs < before.untilMs) return before
    const made = { ...make(key, nowMs, before?.value), fromMs: nowMs }
    known.set(key, made)
    return made
  }
}
