import { DELICATE, DRESS, NEGATIONS, SCHEDULED, SOFT, STOP, SYNONYMS, TRANSITIVE } from './lexicon.ts'
import { SHORT_NAMES } from './names.ts'
import { PEOPLES } from './peoples.ts'

/** What a word is to a comparison, as bits. */
export const WEIGHT = {
  stop: 1,
  soft: 2,
  delicate: 4,
  scheduled: 8,
  transitive: 16,
  negation: 32,
  dress: 64,
} as const

/**
 * Words to small integers, so that fingerprints of 200,000 markets share one copy of each word and compare
 * as numbers. It only grows; its owner drops it with everything made from it when `size` passes a bound.
 */
export class Vocabulary {
  readonly #ids = new Map<string, number>()
  readonly #canonical = new Map<string, string>()
  readonly #weights: number[] = []
  readonly words: string[] = []

  get size(): number {
    return this.words.length
  }

  id(word: string): number {
    const known = this.#ids.get(word)
    if (known !== undefined) return known
    const id = this.words.length
    this.words.push(word)
    this.#weights.push(weigh(word))
    this.#ids.set(word, id)
    return id
  }

  weight(id: number): number {
    return this.#weights[id]!
  }

  /** The word as compared: one form for inflections, synonyms, peoples and short given names. */
  canonical(word: string): string {
    const known = this.#canonical.get(word)
    if (known !== undefined) return known
    const form = canonicalWord(word)
    if (this.#canonical.size < 1_000_000) this.#canonical.set(word, form)
    return form
  }
}

export function canonicalWord(word: string): string {
  const direct = SYNONYMS.get(word)
  if (direct !== undefined) return direct
  const single = /[^siuoa]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word
  return SYNONYMS.get(single) ?? PEOPLES.get(single) ?? SHORT_NAMES.get(single) ?? single
}

function weigh(word: string): number {
  return (
    (STOP.has(word) ? WEIGHT.stop : 0) |
    (SOFT.has(word) ? WEIGHT.soft : 0) |
    (DRESS.has(word) ? WEIGHT.dress : 0) |
    (DELICATE.has(word) ? WEIGHT.delicate : 0) |
    (SCHEDULED.has(word) ? WEIGHT.scheduled : 0) |
    (TRANSITIVE.has(word) ? WEIGHT.transitive : 0) |
    (NEGATIONS.has(word) ? WEIGHT.negation : 0)
  )
}
