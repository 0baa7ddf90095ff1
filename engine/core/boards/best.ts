/** The best `max` of many items, best first. Keeps at most twice as many at a time. */
export type Best<T> = {
  /** @param rank higher is better. */
  push(item: T, rank: number): void
  /** Ends the collection. */
  sorted(): T[]
}

/**
 * @param tie a total order among items of one rank, negative when the first is better: with it the result is the
 * same in any order of pushing.
 */
export function collectBest<T>(max: number, tie: (x: T, y: T) => number): Best<T> {
  type Kept = { item: T; rank: number }
  const kept: Kept[] = []
  const compare = (x: Kept, y: Kept) => y.rank - x.rank || tie(x.item, y.item)
  let worst: Kept | undefined //  worst of the best `max` at the last cut: anything ranked behind it can be dropped
  const cut = () => {
    kept.sort(compare)
    if (kept.length > max) kept.length = max
    if (kept.length === max) worst = kept[max - 1]
  }
  return {
    push(item, rank) {
      if (worst !== undefined && (rank < worst.rank || (rank === worst.rank && tie(item, worst.item) >= 0)))
        return
      kept.push({ item, rank })
      if (kept.length >= 2 * max) cut()
    },
    sorted() {
      cut()
      return kept.map(({ item }) => item)
    },
  }
}
