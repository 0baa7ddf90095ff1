/** A test by its file, below `test/`, and its title exactly as it stands in the source. */
export type NamedTest = readonly [file: string, title: string]

/**
 * One sentence of the specification, in our words, and the tests that fail when it is broken. Where a sentence
 * rules nothing, or leaves something open on purpose, `aside` says so; tests may be named all the same.
 */
export type Sentence = {
  section: string
  at: number //          which sentence of the section, counted from 1
  says: string
  tests: readonly NamedTest[]
  aside?: string
}

export const sentencesIn = (
  section: string,
  sentences: readonly (Omit<Sentence, 'section' | 'at'> & { at?: number })[],
): Sentence[] => sentences.map((sentence, index) => ({ section, at: index + 1, ...sentence }))
