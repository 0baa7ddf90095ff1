import { type KeptRows, type RowLine, runsBetween } from './keptRows.ts'
import { Slots, UNKNOWN } from './slots.ts'

/** A list that is given as a whole each time: bounded, or made anew now and then. */
export class RowSlots<Row extends object> implements KeptRows {
  readonly #slots: Slots<Row>
  //  slots of the newest rows: most are the same objects as before, and are found without their ids
  readonly #slotOf = new Map<Row, number>()
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
    for (let rank = 0; rank < rows.length; rank++) {
      const slot = this.#slotOf.get(rows[rank]!) ?? this.#slots.find(rows[rank]!)
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

  #empty(slot: number): void {
    this.#slotOf.delete(this.#slots.at(slot)!)
    this.#slots.empty(slot)
    this.#changed.add(slot)
  }

  #put(row: Row): number {
    const known = this.#slots.find(row)
    if (known !== UNKNOWN) this.#slotOf.delete(this.#slots.at(known)!)
    const slot = this.#slots.put(row)
    this.#slotOf.set(row, slot)
    this.#changed.add(slot)
    return slot
  }
}
