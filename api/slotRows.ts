const PAGE_BITS = 8
const PAGE_SLOTS = 1 << PAGE_BITS
const IN_PAGE = PAGE_SLOTS - 1

type Page<Row> = readonly (Row | undefined)[]

/**
 * Rows by slot. Immutable: the next version is another object, and shares every page of slots without a changed row. So
 * readers may keep a version as long as they like, and a new one costs by what changed, not by the number of rows.
 */
export class SlotRows<Row> {
  readonly #pages: readonly Page<Row>[]

  private constructor(pages: readonly Page<Row>[]) {
    this.#pages = pages
  }

  static none<Row>(): SlotRows<Row> {
    return new SlotRows<Row>([])
  }

  /** Greater than every slot that has a row. */
  get size(): number {
    return this.#pages.length * PAGE_SLOTS
  }

  at(slot: number): Row | undefined {
    return this.#pages[slot >> PAGE_BITS]?.[slot & IN_PAGE]
  }

  /** The first of these slots without a row; null when each has one. */
  emptyOf(slots: Int32Array): number | null {
    const pages = this.#pages
    for (let at = 0; at < slots.length; at++) {
      const slot = slots[at]!
      if (pages[slot >> PAGE_BITS]?.[slot & IN_PAGE] === undefined) return slot
    }
    return null
  }

  /** @param rows by slot; undefined empties it. */
  with(rows: Iterable<readonly [slot: number, row: Row | undefined]>): SlotRows<Row> {
    const pages = [...this.#pages]
    const fresh = new Map<number, (Row | undefined)[]>()
    for (const [slot, row] of rows) {
      const at = slot >> PAGE_BITS
      let page = fresh.get(at)
      if (page === undefined) {
        page = pages[at]?.slice() ?? Array(PAGE_SLOTS).fill(undefined)
        fresh.set(at, page)
      }
      page[slot & IN_PAGE] = row
    }
    for (const [at, page] of fresh) pages[at] = page
    return new SlotRows(pages)
  }

  /** Slots that hold another row than before, page by page. */
  *differences(before: SlotRows<Row>): Generator<number[]> {
    const pages = Math.max(this.#pages.length, before.#pages.length)
    for (let at = 0; at < pages; at++) {
      const [old, now] = [before.#pages[at] ?? NO_ROWS, this.#pages[at] ?? NO_ROWS]
      if (old === now) continue
      const slots: number[] = []
      //  not `!==`, which checks whether a row is NaN, at five times the cost
      for (let slot = 0; slot < PAGE_SLOTS; slot++)
        if (!Object.is(old[slot], now[slot])) slots.push((at << PAGE_BITS) + slot)
      yield slots
    }
  }
}

const NO_ROWS: Page<never> = []
