/**
 * Keys that wait to be looked at, each once until it is taken. Its sets are never emptied but replaced: V8 puts every table of
 * a set that grew old beside the old one, where only a look through the whole heap finds that nobody needs it any more.
 */
export class Pending<Key> {
  #coming = new Set<Key>()
  #going = this.#coming.values()
  #left = 0 // behind `going`

  get size(): number {
    return this.#left + this.#coming.size
  }

  /** One that is being taken already comes again behind the others. */
  add(key: Key): void {
    this.#coming.add(key)
  }

  /** Takes as many as there are now, one a step. Of two that take at the same time neither gets what the other got. */
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
