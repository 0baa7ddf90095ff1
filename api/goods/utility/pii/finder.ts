import type { Span } from '../text/fold.ts'

/** Finds one kind of personal data or key in a folded text. Offsets are of that text. Linear; never throws. */
export type Finder = (text: string) => Span[]

const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57
const isLetter = (unit: number): boolean => (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122)

/** Letter or digit at an offset; false outside the text. */
export const isAlnumAt = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at) //  NaN outside, which is neither
  return isDigit(unit) || isLetter(unit)
}
export const isDigitAt = (text: string, at: number): boolean => isDigit(text.charCodeAt(at))

/** How many units from `at` belong to the charset, at most `max`. */
export function runLength(text: string, at: number, charset: Charset, max: number): number {
  const allowed = CHARSETS[charset]
  let length = 0
  while (length < max && allowed[text.charCodeAt(at + length)] === 1) length++
  return length
}

/** The same, leftwards: how many units just before `at`. */
export function runLengthBefore(text: string, at: number, charset: Charset, max: number): number {
  const allowed = CHARSETS[charset]
  let length = 0
  while (length < max && allowed[text.charCodeAt(at - 1 - length)] === 1) length++
  return length
}

const DIGITS = '0123456789'
const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
export type Charset = keyof typeof CHARSETS
const CHARSETS = {
  digits: table(DIGITS),
  hex: table(`${DIGITS}abcdefABCDEF`),
  upper: table(DIGITS + UPPER),
  alnum: table(DIGITS + LOWER + UPPER),
  base64url: table(`${DIGITS}${LOWER}${UPPER}_-`),
  base64: table(`${DIGITS}${LOWER}${UPPER}+/=`),
  dotted: table(`${DIGITS}${LOWER}${UPPER}_-.`),
  mailbox: table(`${DIGITS}${LOWER}${UPPER}._%+-`),
  host: table(`${DIGITS}${LOWER}${UPPER}.-`),
  address4: table(`${DIGITS}.`),
  address6: table(`${DIGITS}abcdefABCDEF:.`),
}

function table(letters: string): Uint8Array {
  const allowed = new Uint8Array(128)
  for (const letter of letters) allowed[letter.charCodeAt(0)] = 1
  return allowed
}
