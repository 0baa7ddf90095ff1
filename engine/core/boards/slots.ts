import type { RowLine } from './keptRows.ts'

/**
 * Where the rows of a long list are: a row stays in its slot while it lives, whatever its rank. Rows are replaced, never
 * changed in place: the same object has the same text. Texts are written when somebody asks for them, and not kept.
 */
export class Slots<Row extends object> {
  readonly #idOf: (row: Row) => string
  readonly #toldOf: (row: Row) => object
  readonly #slots = new Map<string, number>()
  readonly #rows: (Row | null)[] = []
  readonly #free: number[] = []

  /** @param toldOf what the text of a row says; the row itself where nothing is given. */
  constructor(idOf: (row: Row) => string, toldOf: (row: Row) => object = (row) => row) {
    this.#idOf = idOf
    this.#toldOf = toldOf
  }

  /** One more than the highest slot there ever was. */
  get size(): number {
    return this.#rows.length
  }

  at(slot: number): Row | null {
    return this.#rows[slot] ?? null
  }

  /** Where a row of this id is, whatever it says; UNKNOWN when there is none. */
  find(row: Row): number {
    return this.#slots.get(this.#idOf(row)) ?? UNKNOWN
  }

  /** @returns the slot, which is the same as long as there is a row of this id. */
  put(row: Row): number {
    const id = this.#idOf(row)
    const slot = this.#slots.get(id) ?? this.#free.pop() ?? this.#rows.length
    this.#slots.set(id, slot)
    this.#rows[slot] = row
    return slot
  }

  empty(slot: number): void {
    const row = this.at(slot)
    if (row === null) return
    this.#slots.delete(this.#idOf(row))
    this.#rows[slot] = null
    this.#free.push(slot)
  }

  clear(): void {
    for (let slot = 0; slot < this.#rows.length; slot++) this.empty(slot)
  }

  line(slot: number): RowLine {
    const row = this.at(slot)
    return row === null ? emptyLine(slot) : [`${slot} `, JSON.stringify(this.#toldOf(row))]
  }
}

export const emptyLine = (slot: number): RowLine => [`${slot} `]

export const UNKNOWN = -1
