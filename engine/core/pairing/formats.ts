import type { Fingerprint } from './fingerprint.ts'

/** Formats in which the same two sides play cricket on one tour, and sometimes on one day of it. */
const FORMATS: readonly RegExp[] = [
  /\bt20i?s?\b|\btwenty20\b|^kx(?:w?t20|ipl)/,
  /\bodis?\b|\bone[- ]day (?:international|cup)\b|^kxw?odi/,
  /\btest (?:match|series|winner)\b|\b(?:1st|2nd|3rd|4th|5th|first|second|third|fourth|fifth) test\b|^kxw?test/,
]

/** Do both state a format, with none in common? */
export function areOtherFormats(a: Fingerprint, b: Fingerprint): boolean {
  const [ofA, ofB] = [formatsOf(a), formatsOf(b)]
  return ofA.length > 0 && ofB.length > 0 && !ofA.some((at) => ofB.includes(at))
}

function formatsOf({ market, ticker }: Fingerprint): number[] {
  const texts = [ticker?.series ?? '', market.eventTitle, market.title, market.outcome ?? '']
  return FORMATS.flatMap((format, at) => (texts.some((text) => format.test(text.toLowerCase())) ? [at] : []))
}
