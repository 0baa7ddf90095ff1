import { type Refusal, refuse } from './refusal.ts'
import { code, codeAt, type Source } from './source.ts'

/** What makes a number as written a JSON number: replace `length` characters at `offset`. */
export type NumberFix = { offset: number; length: number; text: string }

/** `digits`: written with nothing else, so it may also be a name; then the fixes do not matter. */
export type NumberToken = { digits: boolean; fixes: NumberFix[] }

const PLUS = code('+')
const MINUS = code('-')
const DOT = code('.')
const ZERO = code('0')
const DELIMITERS = new Set([...' \t\n\r,:[]{}/#"\'`'].map(code))

const isDigit = (unit: number): boolean => unit >= ZERO && unit <= code('9')

export const opensNumber = (unit: number): boolean =>
  isDigit(unit) || unit === PLUS || unit === MINUS || unit === DOT

/** Reads one number. Leading zeros, hexadecimal, separators, suffixes and units are refused: each would be a guess. */
export function readNumber(source: Source): NumberToken | Refusal {
  const start = source.at
  const fixes: NumberFix[] = []
  const fix = (offset: number, length: number, text: string) => fixes.push({ offset, length, text })
  const skipDigits = (): number => {
    const from = source.at
    while (isDigit(codeAt(source, source.at))) source.at++
    return source.at - from
  }
  const sign = codeAt(source, start)
  if (sign === PLUS) fix(start, 1, '')
  if (sign === PLUS || sign === MINUS) source.at++
  const whole = source.at
  const wholeDigits = skipDigits()
  const leadingZero = wholeDigits > 1 && codeAt(source, whole) === ZERO
  let fractionDigits = 0
  if (codeAt(source, source.at) === DOT) {
    const dot = source.at++
    fractionDigits = skipDigits()
    if (wholeDigits === 0) fix(dot, 0, '0')
    if (fractionDigits === 0) fix(dot + 1, 0, '0')
  }
  let exponentDigits = 1
  if ((codeAt(source, source.at) | 0x20) === code('e')) {
    source.at++
    const exponentSign = codeAt(source, source.at)
    if (exponentSign === PLUS || exponentSign === MINUS) source.at++
    exponentDigits = skipDigits()
  }
  const good = wholeDigits + fractionDigits > 0 && exponentDigits > 0 && !leadingZero && endsHere(source)
  if (!good) return refuse('not_a_number', start)
  return { digits: source.at - start === wholeDigits, fixes }
}

function endsHere(source: Source): boolean {
  const next = codeAt(source, source.at)
  return Number.isNaN(next) || DELIMITERS.has(next) || next > 0x7f
}
