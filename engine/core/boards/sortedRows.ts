/**
 * Rows in their order, kept from one look to the next: what is gone is left out and what came is merged in, so that a
 * look at which few rows moved does not sort them all. Rows are replaced, never changed in place.
 */
export class SortedRows<Row extends object> {
  readonly #compare: (x: Row, y: Row) => number
  #rows: readonly Row[] = []

  /** @param compare a total order, negative when the first is better. */
  constructor(compare: (x: Row, y: Row) => number) {
    this.#compare = compare
  }

  /** Best first. The same list as long as nothing changes. */
  get rows(): readonly Row[] {
    return this.#rows
  }

  /** @param fresh in any order. */
  replace(gone: ReadonlySet<Row>, fresh: readonly Row[]): readonly Row[] {
    if (gone.size === 0 && fresh.length === 0) return this.#rows
    const coming = [...fresh].sort(this.#compare)
    const merged: Row[] = []
    let next = 0
    for (const row of this.#rows) {
      if (gone.has(row)) continue
      while (next < coming.length && this.#compare(coming[next]!, row) < 0) merged.push(coming[next++]!)
      merged.push(row)
    }
    for (; next < coming.length; next++) merged.push(coming[next]!)
    this.#rows = merged
    return merged
  }
}
