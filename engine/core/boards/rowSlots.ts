import { type KeptRows, runsBetween } from './keptRows.ts'
import { Slots, UNKNOWN } from './slots.ts'

/** A long list that is given as a whole each time. */
export class RowSlots<Row extends object> implements KeptRows {
  readonly #slots: Slots<Row>
  #newest: readonly Row[] = []
  #order = new Int32Array() // slots of `newest`
  #ranks = new Int32Array() // by slot: where its row stands in `newest`
  //  since the last publication
  readonly #changed = new Set<number>()
  #published = this.#order

  constructor(idOf: (row: Row) => string) {
    this.#slots = new Slots(idOf)
  }

  /** Takes the rows as they are now, best first; ids are unique. The same list again costs nothing, another one some 10 ns a row. */
  update(rows: readonly Row[]): this {
    if (rows === this.#newest) return this
    const { order, others, stayed } = this.#slotsOf(rows)
    if (stayed < this.#newest.length) this.#emptyAllBut(order)
    for (const rank of others) {
      const slot = this.#slots.put(rows[rank]!)
      order[rank] = slot
      this.#changed.add(slot)
    }
    this.#order = order
    this.#newest = rows
    if (this.#ranks.length < this.#slots.size) this.#ranks = new Int32Array(this.#slots.size + GROWS_BY)
    const ranks = this.#ranks
    for (let rank = 0; rank < order.length; rank++) ranks[order[rank]!] = rank
    return this
  }

  get count(): number {
    return this.#order.length
  }

  get changed(): number {
    return this.#changed.size
  }

  *changes(): Generator<string> {
    for (const slot of this.#changed) yield this.#slots.line(slot)
  }

  *all(): Generator<string> {
    for (const slot of this.#order) yield this.#slots.line(slot)
  }

  order(): string {
    return `[${this.#order.join()}]`
  }

  runs(): string | null {
    const runs = runsBetween(this.#published, this.#order)
    return runs === null ? null : `[${runs.join()}]`
  }

  settle(): void {
    this.#changed.clear()
    this.#published = this.#order
  }

  inline(): string {
    return JSON.stringify(this.#newest)
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
      const slot = this.#slots.find(row)
      order[rank] = slot
      if (slot !== UNKNOWN) stayed++
      //  one that was left out or put in before it: go on from where it stood
      if (slot !== UNKNOWN && this.#slots.at(slot) === row) next = this.#ranks[slot]! + 1
      else others.push(rank)
      rank++
    }
    return { order, others, stayed }
  }

  /** Slots that are not among these become free. */
  #emptyAllBut(slots: Int32Array): void {
    const stays = new Uint8Array(this.#slots.size)
    for (const slot of slots) if (slot !== UNKNOWN) stays[slot] = 1
    for (const slot of this.#order) {
      if (stays[slot] === 1) continue
      this.#slots.empty(slot)
      this.#changed.add(slot)
    }
  }
}

/** How many rows are the same objects from these ranks on. */
function sameRows(x: readonly object[], fromX: number, y: readonly object[], fromY: number): number {
  const most = Math.min(x.length - fromX, y.length - fromY)
  let same = 0
  while (same < most && x[fromX + same] === y[fromY + same]) same++
  return same
}

const GROWS_BY = 1_000
