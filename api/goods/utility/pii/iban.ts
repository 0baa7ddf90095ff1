import type { Span } from '../text/fold.ts'
import { isAlnumAt, isDigitAt } from './finder.ts'

/** Length of an IBAN by country: the IBAN registry of ISO 13616. */
export const IBAN_LENGTHS: Readonly<Record<string, number>> = {
  AD: 24,
  AE: 23,
  AL: 28,
  AT: 20,
  AZ: 28,
  BA: 20,
  BE: 16,
  BG: 22,
  BH: 22,
  BI: 27,
  BR: 29,
  BY: 28,
  CH: 21,
  CR: 22,
  CY: 28,
  CZ: 24,
  DE: 22,
  DJ: 27,
  DK: 18,
  DO: 28,
  EE: 20,
  EG: 29,
  ES: 24,
  FI: 18,
  FK: 18,
  FO: 18,
  FR: 27,
  GB: 22,
  GE: 22,
  GI: 23,
  GL: 18,
  GR: 27,
  GT: 28,
  HN: 28,
  HR: 21,
  HU: 28,
  IE: 22,
  IL: 23,
  IQ: 23,
  IS: 26,
  IT: 27,
  JO: 30,
  KW: 30,
  KZ: 20,
  LB: 28,
  LC: 32,
  LI: 21,
  LT: 20,
  LU: 20,
  LV: 21,
  LY: 25,
  MC: 27,
  MD: 24,
  ME: 22,
  MK: 19,
  MN: 20,
  MR: 27,
  MT: 31,
  MU: 30,
  NI: 28,
  NL: 18,
  NO: 15,
  OM: 23,
  PK: 24,
  PL: 28,
  PS: 29,
  PT: 25,
  QA: 29,
  RO: 24,
  RS: 22,
  RU: 33,
  SA: 24,
  SC: 31,
  SD: 18,
  SE: 24,
  SI: 19,
  SK: 24,
  SM: 27,
  SO: 23,
  ST: 25,
  SV: 28,
  TL: 23,
  TN: 24,
  TR: 26,
  UA: 29,
  VA: 22,
  VG: 24,
  XK: 20,
  YE: 30,
}

/** Bank accounts: country, its length, and the remainder 1 modulo 97 (ISO 7064). Blanks and hyphens between groups are skipped. */
export function findIbans(text: string): Span[] {
  const spans: Span[] = []
  for (let at = 2; at < text.length; at++) {
    //  the two check digits first: rare, so the rest is seldom looked at
    if (!isDigitAt(text, at) || !isDigitAt(text, at + 1) || isAlnumAt(text, at - 3)) continue
    const length = IBAN_LENGTHS[text.slice(at - 2, at).toUpperCase()]
    if (length === undefined) continue
    const end = endOf(text, at - 2, length)
    if (end === null || isAlnumAt(text, end)) continue
    const written = text.slice(at - 2, end)
    if (!isIban(written.replace(/[ -]/g, '').toUpperCase())) continue
    spans.push({ start: at - 2, end })
    at = end
  }
  return spans
}

/** Where that many letters and digits end, with single blanks or hyphens between them; null when something else comes first. */
function endOf(text: string, start: number, length: number): number | null {
  let at = start
  for (let seen = 0; seen < length; at++) {
    if (isAlnumAt(text, at)) seen++
    else if ((text[at] !== ' ' && text[at] !== '-') || !isAlnumAt(text, at - 1)) return null
  }
  return at
}

export function isIban(iban: string): boolean {
  if (IBAN_LENGTHS[iban.slice(0, 2)] !== iban.length) return false
  let remainder = 0
  for (const letter of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(letter, 36)
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97
  }
  return remainder === 1
}
