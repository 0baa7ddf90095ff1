import type { Folded } from '../text/fold.ts'
import type { Layer } from './encodings.ts'

const IN_WORD = /[\p{L}\p{N}]/u

/**
 * The text with a blank for what is invisible between two letters. A reader sees one word there and the plain reading
 * joins it; a model may read two.
 */
export function partedLayers({ text, breaks }: Pick<Folded, 'text' | 'breaks'>): Layer[] {
  const isLetterAt = (at: number): boolean => IN_WORD.test(text[at] ?? '')
  const inWords = breaks.filter((at) => isLetterAt(at - 1) && isLetterAt(at))
  const [first] = inWords
  const last = inWords.at(-1)
  if (first === undefined || last === undefined) return []
  const parts = [0, ...inWords].map((from, n) => text.slice(from, inWords[n]))
  let start = first
  while (isLetterAt(start - 1)) start--
  let end = last
  while (isLetterAt(end)) end++
  return [{ via: 'zeroWidth', text: parts.join(' '), start, end }]
}
