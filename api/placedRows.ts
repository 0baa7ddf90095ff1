import { SlotRows } from './slotRows.ts'

/** The operations needed on a list, best row first; an array has them too. */
export interface Rows<Row> extends Iterable<Row> {
  readonly length: number
  find(is: (row: Row) => boolean): Row | undefined
  slice(from: number, to: number): Row[]
}

/** A body as held in memory: its long lists are not arrays. */
export type HeldBody<Body> = {
  [Key in keyof Body]: Body[Key] extends readonly (infer Row extends object)[] ? Rows<Row> : Body[Key]
}

/** One version of a list, best row first, and the slots that its rows keep across versions, whatever their rank. */
export class PlacedRows<Row> implements Rows<Row> {
  readonly slots: Int32Array
  readonly bySlot: SlotRows<Row>

  /** @throws RangeError when there is no row in one of the slots. */
  constructor(slots: Int32Array, bySlot: SlotRows<Row>) {
    const empty = bySlot.emptyOf(slots)
    if (empty !== null) throw new RangeError(`slot ${empty} is empty`)
    this.slots = slots
    this.bySlot = bySlot
  }

  get length(): number {
    return this.slots.length
  }

  /** @param rank below `length`. */
  at(rank: number): Row {
    return this.bySlot.at(this.slots[rank]!)!
  }

  find(is: (row: Row) => boolean): Row | undefined {
    for (let rank = 0; rank < this.length; rank++) {
      const row = this.at(rank)
      if (is(row)) return row
    }
    return undefined
  }

  slice(from: number, to: number): Row[] {
    return Array.from(this.slots.subarray(from, to), (slot) => this.bySlot.at(slot)!)
  }

  *[Symbol.iterator](): Generator<Row> {
    for (let rank = 0; rank < this.length; rank++) yield this.at(rank)
  }
}

/** The best `count` wanted rows; looks at no more rows than necessary. */
export function firstOf<Row>(rows: Iterable<Row>, count: number, isWanted: (row: Row) => boolean): Row[] {
  const found: Row[] = []
  for (const row of rows) {
    if (found.length === count) break
    if (isWanted(row)) found.push(row)
  }
  return found
}

/** For a list that is replaced as a whole with each version: a row's slot is its rank. */
export const inPlace = <Row>(rows: readonly Row[]): PlacedRows<Row> =>
  new PlacedRows(Int32Array.from(rows.keys()), SlotRows.none<Row>().with(rows.entries()))
