/** Venue text as data: valid Unicode, outer blanks off, cut at `max` UTF-16 units and never inside a character. */
export function cleanText(value: unknown, max: number): string {
  if (typeof value !== 'string') return ''
  const text = value.trim().toWellFormed()
  if (text.length <= max) return text
  const cut = text.slice(0, max)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}

export function textOrNull(value: unknown, max: number): string | null {
  return cleanText(value, max) || null
}

/** A short label that is shown as it is, without control, zero-width and direction characters (VEN-13). */
export function labelOrNull(value: unknown, max: number): string | null {
  return textOrNull(typeof value === 'string' ? value.replace(UNPRINTED, ' ') : value, max)
}
const UNPRINTED = /[\p{Cc}\p{Cf}\u2065\s]+/gu

/** What both venues' ids are made of; also keeps them safe inside our own compound ids (`a:<id>|b:<ticker>`). */
export const ID = /^[A-Za-z0-9._~:-]{1,200}$/

/** Encodes one path segment of an allow-listed address, which venue text cannot leave: VEN-14. */
export function encodeSegment(value: string): string | null {
  if (/^\.{0,2}$/.test(value)) return null
  const encoded = encodeURIComponent(value.toWellFormed())
  return encoded.length > 600 ? null : encoded
}

/**
 * 53 bits of a text, to see whether it is still the same. Two lanes of multiply and mix over its UTF-16 units:
 * texts are short or rarely looked at, and a native hash would first copy each of them. Two different texts agree
 * once in 10^16; nobody gains by making them, the venue is their only author.
 */
export function digest(text: string): number {
  let low = 0x2545f491 ^ text.length
  let high = 0x6c8e9cf5 ^ text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul((high ^ unit) + ((high >>> 13) | 0), 0x2c1b3c6d)
  }
  low = Math.imul(low ^ (low >>> 16) ^ high, 0x7feb352d)
  high = Math.imul(high ^ (high >>> 15), 0x297a2d39) ^ low
  low ^= low >>> 15
  return ((high ^ (high >>> 16)) & 0x1fffff) * 0x1_0000_0000 + (low >>> 0)
}
