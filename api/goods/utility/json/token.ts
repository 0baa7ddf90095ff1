import { type Gap, skipBlank } from './blank.ts'
import { type NumberToken, opensNumber, readNumber } from './number.ts'
import { isRefusal, type Refusal, refuse } from './refusal.ts'
import { code, codeAt, type Source } from './source.ts'
import { opensString, readString } from './string.ts'

/** One token, where it stands in the text, and what stood before it. */
export type Token = { start: number; end: number; gap: Gap } & (
  | { kind: '{' | '[' | '}' | ']' | ',' | ':' | 'string' | 'end' }
  | { kind: 'word'; word: string }
  | ({ kind: 'number' } & NumberToken)
)

const PUNCTUATION = new Map(([...'{[}],:'] as ('{' | '[' | '}' | ']' | ',' | ':')[]).map((c) => [code(c), c]))
const DOT = code('.')
const DASH = code('-')

/** The next token of the source. Each character is looked at a bounded number of times. */
export function nextToken(source: Source): Token | Refusal {
  const gap = skipBlank(source)
  if (isRefusal(gap)) return gap
  const start = source.at
  const unit = codeAt(source, start)
  if (Number.isNaN(unit)) return { kind: 'end', start, end: start, gap }
  const punctuation = PUNCTUATION.get(unit)
  if (punctuation !== undefined) return { kind: punctuation, start, end: ++source.at, gap }
  if (opensString(unit)) {
    const refusal = readString(source)
    return refusal ?? { kind: 'string', start, end: source.at, gap }
  }
  if (opensNumber(unit)) {
    const number = readNumber(source)
    return isRefusal(number) ? number : { kind: 'number', ...number, start, end: source.at, gap }
  }
  if (isLetter(unit)) return readWord(source, gap)
  return refuse('not_json', start)
}

/** A name or constant: letters, digits, `_`, `$`, and inside also `-` and `.`. */
function readWord(source: Source, gap: Gap): Token | Refusal {
  const start = source.at
  while (isInWord(codeAt(source, source.at))) source.at++
  const last = codeAt(source, source.at - 1)
  if (last === DOT || last === DASH) return refuse('bare_word', start)
  return { kind: 'word', word: source.text.slice(start, source.at), start, end: source.at, gap }
}

const isLetter = (unit: number): boolean =>
  unit < 0x80
    ? ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a) || unit === 0x5f || unit === 0x24
    : /\p{L}/u.test(String.fromCharCode(unit))

const isInWord = (unit: number): boolean =>
  isLetter(unit) ||
  (unit >= 0x30 && unit <= 0x39) ||
  unit === DASH ||
  unit === DOT ||
  (unit > 0x7f && /[\p{M}\p{N}]/u.test(String.fromCharCode(unit)))
