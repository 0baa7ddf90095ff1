/** A set of slots, ascending: four bytes each, so that a word can be in every row of a long list. */
export class SlotSet {
  #slots = new Int32Array(FIRST)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Ascending; to be read before the set changes. */
  all(): Int32Array {
    return this.#slots.subarray(0, this.#size)
  }

  has(slot: number): boolean {
    return this.#isAt(this.#placeOf(slot), slot)
  }

  add(slot: number): void {
    const place = this.#placeOf(slot)
    if (this.#isAt(place, slot)) return
    if (this.#size === this.#slots.length) this.#grow()
    this.#slots.copyWithin(place + 1, place, this.#size++)
    this.#slots[place] = slot
  }

  delete(slot: number): void {
    const place = this.#placeOf(slot)
    if (!this.#isAt(place, slot)) return
    this.#slots.copyWithin(place, place + 1, this.#size--)
  }

  #isAt(place: number, slot: number): boolean {
    return place < this.#size && this.#slots[place] === slot
  }

  #grow(): void {
    const slots = new Int32Array(Math.ceil(this.#size * GROWS))
    slots.set(this.#slots)
    this.#slots = slots
  }

  /** Index of the first slot that is not below this one. */
  #placeOf(slot: number): number {
    let [from, to] = [0, this.#size]
    while (from < to) {
      const middle = (from + to) >> 1
      if (this.#slots[middle]! < slot) from = middle + 1
      else to = middle
    }
    return from
  }
}

const FIRST = 2
const GROWS = 1.5
