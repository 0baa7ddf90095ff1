import { hash } from 'node:crypto'

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

/** What both venues' ids are made of; also keeps them safe inside our own compound ids (`a:<id>|b:<ticker>`). */
export const ID = /^[A-Za-z0-9._~:-]{1,200}$/

/** One path segment of an allow-listed address. Venue text cannot leave it: VEN-14. */
export function encodeSegment(value: string): string | null {
  if (/^\.{0,2}$/.test(value)) return null
  const encoded = encodeURIComponent(value.toWellFormed())
  return encoded.length > 600 ? null : encoded
}

/** Equal digests, equal text. Not a security matter: the venue itself is the only author. */
export function digest(text: string): string {
  return hash('sha1', text, 'base64')
}
