import { createHash } from 'node:crypto'
import { PART_ROWS } from '../../contract/snapshot.ts'

/** What a publication needs of a list. */
export type PartedRows = Pick<RowParts<object>, 'order' | 'parts' | 'length' | 'inline'>

/**
 * A long list of rows as parts that change only where their rows do: a row stays in its slot while it lives, whatever
 * its rank, and the order is a list of slots. A part is known by the digest of its text, so an unchanged one is neither
 * written, sent nor read again. Rows are replaced, never changed in place: the same object has the same text.
 */
export class RowParts<Row extends object> {
  readonly #idOf: (row: Row) => string
  #slots = new Map<string, number>()
  #rows: (Row | null)[] = []
  #texts: string[] = [] //  by slot; an empty slot is `null`
  #free: number[] = []
  #parts: { digest: string; text: string }[] = []
  #order: readonly number[] = []

  constructor(idOf: (row: Row) => string) {
    this.#idOf = idOf
  }

  /** Takes the rows as they are now, best first; ids are unique. */
  update(rows: readonly Row[]): this {
    //  many rows went: half-empty parts would be read for nothing
    if (this.#rows.length > 2 * rows.length + PART_ROWS) this.#clear()
    const stale = new Set<number>()
    const gone = new Map(this.#slots)
    for (const row of rows) gone.delete(this.#idOf(row))
    for (const [id, slot] of gone) {
      this.#slots.delete(id)
      this.#put(slot, null, stale)
      this.#free.push(slot)
    }
    this.#order = rows.map((row) => {
      const slot = this.#slotOf(this.#idOf(row))
      if (this.#rows[slot] !== row) this.#put(slot, row, stale)
      return slot
    })
    for (const part of stale) this.#parts[part] = this.#write(part)
    return this
  }

  /** Slots of the rows, best first: row `slot % PART_ROWS` of part `slot / PART_ROWS`. */
  get order(): readonly number[] {
    return this.#order
  }

  /** Each a JSON array of rows, `null` where a slot is empty. */
  get parts(): readonly { digest: string; text: string }[] {
    return this.#parts
  }

  /** Characters of all rows. */
  get length(): number {
    return this.#parts.reduce((sum, { text }) => sum + text.length, 0)
  }

  /** The rows as one JSON array, best first. */
  inline(): string {
    return `[${this.#order.map((slot) => this.#texts[slot]).join(',')}]`
  }

  #slotOf(id: string): number {
    const known = this.#slots.get(id)
    if (known !== undefined) return known
    const slot = this.#free.pop() ?? this.#rows.length
    this.#slots.set(id, slot)
    if (slot === this.#rows.length) this.#rows.push(null)
    return slot
  }

  #put(slot: number, row: Row | null, stale: Set<number>): void {
    this.#rows[slot] = row
    this.#texts[slot] = row === null ? 'null' : JSON.stringify(row)
    stale.add(Math.floor(slot / PART_ROWS))
  }

  #write(part: number): { digest: string; text: string } {
    const text = `[${this.#texts.slice(part * PART_ROWS, (part + 1) * PART_ROWS).join(',')}]`
    return { digest: createHash('sha256').update(text).digest('hex').slice(0, 32), text }
  }

  #clear(): void {
    this.#slots = new Map()
    this.#rows = []
    this.#texts = []
    this.#free = []
    this.#parts = []
  }
}
