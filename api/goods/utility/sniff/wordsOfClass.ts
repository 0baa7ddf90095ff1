import { fold } from '../text/fold.ts'

/** The words of a class of the lexicon, folded like the texts that are searched for them. */
export function wordsOfClass(words: string): ReadonlySet<string> {
  return new Set(fold(words).text.toLowerCase().trim().split(/\s+/))
}
