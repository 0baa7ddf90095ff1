import type { Word } from '../text/words.ts'
import type { Layer } from './encodings.ts'

/** Words that give a rotated or reversed text away: long enough that no other word reads like them. */
const ANCHORS =
  `ignore previous instructions instruction password system disregard forget please secret message prompt answer response
  function output state conclusion information following currently credentials important developer confirm reveal provide`.split(
    /\s+/,
  )
const LETTERS = 26
const A = 'a'.charCodeAt(0)

/** Rotated anchor to the shift that makes it plain again. */
const SHIFT_OF: ReadonlyMap<string, number> = new Map(
  ANCHORS.flatMap((word) =>
    Array.from({ length: LETTERS - 1 }, (_, n): [string, number] => [rotate(word, n + 1), LETTERS - n - 1]),
  ),
)
const REVERSED: ReadonlySet<string> = new Set(ANCHORS.map(reversed))

/** The text rotated back (rot13 and the other 24) by the shift most of its anchors name; at most one layer. */
export function rotationLayers(text: string, words: readonly Word[]): Layer[] {
  const votes = new Map<number, { count: number; start: number; end: number }>()
  for (const { text: word, start, end } of words) {
    const shift = SHIFT_OF.get(word)
    if (shift === undefined) continue
    const vote = votes.get(shift)
    votes.set(shift, { count: (vote?.count ?? 0) + 1, start: vote?.start ?? start, end })
  }
  const best = [...votes].sort(([, a], [, b]) => b.count - a.count)[0]
  if (best === undefined) return []
  const [shift, { start, end }] = best
  return [{ via: 'rotation', text: rotate(text, shift), start, end }]
}

/** The text read backwards, when it holds a word that only makes sense that way. */
export function reversedLayers(text: string, words: readonly Word[]): Layer[] {
  const seen = words.filter((word) => REVERSED.has(word.text))
  const first = seen[0]
  const last = seen.at(-1)
  if (first === undefined || last === undefined) return []
  return [{ via: 'reversed', text: reversed(text), start: first.start, end: last.end }]
}

const MIN_PIG_WORDS = 4
const PIG_SHARE = 0.8
const MAX_CLUSTER = 3

/** A text whose words nearly all end in -ay; the consonants are moved back as far as makes a word of the grammar. */
export function pigLatinLayers(words: readonly Word[], known: (word: string) => boolean): Layer[] {
  const pigs = words.filter(({ text }) => text.endsWith('ay') && text.length > 3)
  const first = pigs[0]
  const last = pigs.at(-1)
  if (
    first === undefined ||
    last === undefined ||
    pigs.length < MIN_PIG_WORDS ||
    pigs.length < words.length * PIG_SHARE
  )
    return []
  const decoded = words
    .map(({ text }) => (text.endsWith('ay') ? unpig(text.slice(0, -2), known) : text))
    .join(' ')
  return [{ via: 'pigLatin', text: decoded, start: first.start, end: last.end }]
}

function unpig(stem: string, known: (word: string) => boolean): string {
  const moved = Array.from({ length: MAX_CLUSTER }, (_, n) => stem.slice(-n - 1) + stem.slice(0, -n - 1))
  return [stem.replace(/[yw]$/, ''), ...moved].find(known) ?? moved[0]!
}

function rotate(text: string, shift: number): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const base = letter < 'a' ? A - 32 : A
    return String.fromCharCode(((letter.charCodeAt(0) - base + shift) % LETTERS) + base)
  })
}

function reversed(text: string): string {
  let back = ''
  for (const letter of text) back = letter + back
  return back
}
