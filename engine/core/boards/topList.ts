import { higherFirst } from './higherFirst.ts'
import { SortedRows } from './sortedRows.ts'

/**
 * The best `max` of many items that come, go and are replaced, without looking at all of them each time: a pool holds
 * every item down to some bar, a few times as many as are wanted, and is filled anew from all of them only when too few
 * are left in it. Items are replaced, never changed in place.
 */
export class TopList<T extends object> {
  readonly #max: number
  readonly #compare: (x: T, y: T) => number
  readonly #pool: SortedRows<T>
  //  since the pool was put in order last
  #came = new Set<T>()
  #gone = new Set<T>()
  #bar: T | null = null // worst item the pool may hold; null: any
  #size = 0

  /**
   * @param rankOf higher is better.
   * @param tie a total order among items of one rank, negative when the first is better.
   */
  constructor(max: number, rankOf: (item: T) => number, tie: (x: T, y: T) => number) {
    this.#max = max
    this.#compare = (x, y) => higherFirst(rankOf(x), rankOf(y)) || tie(x, y)
    this.#pool = new SortedRows(this.#compare)
  }

  get size(): number {
    return this.#size
  }

  add(item: T): void {
    this.#size++
    this.#put(item)
  }

  delete(item: T): void {
    this.#size--
    if (this.#isPooled(item) && !this.#came.delete(item)) this.#gone.add(item)
  }

  /**
   * Best first.
   * @param all every item that was added and not deleted; read only when the pool ran low.
   */
  best(all: Iterable<T>): readonly T[] {
    if (this.#pooled() < Math.min(this.#max, this.#size)) this.#refill(all)
    return this.#sorted().slice(0, this.#max)
  }

  #isPooled(item: T): boolean {
    return this.#bar === null || this.#compare(item, this.#bar) <= 0
  }

  #pooled(): number {
    return this.#pool.rows.length - this.#gone.size + this.#came.size
  }

  #put(item: T): void {
    if (!this.#isPooled(item)) return
    if (!this.#gone.delete(item)) this.#came.add(item)
    if (this.#pooled() > MOST * this.#max) this.#cut()
  }

  #refill(all: Iterable<T>): void {
    this.#pool.cut(0)
    this.#renew()
    this.#bar = null
    for (const item of all) this.#put(item)
  }

  #cut(): void {
    this.#sorted()
    this.#pool.cut((MOST * this.#max) / 2)
    this.#bar = this.#pool.rows.at(-1)!
  }

  #sorted(): readonly T[] {
    const rows = this.#pool.replace(this.#gone, this.#came)
    this.#renew()
    return rows
  }

  /** Replaces the sets, as in Pending. */
  #renew(): void {
    if (this.#came.size > 0) this.#came = new Set()
    if (this.#gone.size > 0) this.#gone = new Set()
  }
}

//  The pool holds up to this many times the wanted number, and is then cut to half of that.
const MOST = 4
