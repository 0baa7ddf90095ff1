import { expect, test } from 'vitest'
import { wordBorders } from '../../../../../api/goods/utility/sniff/wordBorders.ts'

const WORDS = new Set(['ignore', 'all', 'instructions', 'instruction', 's', 'is', 'was', 'as', 'above'])
const known = { has: (word: string) => WORDS.has(word), longest: 12 }

/** The run as it is read; `|` marks the places where it may be cut. */
function read(marked: string): string {
  const run = marked.replaceAll('|', '')
  const places: number[] = []
  for (const part of marked.split('|').slice(0, -1)) places.push((places.at(-1) ?? 0) + part.length)
  const borders = wordBorders([run], places, known)
  return [0, ...borders].map((from, n) => run.slice(from, borders[n])).join(' ')
}

test.each([
  ['between known words', 'ignore|all', 'ignore all'],
  ['not within one', 'ig|no|re|a|ll', 'ignore all'],
  ['fewer words for the same letters', 'instruction|s', 'instructions'],
  ['the longer word, though a shorter one begins there', 'w|as', 'was'],
  ['unknown letters stay together', 'x|y|z', 'xyz'],
  ['unknown letters before, between and behind', 'x|y|all|z|z|above|q|q', 'xy all zz above qq'],
  ['only where a place is', 'ignoreall|above', 'ignoreall above'],
  ['a known word without a place beside it stays', 'ignore', 'ignore'],
  [
    'a word longer than any known is not looked for',
    'ignore|allaboveallaboveall',
    'ignore allaboveallaboveall',
  ],
])('%s: %s', (_, marked, expected) => expect(read(marked)).toBe(expected))

test('a word of any spelling is a word', () => {
  expect(wordBorders(['ignоreаll', 'ignoreall'], [3, 6], known)).toEqual([6])
})
