import type { Folded } from '../text/fold.ts'
import { latinLetters } from '../text/skeleton.ts'
import type { Layer } from './encodings.ts'
import { type KnownWords, wordBorders } from './wordBorders.ts'

const LETTERS = /[\p{L}\p{N}]+/gu

/**
 * The text with a blank in place of whatever is invisible between two letters. A reader sees one word there and the
 * plain reading joins it; a model may read two. Two readings: every invisible character separates words, or only those
 * beside a known word do, so that characters inside words do not spoil those between words.
 */
export function partedLayers({ text, breaks }: Pick<Folded, 'text' | 'breaks'>, known: KnownWords): Layer[] {
  const all: number[] = []
  const besideWords: number[] = []
  let next = 0
  let start = -1
  let end = -1
  for (const { 0: run, index } of text.matchAll(LETTERS)) {
    const inside: number[] = []
    for (; breaks[next]! < index + run.length; next++)
      if (breaks[next]! > index) inside.push(breaks[next]! - index)
    if (inside.length === 0) continue
    for (const at of inside) all.push(index + at)
    const plain = lowerLetters(run)
    const spellings = new Set([plain, latinLetters(plain)])
    for (const at of wordBorders([...spellings], inside, known)) besideWords.push(index + at)
    if (start < 0) start = index
    end = index + run.length
  }
  const readings = [all, ...(besideWords.length < all.length ? [besideWords] : [])]
  return readings
    .filter((blanks) => blanks.length > 0)
    .map((blanks) => ({ via: 'zeroWidth', text: withBlanks(text, blanks), start, end }))
}

/** In lower case with unchanged length: the few letters that would grow are in no known word. */
const lowerLetters = (text: string): string => {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text
}

function withBlanks(text: string, at: readonly number[]): string {
  return [0, ...at].map((from, n) => text.slice(from, at[n])).join(' ')
}
