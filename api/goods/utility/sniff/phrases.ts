import { skeleton } from '../text/skeleton.ts'
import { cutWords, type Word } from '../text/words.ts'
import { PHRASE_FAMILIES, type PhraseFamily } from './families.ts'
import { compileGrammar, findPhrases, type Grammar, type Marks } from './grammar.ts'
import { LEXICON } from './lexicon.ts'
import type { KnownWords } from './wordBorders.ts'

/** One thing seen in a text; offsets in the folded text. */
export type Hit<Name extends string = string> = { family: Name; weight: number; start: number; end: number }

const PHRASES = (Object.keys(PHRASE_FAMILIES) as PhraseFamily[]).flatMap((family) =>
  PHRASE_FAMILIES[family].phrases.flatMap(({ weight, any }) =>
    any.map((phrase) => ({ family, weight, phrase })),
  ),
)

let compiled: Grammar | null = null
/**
 * Compiled for the first text: a twentieth of a process's start, and not every process is asked for one. Those with
 * threads answer an example before they are ready.
 */
function grammar(): Grammar {
  compiled ??= compileGrammar(
    PHRASES.map(({ phrase }) => phrase),
    LEXICON,
  )
  return compiled
}

/** The words that occur in any phrase. */
export const PHRASE_WORDS: KnownWords = {
  has: (word) => grammar().placesOf.has(word),
  get longest() {
    return grammar().longestWord
  },
}

/** Phrases of the grammar, and how many words hid behind look-alike letters. */
export function phraseHits(
  text: string,
  words: readonly Word[],
): {
  hits: Hit<PhraseFamily>[]
  lookalikes: number
} {
  let lookalikes = 0
  let sentence = -1
  const reading = (word: Word): { word: string; marks: Marks } => {
    const firstOfSentence = word.sentence !== sentence
    sentence = word.sentence
    const spelled = PHRASE_WORDS.has(word.text) ? null : skeleton(word.text)
    if (spelled !== null && PHRASE_WORDS.has(spelled)) lookalikes++
    return {
      word: spelled !== null && PHRASE_WORDS.has(spelled) ? spelled : word.text,
      marks: { name: word.capital && !firstOfSentence, address: isAddress(text, word.start) },
    }
  }
  const found = findPhrases(grammar(), cutWords(words, PHRASE_WORDS.has, PHRASE_WORDS.longest), reading)
  const hits = found.map(({ phrase, first, last }) => {
    const { family, weight } = PHRASES[phrase]!
    return { family, weight, start: first.start, end: last.end }
  })
  return { hits, lookalikes }
}

const isAddress = (text: string, start: number): boolean =>
  text[start - 1] === '@' || (text[start - 1] === '/' && text[start - 2] === '/')
