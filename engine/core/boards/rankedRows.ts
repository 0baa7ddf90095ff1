import { type KeptRows, type RowLine, runsBetween } from './keptRows.ts'
import { emptyLine, Slots, UNKNOWN } from './slots.ts'

/** Spare room allocated for an order, so that the list can grow this much before it is allocated again. */
const SPARE = 1.25

/**
 * A long list kept in order, of which the best rows are published: leaving rows are cut out and coming rows put in
 * their places, so that a look at which few rows moved compares only those. Rows are replaced, never changed in place;
 * ids are unique.
 */
export class RankedRows<Row extends object, Told extends object = Row> implements KeptRows {
  readonly #compare: (x: Row, y: Row) => number
  readonly #toldOf: (row: Row) => Told
  readonly #saysTheSame: (x: Row, y: Row) => boolean
  readonly #max: number
  readonly #isAlwaysTold: ((row: Row) => boolean) | null
  readonly #slots: Slots<Row>
  #order = new Int32Array() // slots of all rows, best first
  #picked: Int32Array<ArrayBuffer> | null = null // slots of the published rows; null: to be picked
  //  rows to be put in order
  #came = new Set<Row>()
  #gone = new Set<Row>()
  //  of the published rows, by slot
  readonly #told = new Set<number>()
  #changed = new Set<number>() // since the last publication
  #published = this.#order
  #rooms: Int32Array<ArrayBuffer>[] = [] // orders lie in these in turn; see #room

  /**
   * @param compare a total order, negative when the first is better.
   * @param toldOf what is published of a row, made only where it is needed: keeping all of it would take several times
   * the memory.
   * @param saysTheSame whether two rows are published alike, for rows that change rank more often than content.
   * @param max how many are published, the best …
   * @param isAlwaysTold … and, besides those, which rows always are.
   */
  constructor(options: {
    idOf(row: Row): string
    compare(x: Row, y: Row): number
    toldOf(row: Row): Told
    saysTheSame?(x: Row, y: Row): boolean
    max?: number
    isAlwaysTold?(row: Row): boolean
  }) {
    this.#compare = options.compare
    this.#toldOf = options.toldOf
    this.#saysTheSame = options.saysTheSame ?? ((x, y) => x === y)
    this.#max = options.max ?? Number.POSITIVE_INFINITY
    this.#isAlwaysTold = options.isAlwaysTold ?? null
    this.#slots = new Slots(options.idOf, options.toldOf)
  }

  add(row: Row): void {
    if (!this.#gone.delete(row)) this.#came.add(row)
  }

  /** @param row one that was added before. */
  delete(row: Row): void {
    if (!this.#came.delete(row)) this.#gone.add(row)
  }

  /** Starts over with no rows; readers get only the differences to what was published. */
  clear(): void {
    this.#came = new Set()
    this.#gone = new Set()
    this.#slots.clear()
    this.#order = new Int32Array()
    this.#picked = null
    for (const slot of this.#told) this.#changed.add(slot)
    this.#told.clear()
  }

  /** Puts the added and deleted rows in order; everything below is as of the last call. */
  sort(): this {
    const coming = [...this.#came].sort(this.#compare)
    if (coming.length === 0 && this.#gone.size === 0) return this
    const leaving = new Int32Array(this.#gone.size)
    let left = 0
    for (const row of this.#gone) leaving[left++] = this.#placeOf(row)
    leaving.sort()
    const places = new Int32Array(coming.length)
    const slots = new Int32Array(coming.length)
    const isNew = new Uint8Array(coming.length)
    for (let at = 0; at < coming.length; at++) places[at] = this.#placeOf(coming[at]!)
    for (let at = 0; at < coming.length; at++) {
      isNew[at] = this.#isNew(coming[at]!) ? 1 : 0
      slots[at] = this.#slots.put(coming[at]!)
    }
    for (const row of this.#gone) this.#release(row)
    const ranks = this.#merge(leaving, { places, slots })
    for (let at = 0; at < slots.length; at++)
      this.#tell(slots[at]!, this.#isTold(slots[at]!, ranks[at]!), isNew[at] === 1)
    //  a row that stayed moved by at most this many ranks
    const moved = Math.max(coming.length, this.#gone.size)
    const end = Math.min(this.#order.length, this.#max + moved)
    for (let rank = Math.max(0, Math.min(end, this.#max - moved)); rank < end; rank++)
      this.#tell(this.#order[rank]!, this.#isTold(this.#order[rank]!, rank), false)
    this.#came = new Set() //  new ones, as in Pending
    this.#gone = new Set()
    this.#picked = null
    return this
  }

  /** The published ones, best first, as they are kept. */
  *rows(): Generator<Row> {
    for (const slot of this.#best) yield this.#slots.at(slot)!
  }

  /** The published rows, as they are published. */
  *[Symbol.iterator](): Generator<Told> {
    for (const row of this.rows()) yield this.#toldOf(row)
  }

  get count(): number {
    return this.#best.length
  }

  get changed(): number {
    return this.#changed.size
  }

  *changes(): Generator<RowLine> {
    for (const slot of this.#changed) yield this.#told.has(slot) ? this.#slots.line(slot) : emptyLine(slot)
  }

  *all(): Generator<RowLine> {
    for (const slot of this.#best) yield this.#slots.line(slot)
  }

  order(): string {
    return `[${this.#best.join()}]`
  }

  runs(): string | null {
    const runs = runsBetween(this.#published, this.#best)
    return runs === null ? null : `[${runs.join()}]`
  }

  settle(): void {
    if (this.#changed.size > 0) this.#changed = new Set()
    this.#published = this.#best
  }

  inline(): string {
    return JSON.stringify([...this])
  }

  get #best(): Int32Array<ArrayBuffer> {
    this.#picked ??= this.#pick()
    return this.#picked
  }

  #pick(): Int32Array<ArrayBuffer> {
    if (this.#order.length <= this.#max) return this.#order
    if (this.#isAlwaysTold === null) return this.#order.subarray(0, this.#max)
    return this.#order.filter((slot) => this.#told.has(slot))
  }

  #isTold(slot: number, rank: number): boolean {
    return rank < this.#max || this.#isAlwaysTold?.(this.#slots.at(slot)!) === true
  }

  /** Does the row say something different from the current row of its id? */
  #isNew(row: Row): boolean {
    const slot = this.#slots.find(row)
    return slot === UNKNOWN || !this.#saysTheSame(this.#slots.at(slot)!, row)
  }

  #release(row: Row): void {
    const slot = this.#slots.find(row)
    if (slot === UNKNOWN || this.#slots.at(slot) !== row) return //  another row of this id came
    this.#slots.empty(slot)
    this.#tell(slot, false, false)
  }

  #tell(slot: number, isTold: boolean, isNew: boolean): void {
    if (isTold === this.#told.has(slot) && !(isTold && isNew)) return
    this.#changed.add(slot)
    if (isTold) this.#told.add(slot)
    else this.#told.delete(slot)
  }

  /** The rank of a row, or the rank it would have. */
  #placeOf(row: Row): number {
    let [from, to] = [0, this.#order.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (this.#compare(this.#slots.at(this.#order[middle]!)!, row) < 0) from = middle + 1
      else to = middle
    }
    return from
  }

  /**
   * @param leaving ranks of rows that go, ascending.
   * @param coming slots to insert, each with its place: before the row of that rank, ascending.
   * @returns the ranks of the inserted rows.
   */
  #merge(leaving: Int32Array, { places, slots }: { places: Int32Array; slots: Int32Array }): Int32Array {
    const before = this.#order
    const order = this.#room(before.length - leaving.length + slots.length)
    const ranks = new Int32Array(slots.length)
    let [read, written] = [0, 0]
    const take = (end: number) => {
      while (read < end) order[written++] = before[read++]!
    }
    let left = 0
    for (let next = 0; next <= slots.length; next++) {
      const place = next < slots.length ? places[next]! : before.length
      for (; left < leaving.length && leaving[left]! < place; left++) {
        take(leaving[left]!)
        read++
      }
      take(place)
      if (next === slots.length) break
      ranks[next] = written
      order[written++] = slots[next]!
    }
    this.#order = order
    return ranks
  }

  /**
   * Memory for an order that is used neither by the present order nor by the published one. Allocating it anew each
   * time would be off-heap memory, and so much of it grew old that it triggered collections of the whole heap.
   */
  #room(length: number): Int32Array<ArrayBuffer> {
    const taken = [this.#order.buffer, this.#published.buffer]
    const isFree = ({ buffer }: Int32Array<ArrayBuffer>) => !taken.includes(buffer)
    const free = this.#rooms.find((room) => isFree(room) && room.length >= length)
    if (free !== undefined) return free.subarray(0, length)
    const room = new Int32Array(Math.ceil(length * SPARE))
    this.#rooms = [room, ...this.#rooms.filter((each) => !isFree(each))]
    return room.subarray(0, length)
  }
}
