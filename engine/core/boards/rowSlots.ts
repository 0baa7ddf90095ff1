import { type KeptRows, runsBetween } from './keptRows.ts'
import { Slots, UNKNOWN } from './slots.ts'

/** A list that is given as a whole each time: bounded, or made anew now and then. */
export class RowSlots<Row extends object> implements KeptRows {
  readonly #slots: Slots<Row>
  #newest: readonly Row[] = []
  #order = new Int32Array() // slots of `newest`
  //  since the last publication
  readonly #changed = new Set<number>()
  #published = this.#order

  constructor(idOf: (row: Row) => string) {
    this.#slots = new Slots(idOf)
  }

  /** Takes the rows as they are now, best first; ids are unique. The same list again costs nothing. */
  update(rows: readonly Row[]): this {
    if (rows === this.#newest) return this
    const left = new Set(this.#order)
    for (const row of rows) left.delete(this.#slots.find(row))
    for (const slot of left) {
      this.#slots.empty(slot)
      this.#changed.add(slot)
    }
    this.#order = Int32Array.from(rows, (row) => this.#place(row))
    this.#newest = rows
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

  #place(row: Row): number {
    const known = this.#slots.find(row)
    if (known !== UNKNOWN && this.#slots.at(known) === row) return known
    const slot = this.#slots.put(row)
    this.#changed.add(slot)
    return slot
  }
}
