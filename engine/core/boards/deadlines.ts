/**
 * Instants at which keys are due to be looked at again, soonest first: a heap with one waiting instant per key. An
 * entry cannot be withdrawn: the caller that takes a due key checks whether it still matters.
 */
export class Deadlines<Key> {
  readonly #dueMs = new Map<Key, number>()
  readonly #times: number[] = []
  readonly #keys: Key[] = []

  get size(): number {
    return this.#dueMs.size
  }

  /** Keeps the earlier of this and the instant that the key waits for already. */
  set(atMs: number, key: Key): void {
    if (atMs >= (this.#dueMs.get(key) ?? Number.POSITIVE_INFINITY)) return
    this.#dueMs.set(key, atMs)
    let at = this.#times.push(atMs) - 1
    this.#keys.push(key)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (this.#times[parent]! <= this.#times[at]!) break
      this.#swap(at, parent)
      at = parent
    }
  }

  /** Takes out every key whose instant has come; one due at exactly `nowMs` is included. */
  *due(nowMs: number): Generator<Key> {
    while (this.#times.length > 0 && this.#times[0]! <= nowMs) {
      const atMs = this.#times[0]!
      const key = this.#pop()
      //  an earlier instant was set for this key later, and has already been due
      if (this.#dueMs.get(key) !== atMs) continue
      this.#dueMs.delete(key)
      yield key
    }
  }

  #pop(): Key {
    const first = this.#keys[0]!
    this.#swap(0, this.#times.length - 1)
    this.#times.pop()
    this.#keys.pop()
    for (let at = 0; ; ) {
      const left = 2 * at + 1
      if (left >= this.#times.length) return first
      const right = left + 1
      const child = right < this.#times.length && this.#times[right]! < this.#times[left]! ? right : left
      if (this.#times[at]! <= this.#times[child]!) return first
      this.#swap(at, child)
      at = child
    }
  }

  #swap(x: number, y: number): void {
    ;[this.#times[x], this.#times[y]] = [this.#times[y]!, this.#times[x]!]
    ;[this.#keys[x], this.#keys[y]] = [this.#keys[y]!, this.#keys[x]!]
  }
}
