import type { Span } from '../text/fold.ts'
import { digitChains, type Group, standsAlone } from './digits.ts'

type Issuer = {
  issuer: string
  prefixes: readonly (readonly [from: number, to: number])[]
  lengths: readonly number[]
}

/** Issuers of payment cards with the ranges of their first digits, both ends included, and the lengths of their numbers. */
const ISSUERS: readonly Issuer[] = [
  { issuer: 'visa', prefixes: [[4, 4]], lengths: [13, 16, 19] },
  {
    issuer: 'mastercard',
    prefixes: [
      [51, 55],
      [2221, 2720],
    ],
    lengths: [16],
  },
  {
    issuer: 'amex',
    prefixes: [
      [34, 34],
      [37, 37],
    ],
    lengths: [15],
  },
  {
    issuer: 'discover',
    prefixes: [
      [6011, 6011],
      [644, 649],
      [65, 65],
    ],
    lengths: [16, 19],
  },
  {
    issuer: 'diners',
    prefixes: [
      [300, 305],
      [3095, 3095],
      [36, 36],
      [38, 39],
    ],
    lengths: [14, 16, 19],
  },
  { issuer: 'jcb', prefixes: [[3528, 3589]], lengths: [16, 17, 18, 19] },
  {
    issuer: 'jcb',
    prefixes: [
      [1800, 1800],
      [2131, 2131],
    ],
    lengths: [15],
  },
  {
    issuer: 'unionpay',
    prefixes: [
      [62, 62],
      [8110, 8171],
    ],
    lengths: [16, 17, 18, 19],
  },
  { issuer: 'elo', prefixes: [[636368, 636368]], lengths: [16] },
  { issuer: 'hiper', prefixes: [[637095, 637095]], lengths: [16] },
  {
    issuer: 'rupay',
    prefixes: [
      [60, 60],
      [81, 82],
    ],
    lengths: [16],
  },
  { issuer: 'troy', prefixes: [[9792, 9792]], lengths: [16] },
  { issuer: 'mir', prefixes: [[2200, 2204]], lengths: [16, 17, 18, 19] },
  {
    issuer: 'maestro',
    prefixes: [
      [50, 50],
      [56, 58],
      [6304, 6304],
      [6390, 6390],
      [67, 67],
    ],
    lengths: [12, 13, 14, 15, 16, 17, 18, 19],
  },
]

const MIN_DIGITS = 12
const MAX_DIGITS = 19
const MIN_GROUP = 3 // of a number written in groups: 4-4-4-4, 4-6-5, 4-4-4-4-3
const MAX_GROUP = 7

/** Payment card numbers: the Luhn check digit, and an issuer's prefix and length or words that say so. */
export function findCards(text: string): Span[] {
  const spans: Span[] = []
  for (const chain of digitChains(text))
    for (let first = 0; first < chain.length; first++) {
      const last = cardFrom(text, chain, first)
      if (last === null) continue
      spans.push({ start: chain[first]!.start, end: chain[last]!.end })
      first = last
    }
  return spans
}

/** The last group of the longest card that begins with this group; null when none does. */
function cardFrom(text: string, chain: readonly Group[], first: number): number | null {
  let digits = ''
  let found: number | null = null
  for (let last = first; last < chain.length && digits.length <= MAX_DIGITS; last++) {
    const { digits: more, end } = chain[last]!
    digits += more
    const grouped = last > first
    if (grouped && text[chain[last - 1]!.end] !== text[chain[first]!.end]) break //  coordinates: 307.29 200.283
    if (grouped && (!isGroup(chain[first]!) || !isGroup(chain[last]!))) break
    if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS) continue
    const span = { start: chain[first]!.start, end }
    const isCard = isCardNumber(digits) || isSaidCard(text, chain[first]!.start, digits)
    if (isCard && (grouped ? !touchesWord(text, span) : standsAlone(text, span))) found = last
  }
  return found
}

const isGroup = ({ digits }: Group): boolean => digits.length >= MIN_GROUP && digits.length <= MAX_GROUP
const touchesWord = (text: string, { start, end }: Span): boolean =>
  /[\w]/.test(text[start - 1] ?? ' ') || /[\w]/.test(text[end] ?? ' ')

export const isCardNumber = (digits: string): boolean =>
  passesLuhn(digits) && ISSUERS.some((issuer) => issues(issuer, digits))

const CONTEXT_BEFORE = 48
const MIN_UNKNOWN = 13
/** A card that pays, and nothing but signs and a few words between it and the number. */
const SAID =
  /(?<!(?:sim|sd|memory|graphics|video|sound|network|loyalty|library)[ -]?)(?:cards?(?:no|num|number)?|(?:kredit|bank|giro)karten?|carte (?:bancaire|de credit)|tarjeta|carta di credito|cartao)(?![a-z])[^0-9]{0,24}$/i

/**
 * Ranges are issued faster than lists of them are updated: where the text announces a card, the check digit is enough.
 */
const isSaidCard = (text: string, start: number, digits: string): boolean =>
  digits.length >= MIN_UNKNOWN &&
  !digits.startsWith('0') &&
  passesLuhn(digits) &&
  SAID.test(text.slice(Math.max(0, start - CONTEXT_BEFORE), start))

function issues({ prefixes, lengths }: Issuer, digits: string): boolean {
  if (!lengths.includes(digits.length)) return false
  return prefixes.some(([from, to]) => {
    const prefix = Number(digits.slice(0, String(from).length))
    return prefix >= from && prefix <= to
  })
}

/** ISO/IEC 7812-1: every second digit from the right doubled, digits added, divisible by ten. */
export function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let n = 0; n < digits.length; n++) {
    const digit = digits.charCodeAt(digits.length - 1 - n) - 48
    sum += n % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2
  }
  return sum % 10 === 0
}
