import { hash } from 'node:crypto'
import { PART_ROWS } from '../../contract/snapshot.ts'

/** What a publication needs of a list. */
export type PartedRows = Pick<RowParts<object>, 'parts' | 'length' | 'manifest' | 'inline'>

/** Some rows under one name. Its text is written when somebody asks for it, and not kept: most parts are stored already. */
export type Part = { readonly digest: string; text(): string }

/**
 * A long list of rows as parts that change only where their rows do: a row stays in its slot while it lives, whatever
 * its rank, and the order is a list of slots. A part is known by the digest of its text, so an unchanged one is neither
 * written, sent nor read again. Rows are replaced, never changed in place: the same object has the same text.
 */
export class RowParts<Row extends object> {
  readonly #idOf: (row: Row) => string
  #slots = new Map<string, number>()
  #rows: (Row | null)[] = []
  #free: number[] = []
  #parts: TextPart[] = []
  #fresh: TextPart[] = [] // those of the last update
  #order: readonly number[] = []
  #ranks: Int32Array = new Int32Array(0) // by slot: where its row stands in `newest`
  #newest: readonly Row[] | null = null
  #manifest: string | null = null

  constructor(idOf: (row: Row) => string) {
    this.#idOf = idOf
  }

  /** Takes the rows as they are now, best first; ids are unique. The same list again costs nothing. */
  update(rows: readonly Row[]): this {
    if (rows === this.#newest) return this
    for (const part of this.#fresh) part.forget()
    this.#fresh = []
    //  many rows went: half-empty parts would be read for nothing
    if (this.#rows.length > 2 * rows.length + PART_ROWS) this.#clear()
    const stale = new Set<number>()
    const order = this.#slotsOf(rows)
    this.#dropAllBut(order, stale)
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at]!
      const slot = order[at] === UNKNOWN ? this.#newSlot(this.#idOf(row)) : order[at]!
      order[at] = slot
      if (this.#rows[slot] !== row) this.#put(slot, row, stale)
    }
    this.#keepOrder(order)
    this.#newest = rows
    this.#manifest = null
    for (const at of stale) {
      const part = new TextPart(this.#rows.slice(at * PART_ROWS, (at + 1) * PART_ROWS))
      this.#parts[at] = part
      this.#fresh.push(part)
    }
    return this
  }

  /** Takes the rows and writes their texts, one part a step: what is asked for afterwards costs little. */
  *approach(rows: readonly Row[]): Generator<void> {
    this.update(rows)
    for (const part of this.#fresh) {
      part.write()
      yield
    }
  }

  /** Most rows stand behind the same one as before: only the others are looked up by their id. */
  #slotsOf(rows: readonly Row[]): number[] {
    const [before, order] = [this.#newest ?? [], this.#order]
    let next = 0
    return rows.map((row) => {
      if (before[next] === row) return order[next++]!
      const slot = this.#slots.get(this.#idOf(row)) ?? UNKNOWN
      //  one that was left out or put in before it: go on from where it stood
      if (slot !== UNKNOWN && this.#rows[slot] === row) next = this.#ranks[slot]! + 1
      return slot
    })
  }

  #keepOrder(order: readonly number[]): void {
    this.#order = order
    if (this.#ranks.length < this.#rows.length) this.#ranks = new Int32Array(this.#rows.length + GROWS_BY)
    for (let rank = 0; rank < order.length; rank++) this.#ranks[order[rank]!] = rank
  }

  /** Slots that are not among these become free. */
  #dropAllBut(slots: readonly number[], stale: Set<number>): void {
    const stays = new Uint8Array(this.#rows.length)
    for (const slot of slots) if (slot !== UNKNOWN) stays[slot] = 1
    for (let slot = 0; slot < stays.length; slot++) {
      const row = this.#rows[slot]!
      if (stays[slot] === 1 || row === null) continue
      this.#slots.delete(this.#idOf(row))
      this.#put(slot, null, stale)
      this.#free.push(slot)
    }
  }

  /** Slots of the rows, best first: row `slot % PART_ROWS` of part `slot / PART_ROWS`. */
  get order(): readonly number[] {
    return this.#order
  }

  /** Each a JSON array of rows, `null` where a slot is empty. */
  get parts(): readonly Part[] {
    return this.#parts
  }

  /** Characters of all rows. */
  get length(): number {
    return this.#parts.reduce((sum, { length }) => sum + length, 0)
  }

  /** JSON of `PartedList`. */
  manifest(): string {
    this.#manifest ??= `{"parts":[${this.#parts.map(({ digest }) => `"${digest}"`).join()}],"order":[${this.#order.join()}]}`
    return this.#manifest
  }

  /** The rows as one JSON array, best first. */
  inline(): string {
    return JSON.stringify(this.#order.map((slot) => this.#rows[slot]))
  }

  #newSlot(id: string): number {
    const slot = this.#free.pop() ?? this.#rows.length
    this.#slots.set(id, slot)
    if (slot === this.#rows.length) this.#rows.push(null)
    return slot
  }

  #put(slot: number, row: Row | null, stale: Set<number>): void {
    this.#rows[slot] = row
    stale.add(Math.floor(slot / PART_ROWS))
  }

  #clear(): void {
    this.#slots = new Map()
    this.#rows = []
    this.#free = []
    this.#parts = []
    this.#newest = null
  }
}

const UNKNOWN = -1
const GROWS_BY = 1_000

/**
 * Written when somebody asks what it is. Keeps its text until somebody asked for it, which is when the part is published, or
 * until the next update.
 */
class TextPart implements Part {
  readonly #rows: readonly unknown[]
  #written: { digest: string; length: number } | null = null
  #text: string | null = null

  constructor(rows: readonly unknown[]) {
    this.#rows = rows
  }

  get digest(): string {
    return this.write().digest
  }

  get length(): number {
    return this.write().length
  }

  write(): { digest: string; length: number } {
    if (this.#written !== null) return this.#written
    const text = JSON.stringify(this.#rows)
    this.#text = text
    this.#written = { digest: hash('sha256', text, 'hex').slice(0, 32), length: text.length }
    return this.#written
  }

  text(): string {
    const text = this.#text ?? JSON.stringify(this.#rows)
    this.#text = null
    return text
  }

  forget(): void {
    this.#text = null
  }
}
