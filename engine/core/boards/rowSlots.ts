/** What a publication needs of a list. */
export type KeptRows = Omit<RowSlots<object>, 'update'>

/**
 * A long list of rows that knows what changed since it was published last: a row stays in its slot while it lives, whatever
 * its rank, and the order is a list of slots. Rows are replaced, never changed in place: the same object has the same text.
 * Texts are written when somebody asks for them, and not kept.
 */
export class RowSlots<Row extends object> {
  readonly #idOf: (row: Row) => string
  readonly #slots = new Map<string, number>()
  readonly #rows: (Row | null)[] = []
  readonly #free: number[] = []
  #newest: readonly Row[] = []
  #order = new Int32Array() // slots of `newest`
  #ranks = new Int32Array() // by slot: where its row stands in `newest`
  //  since the last publication
  readonly #changed = new Set<number>()
  #publishedOrder = this.#order
  #publishedRanks = this.#ranks // of slots that are in it

  constructor(idOf: (row: Row) => string) {
    this.#idOf = idOf
  }

  /** Takes the rows as they are now, best first; ids are unique. The same list again costs nothing, another one some 10 ns a row. */
  update(rows: readonly Row[]): this {
    if (rows === this.#newest) return this
    const { order, others, stayed } = this.#slotsOf(rows)
    if (stayed < this.#newest.length) this.#emptyAllBut(order)
    for (const rank of others) {
      const row = rows[rank]!
      if (order[rank] === UNKNOWN) order[rank] = this.#newSlot(this.#idOf(row))
      this.#put(order[rank]!, row)
    }
    this.#order = order
    this.#newest = rows
    if (this.#ranks.length < this.#rows.length) this.#ranks = new Int32Array(this.#rows.length + GROWS_BY)
    const ranks = this.#ranks
    for (let rank = 0; rank < order.length; rank++) ranks[order[rank]!] = rank
    return this
  }

  /** How many rows there are. */
  get count(): number {
    return this.#order.length
  }

  /** How many slots hold another row than at the last publication, or none any more. */
  get changed(): number {
    return this.#changed.size
  }

  /** Lines `<slot> <JSON of the row>` of the slots that changed; nothing behind the blank where a slot is empty. */
  *changes(): Generator<string> {
    for (const slot of this.#changed) yield this.#line(slot)
  }

  /** Such lines of all rows. */
  *all(): Generator<string> {
    for (const slot of this.#order) yield this.#line(slot)
  }

  /** JSON of `OrderRuns` that tell all of the order. */
  order(): string {
    return `[${this.#order.join()}]`
  }

  /** JSON of `OrderRuns` that tell it by the order at the last publication; null when it is the same. */
  runs(): string | null {
    const [order, before, ranks] = [this.#order, this.#publishedOrder, this.#publishedRanks]
    if (
      order === before ||
      (order.length === before.length && order.every((slot, at) => slot === before[at]))
    )
      return null
    const runs: number[] = []
    for (let at = 0; at < order.length; ) {
      const slot = order[at]!
      const from = ranks[slot] ?? UNKNOWN
      let end = at + 1
      if (before[from] === slot) while (end < order.length && order[end] === before[from + end - at]) end++
      if (end === at + 1) runs.push(slot)
      else runs.push(at - end, from)
      at = end
    }
    return `[${runs.join()}]`
  }

  /** All of it is published: what changes from now on is told by this. */
  settle(): void {
    this.#changed.clear()
    this.#publishedOrder = this.#order
    this.#publishedRanks = this.#ranks.slice()
  }

  /** The rows as one JSON array, best first. */
  inline(): string {
    return JSON.stringify(this.#newest)
  }

  #line(slot: number): string {
    const row = this.#rows[slot]
    return row === null ? `${slot} ` : `${slot} ${JSON.stringify(row)}`
  }

  /**
   * Most rows stand behind the same one as before: only the others are looked up by their id.
   * @returns order: UNKNOWN where an id is new; others: ranks of rows that no slot holds; stayed: how many ids are known.
   */
  #slotsOf(rows: readonly Row[]): { order: Int32Array<ArrayBuffer>; others: number[]; stayed: number } {
    const [newest, slots] = [this.#newest, this.#order]
    const order = new Int32Array(rows.length)
    const others: number[] = []
    let [next, stayed] = [0, 0]
    for (let rank = 0; rank < rows.length; ) {
      const same = sameRows(newest, next, rows, rank)
      if (same > 0) {
        order.set(slots.subarray(next, next + same), rank)
        next += same
        rank += same
        stayed += same
        continue
      }
      const row = rows[rank]!
      const slot = this.#slots.get(this.#idOf(row)) ?? UNKNOWN
      order[rank] = slot
      if (slot !== UNKNOWN) stayed++
      //  one that was left out or put in before it: go on from where it stood
      if (slot !== UNKNOWN && this.#rows[slot] === row) next = this.#ranks[slot]! + 1
      else others.push(rank)
      rank++
    }
    return { order, others, stayed }
  }

  /** Slots that are not among these become free. */
  #emptyAllBut(slots: Int32Array): void {
    const stays = new Uint8Array(this.#rows.length)
    for (const slot of slots) if (slot !== UNKNOWN) stays[slot] = 1
    for (const slot of this.#order) {
      if (stays[slot] === 1) continue
      this.#slots.delete(this.#idOf(this.#rows[slot]!))
      this.#put(slot, null)
      this.#free.push(slot)
    }
  }

  #newSlot(id: string): number {
    const slot = this.#free.pop() ?? this.#rows.length
    this.#slots.set(id, slot)
    return slot
  }

  #put(slot: number, row: Row | null): void {
    this.#rows[slot] = row
    this.#changed.add(slot)
  }
}

/** How many rows are the same objects from these ranks on. */
function sameRows(x: readonly object[], fromX: number, y: readonly object[], fromY: number): number {
  const most = Math.min(x.length - fromX, y.length - fromY)
  let same = 0
  while (same < most && x[fromX + same] === y[fromY + same]) same++
  return same
}

const UNKNOWN = -1
const GROWS_BY = 1_000
