import { type KeptRows, type RowLine, runsBetween } from './keptRows.ts'
import { Slots, UNKNOWN } from './slots.ts'

/** A list that is given as a whole each time: bounded, or made anew now and then. */
export class RowSlots<Row extends object> implements KeptRows {
  readonly #slots: Slots<Row>
  #newest: readonly Row[] = []
  #order = new Int32Array() // slots of `newest`
  //  since the last publication
  #changed = new Set<number>()
  #published = this.#order

  constructor(idOf: (row: Row) => string) {
    this.#slots = new Slots(idOf)
  }

  /** Takes the current rows, best first; ids are unique. Passing the same list again costs nothing. */
  update(rows: readonly Row[]): this {
    if (rows === this.#newest) return this
    const order = new Int32Array(rows.length)
    const stays = new Uint8Array(this.#slots.size)
    let next = 0 //  where the row behind the last one that was met again stood before
    for (let rank = 0; rank < rows.length; rank++) {
      const row = rows[rank]!
      const before = this.#placeOf(row, next)
      if (before !== -1) next = before + 1
      const slot = before === -1 ? this.#slots.find(row) : this.#order[before]!
      order[rank] = slot
      if (slot !== UNKNOWN) stays[slot] = 1
    }
    for (const slot of this.#order) if (stays[slot] === 0) this.#empty(slot)
    for (let rank = 0; rank < rows.length; rank++) {
      const slot = order[rank]!
      if (slot === UNKNOWN || this.#slots.at(slot) !== rows[rank]) order[rank] = this.#put(rows[rank]!)
    }
    this.#order = order
    this.#newest = rows
    return this
  }

  get count(): number {
    return this.#order.length
  }

  get changed(): number {
    return this.#changed.size
  }

  *changes(): Generator<RowLine> {
    for (const slot of this.#changed) yield this.#slots.line(slot)
  }

  *all(): Generator<RowLine> {
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
    if (this.#changed.size > 0) this.#changed = new Set() //  a new one, as in Pending
    this.#published = this.#order
  }

  inline(): string {
    return JSON.stringify(this.#newest)
  }

  /**
   * Where the same object stood before, from a rank on; -1 when it is not near. Most rows are the same objects in the same
   * order, but for a few that came or went between them: those are found without asking for their ids.
   */
  #placeOf(row: Row, from: number): number {
    const end = Math.min(this.#newest.length, from + NEAR)
    for (let place = from; place < end; place++) if (this.#newest[place] === row) return place
    return -1
  }

  #empty(slot: number): void {
    this.#slots.empty(slot)
    this.#changed.add(slot)
  }

  #put(row: Row): number {
    const slot = this.#slots.put(row)
    this.#changed.add(slot)
    return slot
  }
}

/** Looked through for each row that is new. */
const NEAR = 50
