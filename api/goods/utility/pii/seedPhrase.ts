import { createHash } from 'node:crypto'
import type { Span } from '../text/fold.ts'
import { type SeedList, seedWordsOf } from './seedWords.ts'

const BITS_PER_WORD = 11
const LENGTHS = [24, 21, 18, 15, 12] as const
const MIN_WORDS = 12

/** Most checksums computed for one text; a seed phrase after that many false starts is missed. */
const MAX_CHECKS = 2_000
/** Words of the lists are of one script each, and a sentence of another may stand beside them without a blank. */
const LETTERS = /[A-Za-z]+|\p{sc=Hangul}+|[\p{sc=Hiragana}\p{M}]+|\p{sc=Han}+/gu
/** What may stand between two words of a phrase: blanks, commas, quotes, numbers and signs of a list. */
const BETWEEN = /^[^\p{L}\p{M}]{1,12}$/u

type Listed = { index: number; start: number; end: number }

/** Consecutive words of one list. `signs` separate them; null: not known yet. */
type Run = { list: SeedList; words: Listed[]; signs: string | null }

/** The phrases that a run of words is read as; `words` counts the words inside phrases. */
type Reading = { words: number; phrases: readonly Span[] }

/** Wallet seed phrases: 12 to 24 words of one BIP-39 list in a row, with their checksum. */
export function findSeedPhrases(text: string): Span[] {
  const spans: Span[] = []
  let checks = 0
  for (const run of listedRuns(text)) spans.push(...mostWords(run, () => checks++ < MAX_CHECKS))
  return spans
}

/**
 * The reading with the most words in phrases, and among those the fewest phrases. One in sixteen rows of twelve words
 * has a valid checksum by chance; a listed word before a phrase ("keep this: ...") must not break it.
 */
function mostWords({ list, words: run }: Run, mayCheck: () => boolean): readonly Span[] {
  const best: Reading[] = [{ words: 0, phrases: [] }]
  //  for a list of single signs, nothing else may be in the row
  const lengths = list.isOfSigns ? LENGTHS.filter((length) => length === run.length) : LENGTHS
  for (let end = 1; end <= run.length; end++) {
    let reading = best[end - 1]!
    for (const length of lengths) {
      if (length > end) continue
      const before = best[end - length]!
      const words = before.words + length
      const isBetter =
        words > reading.words ||
        (words === reading.words && before.phrases.length + 1 < reading.phrases.length)
      if (!isBetter || !mayCheck()) continue
      const part = run.slice(end - length, end)
      if (!passesChecksum(part.map(({ index }) => index))) continue
      const span = { start: part[0]!.start, end: part.at(-1)!.end }
      reading = { words, phrases: [...before.phrases, span] }
    }
    best.push(reading)
  }
  return best.at(-1)!.phrases
}

function* listedRuns(text: string): Generator<Run> {
  let open: Run[] = [] //  one of each list in which the last word stands
  let lastEnd = 0
  for (const { 0: word, index: start } of text.matchAll(LETTERS)) {
    const end = start + word.length
    const listings = seedWordsOf(word)
    const between = listings.length === 0 ? '' : text.slice(lastEnd, Math.min(start, lastEnd + 13))
    const before = open.length > 0 && BETWEEN.test(between) ? open : []
    const signs = before.length > 0 ? signsOf(between) : null
    const next = listings.map(({ list, index }): Run => {
      const listed = { index, start, end }
      const run = before.find((each) => each.list === list)
      if (run === undefined) return { list, words: [listed], signs: null }
      if (signs !== null && run.signs !== null && signs !== run.signs)
        return { list, words: [run.words.at(-1)!, listed], signs }
      run.words.push(listed)
      run.signs ??= signs
      return run
    })
    yield* open.filter((run) => isLong(run) && !next.includes(run))
    open = next
    lastEnd = end
  }
  yield* open.filter(isLong)
}

/**
 * The signs that separate two words, apart from those that vary within one phrase: blanks, numbers, stops, and how a
 * line is begun. In code and tables of contents that happen to consist of listed words they change from word to word.
 * null: the end of a line may stand for any.
 */
function signsOf(between: string): string | null {
  const signs = between.replace(/\n[ \t]{0,8}(?:>|\/\/|#|\*)/, ' ').replace(/[\s\d.,;:]/g, '')
  return signs === '' && between.includes('\n') ? null : [...new Set(signs)].sort().join('')
}

const isLong = ({ words }: Run): boolean => words.length >= MIN_WORDS

/** BIP-39: of every 33 bits the last is a checksum bit, taken from the start of the SHA-256 of the other bits. */
export function passesChecksum(indexes: readonly number[]): boolean {
  let bits = 0n
  for (const index of indexes) bits = (bits << BigInt(BITS_PER_WORD)) | BigInt(index)
  const checksumBits = (indexes.length * BITS_PER_WORD) / 33
  const entropyBytes = (checksumBits * 32) / 8
  const entropy = Buffer.from(
    (bits >> BigInt(checksumBits)).toString(16).padStart(entropyBytes * 2, '0'),
    'hex',
  )
  const digest = createHash('sha256').update(entropy).digest()[0]!
  return BigInt(digest >> (8 - checksumBits)) === (bits & ((1n << BigInt(checksumBits)) - 1n))
}
