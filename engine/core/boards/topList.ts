/**
 * The best `max` of many items that come, go and are replaced, without looking at all of them each time: a pool holds
 * every item down to some bar, a few times as many as are wanted, and is filled anew from all of them only when too few
 * are left in it. Items are replaced, never changed in place.
 */
export class TopList<T extends object> {
  readonly #max: number
  readonly #rankOf: (item: T) => number
  readonly #tie: (x: T, y: T) => number
  #pool = new Set<T>()
  #bar: T | null = null // worst item the pool may hold; null: any
  #size = 0

  /**
   * @param rankOf higher is better.
   * @param tie a total order among items of one rank, negative when the first is better.
   */
  constructor(max: number, rankOf: (item: T) => number, tie: (x: T, y: T) => number) {
    this.#max = max
    this.#rankOf = rankOf
    this.#tie = tie
  }

  get size(): number {
    return this.#size
  }

  add(item: T): void {
    this.#size++
    if (this.#bar !== null && this.#compare(item, this.#bar) > 0) return
    this.#pool.add(item)
    if (this.#pool.size > MOST * this.#max) this.#cut()
  }

  delete(item: T): void {
    this.#size--
    this.#pool.delete(item)
  }

  /** Best first. @param all every item that was added and not deleted; read only when the pool ran low. */
  best(all: Iterable<T>): T[] {
    if (this.#pool.size < Math.min(this.#max, this.#size)) this.#refill(all)
    return this.#sorted().slice(0, this.#max)
  }

  #refill(all: Iterable<T>): void {
    this.#pool = new Set()
    this.#bar = null
    const size = this.#size
    for (const item of all) this.add(item)
    this.#size = size
  }

  #cut(): void {
    const kept = this.#sorted().slice(0, (MOST * this.#max) / 2)
    this.#pool = new Set(kept)
    this.#bar = kept.at(-1)!
  }

  #sorted(): T[] {
    return [...this.#pool].sort((x, y) => this.#compare(x, y))
  }

  #compare(x: T, y: T): number {
    return this.#rankOf(y) - this.#rankOf(x) || this.#tie(x, y)
  }
}

//  The pool holds up to so many times the wanted number and is cut to half of that.
const MOST = 4
