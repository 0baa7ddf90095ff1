import { type Changes, noChanges } from './world.ts'

/** What moved in many batches as one: a market that moved a hundred times is in it once. */
export class Missed {
  readonly #changes = noChanges()
  readonly #known = { a: new Set<string>(), b: new Set<string>() }
  #writtenMs = 0

  get changes(): Changes {
    return this.#changes
  }

  /** When the newest of it was written to the stream. */
  get writtenMs(): number {
    return this.#writtenMs
  }

  /** @param changes of a batch; null: nobody could read it. */
  add(changes: Changes | null, writtenMs: number): void {
    this.#writtenMs = writtenMs
    if (changes === null) return
    const all = this.#changes
    for (const pairId of changes.pairs) all.pairs.add(pairId)
    for (const each of changes.touched) {
      const known = this.#known[each.venue]
      if (known.has(each.marketId)) continue
      known.add(each.marketId)
      all.touched.push(each)
    }
    all.sweep ||= changes.sweep
  }
}
