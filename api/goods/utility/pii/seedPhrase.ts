import { createHash } from 'node:crypto'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import type { Span } from '../text/fold.ts'

const INDEX: ReadonlyMap<string, number> = new Map(wordlist.map((word, n) => [word, n]))
const BITS_PER_WORD = 11
const LENGTHS = [24, 21, 18, 15, 12] as const
const MIN_WORDS = 12

/** Checksums computed for one text; a seed phrase behind that many false starts is missed. */
const MAX_CHECKS = 2_000
const LETTERS = /[A-Za-z]+/g
/** What may stand between two words of a phrase: blanks, commas, quotes, numbers and signs of a list. */
const BETWEEN = /^\P{L}{1,12}$/u

type Listed = { index: number; start: number; end: number }

/** Phrases that a run of words is taken for; `words` counts those inside one. */
type Reading = { words: number; phrases: readonly Span[] }

/** Wallet seed phrases: 12 to 24 words of the English BIP-39 list in a row, with their checksum. */
export function findSeedPhrases(text: string): Span[] {
  const spans: Span[] = []
  let checks = 0
  for (const run of listedRuns(text)) spans.push(...mostWords(run, () => checks++ < MAX_CHECKS))
  return spans
}

/**
 * The reading with the most words in phrases, of those the fewest phrases. One of sixteen rows of twelve words has a
 * checksum by chance; a listed word before a phrase ("keep this: ...") must not tear it.
 */
function mostWords(run: readonly Listed[], mayCheck: () => boolean): readonly Span[] {
  const best: Reading[] = [{ words: 0, phrases: [] }]
  for (let end = 1; end <= run.length; end++) {
    let reading = best[end - 1]!
    for (const length of LENGTHS) {
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

function* listedRuns(text: string): Generator<Listed[]> {
  let run: Listed[] = []
  for (const match of text.matchAll(LETTERS)) {
    const index = INDEX.get(match[0].toLowerCase())
    const last = run.at(-1)
    const goesOn =
      last !== undefined && BETWEEN.test(text.slice(last.end, Math.min(match.index, last.end + 13)))
    if (index === undefined || !goesOn) {
      if (run.length >= MIN_WORDS) yield run
      run = []
    }
    if (index !== undefined) run.push({ index, start: match.index, end: match.index + match[0].length })
  }
  if (run.length >= MIN_WORDS) yield run
}

/** BIP-39: of every 33 bits the last is the beginning of the SHA-256 of the others. */
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
