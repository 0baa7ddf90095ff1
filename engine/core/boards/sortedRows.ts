/**
 * Rows in order, kept from one look to the next: leaving rows are cut out and coming rows put in their places, so that
 * a look at which few rows moved compares only those. Rows are replaced, never changed in place.
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

  /**
   * @param gone rows that are in the list.
   * @param fresh rows to add, in any order.
   */
  replace(gone: ReadonlySet<Row>, fresh: Iterable<Row>): readonly Row[] {
    const coming = [...fresh].sort(this.#compare)
    if (gone.size === 0 && coming.length === 0) return this.#rows
    const leaving = Int32Array.from(gone, (row) => this.#placeOf(row)).sort()
    const places = Int32Array.from(coming, (row) => this.#placeOf(row))
    const merged = merge(this.#rows, leaving, coming, places)
    this.#rows = merged
    return merged
  }

  /** Forgets all but the best. */
  cut(max: number): void {
    if (this.#rows.length > max) this.#rows = this.#rows.slice(0, max)
  }

  /** The rank of a row, or the rank it would have. */
  #placeOf(row: Row): number {
    let [from, to] = [0, this.#rows.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (this.#compare(this.#rows[middle]!, row) < 0) from = middle + 1
      else to = middle
    }
    return from
  }
}

/**
 * @param leaving ranks of rows that go, ascending.
 * @param places where each that comes is put in: before the row of that rank, ascending.
 */
function merge<Row>(
  rows: readonly Row[],
  leaving: Int32Array,
  coming: readonly Row[],
  places: Int32Array,
): Row[] {
  const merged = rows.slice() //  written over: an array that grows row by row costs ten times as much
  let [read, written, left] = [0, 0, 0]
  for (let next = 0; next <= coming.length; next++) {
    const end = next < coming.length ? places[next]! : rows.length
    while (read < end) {
      const stop = left < leaving.length ? Math.min(end, leaving[left]!) : end
      while (read < stop) merged[written++] = rows[read++]!
      if (read < end) {
        left++
        read++
      }
    }
    if (next < coming.length) merged[written++] = coming[next]!
  }
  merged.length = written
  return merged
}
