import { fold } from '../text/fold.ts'

/** The words of a class of the lexicon, folded as the texts are that they are looked for in. */
export function wordsOfClass(words: string): ReadonlySet<string> {
  return new Set(fold(words).text.toLowerCase().trim().split(/\s+/))
}
