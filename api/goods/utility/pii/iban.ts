import type { Span } from '../text/fold.ts'
import { isAlnumAt, isDigitAt } from './finder.ts'

/**
 * What follows the country and its two check digits, by country: a number of digits (n), letters (a), or either (c).
 * From the IBAN registry of ISO 13616.
 */
export const IBAN_ACCOUNTS: Readonly<Record<string, string>> = {
  AD: '8n12c',
  AE: '19n',
  AL: '8n16c',
  AT: '16n',
  AZ: '4a20c',
  BA: '16n',
  BE: '12n',
  BG: '4a6n8c',
  BH: '4a14c',
  BI: '23n',
  BR: '23n1a1c',
  BY: '4c4n16c',
  CH: '5n12c',
  CR: '18n',
  CY: '8n16c',
  CZ: '20n',
  DE: '18n',
  DJ: '23n',
  DK: '14n',
  DO: '4c20n',
  EE: '16n',
  EG: '25n',
  ES: '20n',
  FI: '14n',
  FK: '2a12n',
  FO: '14n',
  FR: '10n11c2n',
  GB: '4a14n',
  GE: '2a16n',
  GI: '4a15c',
  GL: '14n',
  GR: '7n16c',
  GT: '24c',
  HN: '4a20n',
  HR: '17n',
  HU: '24n',
  IE: '4a14n',
  IL: '19n',
  IQ: '4a15n',
  IS: '22n',
  IT: '1a10n12c',
  JO: '4a4n18c',
  KW: '4a22c',
  KZ: '3n13c',
  LB: '4n20c',
  LC: '4a24c',
  LI: '5n12c',
  LT: '16n',
  LU: '3n13c',
  LV: '4a13c',
  LY: '21n',
  MC: '10n11c2n',
  MD: '20c',
  ME: '18n',
  MK: '3n10c2n',
  MN: '16n',
  MR: '23n',
  MT: '4a5n18c',
  MU: '4a19n3a',
  NI: '4a20n',
  NL: '4a10n',
  NO: '11n',
  OM: '3n16c',
  PK: '4a16c',
  PL: '24n',
  PS: '4a21c',
  PT: '21n',
  QA: '4a21c',
  RO: '4a16c',
  RS: '18n',
  RU: '14n15c',
  SA: '2n18c',
  SC: '4a20n3a',
  SD: '14n',
  SE: '20n',
  SI: '15n',
  SK: '20n',
  SM: '1a10n12c',
  SO: '19n',
  ST: '21n',
  SV: '4a20n',
  TL: '19n',
  TN: '20n',
  TR: '6n16c',
  UA: '6n19c',
  VA: '18n',
  VG: '4a16n',
  XK: '16n',
  YE: '4a4n18c',
}

type Form = { length: number; account: RegExp }

const FORMS: ReadonlyMap<string, Form> = new Map(
  Object.entries(IBAN_ACCOUNTS).map(([country, account]) => [country, formOf(account)]),
)

function formOf(account: string): Form {
  const signs = { n: '[0-9]', a: '[A-Z]', c: '[A-Z0-9]' }
  const parts = [...account.matchAll(/(\d{1,2})([nac])/g)].map(([, count, sign]) => ({
    count: Number(count),
    sign: signs[sign as keyof typeof signs],
  }))
  return {
    length: parts.reduce((sum, { count }) => sum + count, 4),
    account: new RegExp(`^${parts.map(({ count, sign }) => `${sign}{${count}}`).join('')}$`),
  }
}

/**
 * Bank accounts: country, the form of its accounts, and the remainder 1 modulo 97 (ISO 7064). By length and remainder alone
 * one of 8,000 UUIDs has one in it. Blanks and hyphens between groups are skipped.
 */
export function findIbans(text: string): Span[] {
  const spans: Span[] = []
  for (let at = 2; at < text.length; at++) {
    //  the two check digits first: rare, so the rest is seldom looked at
    if (!isDigitAt(text, at) || !isDigitAt(text, at + 1) || isAlnumAt(text, at - 3)) continue
    const form = FORMS.get(text.slice(at - 2, at).toUpperCase())
    if (form === undefined) continue
    const end = endOf(text, at - 2, form.length)
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
  if (FORMS.get(iban.slice(0, 2))?.account.test(iban.slice(4)) !== true) return false
  let remainder = 0
  for (const letter of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(letter, 36)
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97
  }
  return remainder === 1
}
