import {
  ABSORBING,
  AGREEMENTS,
  AMERICAN,
  COMPLETED,
  DELICATE,
  DRESS,
  LEAVING,
  MEASURED,
  NAMED_PRIZES,
  NEGATIONS,
  PRIZES,
  QUARTERS,
  RECURRING,
  SCHEDULED,
  SHARES,
  SOFT,
  STOP,
  SYNONYMS,
  TRANSITIVE,
} from './lexicon.ts'
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
  prize: 128,
  american: 256, //    about the United States, though it does not say so
  leaving: 512,
  agreement: 1_024,
  measured: 2_048,
  meet: 4_096,
  recurring: 16_384,
  completed: 32_768,
  quarter: 65_536,
  namedPrize: 131_072,
  share: 262_144, //   measured in per cent
  absorbing: 8_192, // says by itself what another word of its question says, see distinct.ts
} as const

/** Kinds of questions that depend on the fine print of what they name. */
export const FINE_PRINT =
  WEIGHT.delicate | WEIGHT.leaving | WEIGHT.agreement | WEIGHT.measured | WEIGHT.meet | WEIGHT.completed

/**
 * Words to small integers, so that fingerprints of 200,000 markets share one copy of each word and compare
 * as numbers. It only grows; its owner drops it with everything made from it when `size` passes a bound.
 */
export class Vocabulary {
  readonly #ids = new Map<string, number>()
  readonly #idsAsRead = new Map<string, number>()
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

  /** The number of a word as read: one for inflections, synonyms, peoples and short given names. */
  idAsRead(text: string): number {
    const known = this.#idsAsRead.get(text)
    if (known !== undefined) return known
    const id = this.id(canonicalWord(text))
    if (this.#idsAsRead.size < 1_000_000) this.#idsAsRead.set(text, id)
    return id
  }
}

/** Fayzullayev is Fayzullaev. */
const IN_OTHER_LETTERS = /(?<=[a-z]{3}[aeiou])yev(a?)$/

/** "Launches", "taxes": their plural has a vowel of its own. */
const HISSING = /[a-z]{2}(?:[cs]h|ss|x)es$/

export function canonicalWord(word: string): string {
  const direct = SYNONYMS.get(word)
  if (direct !== undefined) return direct
  const single = HISSING.test(word)
    ? word.slice(0, -2)
    : /[^siuoa]s$/.test(word) && word.length > 3 && !STOP.has(word.slice(0, -1))
      ? word.slice(0, -1)
      : word
  return (
    SYNONYMS.get(single) ??
    PEOPLES.get(single) ??
    SHORT_NAMES.get(single) ??
    single.replace(IN_OTHER_LETTERS, 'ev$1')
  )
}

const LISTS: readonly (readonly [ReadonlySet<string>, number])[] = [
  [STOP, WEIGHT.stop],
  [SOFT, WEIGHT.soft],
  [DRESS, WEIGHT.dress],
  [DELICATE, WEIGHT.delicate],
  [SCHEDULED, WEIGHT.scheduled],
  [TRANSITIVE, WEIGHT.transitive],
  [NEGATIONS, WEIGHT.negation],
  [PRIZES, WEIGHT.prize],
  [NAMED_PRIZES, WEIGHT.namedPrize],
  [AMERICAN, WEIGHT.american],
  [QUARTERS, WEIGHT.quarter],
  [LEAVING, WEIGHT.leaving],
  [AGREEMENTS, WEIGHT.agreement],
  [MEASURED, WEIGHT.measured],
  [new Set(['meet']), WEIGHT.meet],
  [COMPLETED, WEIGHT.completed],
  [RECURRING, WEIGHT.recurring],
  [ABSORBING, WEIGHT.absorbing],
  [SHARES, WEIGHT.share],
]

const WEIGHTS: ReadonlyMap<string, number> = (() => {
  const weights = new Map<string, number>()
  for (const [words, weight] of LISTS)
    for (const word of words) weights.set(word, (weights.get(word) ?? 0) | weight)
  return weights
})()

function weigh(word: string): number {
  return WEIGHTS.get(word) ?? (word.startsWith('seat:') ? WEIGHT.absorbing : 0)
}
