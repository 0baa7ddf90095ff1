import type { Pair } from '../core/pairing/pairer.ts'
import type { Changes } from './world.ts'

/** Which markets belong to a pair: most of what moves does not, and moves no board of pairs. */
export class PairedMarkets {
  #pairs = new Map<string, Pair>()
  #of = { a: new Map<string, string>(), b: new Map<string, string>() }

  warm(pairs: Iterable<Pair>): void {
    this.#pairs = new Map()
    this.#of = { a: new Map(), b: new Map() }
    for (const pair of pairs) this.#add(pair)
  }

  pair(pairId: string): Pair | null {
    return this.#pairs.get(pairId) ?? null
  }

  ids(): Iterable<string> {
    return this.#pairs.keys()
  }

  /** @returns the pairs that came, went or moved. */
  note({ pairsAdded, pairsRemoved, touched, books }: Changes): Set<string> {
    const moved = new Set<string>()
    for (const pairId of pairsRemoved) {
      this.#remove(pairId)
      moved.add(pairId)
    }
    for (const pair of pairsAdded) {
      this.#add(pair)
      moved.add(pair.pairId)
    }
    for (const list of [touched, books])
      for (const { venue, marketId } of list) {
        const pairId = this.#of[venue].get(marketId)
        if (pairId !== undefined) moved.add(pairId)
      }
    return moved
  }

  #add(pair: Pair): void {
    this.#pairs.set(pair.pairId, pair)
    for (const venue of ['a', 'b'] as const) this.#of[venue].set(pair[venue], pair.pairId)
  }

  #remove(pairId: string): void {
    const pair = this.#pairs.get(pairId)
    this.#pairs.delete(pairId)
    for (const venue of ['a', 'b'] as const)
      if (pair !== undefined && this.#of[venue].get(pair[venue]) === pairId)
        this.#of[venue].delete(pair[venue])
  }
}
