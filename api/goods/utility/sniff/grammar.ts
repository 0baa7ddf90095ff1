import type { Word } from '../text/words.ts'
import { wordsOfClass } from './wordsOfClass.ts'

/**
 * A phrase is written as its steps: `OVERRIDE ~3 PRIOR ~2 INSTRUCTION`. Capitals name a class of the lexicon, lower case
 * a word itself, `a|b` either; `?` at the end makes a step optional; `~3` allows up to three other words before the next
 * step. `!word` excludes a match that has this word directly before the next step, at the end of a phrase directly after
 * it. A phrase never crosses the end of a sentence.
 */
export type Phrase = string
/** The words of each class, with spaces between them. */
export type Lexicon = Readonly<Record<string, string>>

/** Classes that no word list can hold: a capitalised word inside a sentence; the first word after `@` or `://`. */
export type Marks = { name: boolean; address: boolean }

type Step = { words: ReadonlySet<string>; gap: number; unlessAfter: ReadonlySet<string> }
type Compiled = {
  phrase: number
  steps: readonly Step[]
  unlessBefore: ReadonlySet<string>
}
type Place = { phrase: number; step: number }

export type Grammar = {
  compiled: readonly Compiled[]
  placesOf: ReadonlyMap<string, readonly Place[]>
  longestWord: number
}

const NAME = 'NAME'
const ADDRESS = 'ADDRESS'

/** A phrase found: its index in the list the grammar was compiled from, and the words it covers. */
export type Match = { phrase: number; first: Word; last: Word }

export function compileGrammar(phrases: readonly Phrase[], lexicon: Lexicon): Grammar {
  const wordsOf = readerOf(lexicon)
  const compiled = phrases.flatMap((phrase, number) => compilePhrase(phrase, number, wordsOf))
  const placesOf = new Map<string, Place[]>()
  let longestWord = 0
  compiled.forEach(({ steps }, phrase) => {
    //  later steps first: one word never serves two steps of the same phrase
    for (let step = steps.length - 1; step >= 0; step--)
      for (const word of steps[step]!.words) {
        longestWord = Math.max(longestWord, word.length)
        const places = placesOf.get(word)
        if (places === undefined) placesOf.set(word, [{ phrase, step }])
        else places.push({ phrase, step })
      }
  })
  return { compiled, placesOf, longestWord }
}

function compilePhrase(phrase: Phrase, number: number, wordsOf: WordsOf): Compiled[] {
  let unless = new Set<string>()
  let variants: Step[][] = [[]]
  let gap = 0
  for (const item of phrase.split(' ')) {
    if (item.startsWith('~')) gap = Number(item.slice(1))
    else if (item.startsWith('!')) {
      for (const word of wordsOf(item.slice(1))) unless.add(word)
    } else {
      const optional = item.endsWith('?')
      const step = { words: wordsOf(optional ? item.slice(0, -1) : item), gap, unlessAfter: unless }
      const longer = variants.map((steps) => [...steps, step])
      variants = optional ? [...variants, ...longer] : longer
      gap = 0
      unless = new Set()
    }
  }
  return variants.map((steps) => ({ phrase: number, steps, unlessBefore: unless }))
}

type WordsOf = (alternatives: string) => ReadonlySet<string>

/** Each class is folded once, however many phrases name it. */
function readerOf(lexicon: Lexicon): WordsOf {
  const folded = new Map<string, ReadonlySet<string>>()
  const wordsOfName = (name: string): ReadonlySet<string> => {
    const words = lexicon[name]
    if (words === undefined) throw new Error(`no class ${name} in the lexicon`)
    const known = folded.get(name) ?? wordsOfClass(words)
    folded.set(name, known)
    return known
  }
  return (alternatives) =>
    new Set(
      alternatives.split('|').flatMap((name) => {
        if (name === NAME || name === ADDRESS) return [name]
        const isWord = name !== name.toUpperCase() || !/[A-Z]/.test(name)
        return [...(isWord ? wordsOfClass(name) : wordsOfName(name))]
      }),
    )
}

/** A match that the next word may still exclude. `at`: position of its last word. */
type Found = Match & { at: number; unlessBefore: ReadonlySet<string> }
/** The latest word that fits a step, and the first word of the match it continues. */
type Reached = { at: number; first: Word }

/**
 * Every phrase in the words, in the order of their last words. One pass: for each step only the latest word that fits
 * is kept, which suffices because the next step is nearest to it. Cost: words × places of a word in phrases.
 * @param readings how a word is read (look-alike letters), and its marks
 */
export function findPhrases(
  grammar: Grammar,
  text: Iterable<Word>,
  readings: (word: Word) => { word: string; marks: Marks },
): Match[] {
  const reached: (Reached | undefined)[][] = []
  const found: Found[] = []
  let before = ''
  let at = 0
  for (const word of text) {
    const { word: read, marks } = readings(word)
    dropExcluded(read, word)
    follow(read, word)
    if (marks.name) follow(NAME, word)
    if (marks.address) follow(ADDRESS, word)
    before = read
    at++
  }
  return found

  /** Removes matches that ended with the previous word and are excluded by this one. */
  function dropExcluded(read: string, word: Word): void {
    for (let last = found.length - 1; last >= 0 && endedBefore(last); last--) {
      const { unlessBefore, last: end } = found[last]!
      if (end.sentence === word.sentence && unlessBefore.has(read)) found.splice(last, 1)
    }
  }

  function endedBefore(index: number): boolean {
    return found[index]!.at === at - 1
  }

  function follow(key: string, word: Word): void {
    for (const { phrase, step } of grammar.placesOf.get(key) ?? []) {
      const { steps, unlessBefore, phrase: number } = grammar.compiled[phrase]!
      const first = firstOf({ phrase, step }, word)
      if (first === null) continue
      reached[phrase] ??= []
      reached[phrase][step] = { at, first }
      if (step === steps.length - 1) found.push({ phrase: number, first, last: word, at, unlessBefore })
    }
  }

  /** The first word of the match that this word continues at that step; null when it continues none. */
  function firstOf({ phrase, step }: Place, word: Word): Word | null {
    const { steps } = grammar.compiled[phrase]!
    if (steps[step]!.unlessAfter.has(before)) return null
    if (step === 0) return word
    const previous = reached[phrase]?.[step - 1]
    if (previous === undefined || previous.at === at || previous.first.sentence !== word.sentence) return null
    return at - previous.at - 1 <= steps[step]!.gap ? previous.first : null
  }
}
