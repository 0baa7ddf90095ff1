/**
 * Keys that wait to be looked at, each once until it is taken. Its sets are replaced, never emptied: V8 allocates each
 * table of an old set in old space too, where only a full collection finds that it is no longer needed.
 */
export class Pending<Key> {
  #coming = new Set<Key>()
  #going = this.#coming.values()
  #left = 0 // keys `going` still has to yield

  get size(): number {
    return this.#left + this.#coming.size
  }

  /** One that is being taken already comes again behind the others. */
  add(key: Key): void {
    this.#coming.add(key)
  }

  /** Takes as many keys as there are at the call, one per step. Two takers at the same time never get the same key. */
  *take(): Generator<Key> {
    for (let more = this.size; more > 0 && this.size > 0; more--) {
      if (this.#left === 0) this.#turn()
      this.#left--
      yield this.#going.next().value!
    }
  }

  #turn(): void {
    this.#left = this.#coming.size
    this.#going = this.#coming.values()
    this.#coming = new Set()
  }
}
