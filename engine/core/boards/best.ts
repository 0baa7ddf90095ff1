/** The best `max` of many items, best first. Keeps at most twice as many at a time. */
export type Best<T> = {
  /** @returns false when the item is beyond what is kept for certain. */
  push(item: T): boolean
  /** Ends the collection. */
  sorted(): T[]
}

/** @param compare a total order, negative when the first is better: the result is the same in any order of pushing. */
export function collectBest<T>(max: number, compare: (x: T, y: T) => number): Best<T> {
  const kept: T[] = []
  let worst: T | undefined //  of the best `max` so far, as of the last cut
  const cut = () => {
    kept.sort(compare)
    if (kept.length > max) kept.length = max
    if (kept.length === max) worst = kept[max - 1]
  }
  return {
    push(item) {
      if (worst !== undefined && compare(item, worst) >= 0) return false
      kept.push(item)
      if (kept.length >= 2 * max) cut()
      return true
    },
    sorted() {
      cut()
      return kept
    },
  }
}
