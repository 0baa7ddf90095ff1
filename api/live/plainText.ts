/** Longer titles are cut: a line of a page, not a document. */
export const TITLE_MAX = 160

//  C0, C1, zero-width and bidirectional controls: characters that do not print, and those that reorder others
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+/g

/**
 * A venue's text as one line of ordinary characters (VEN-13). It is still data: code that writes it into HTML or
 * markdown escapes it there.
 */
export function plainText(text: string): string {
  const line = text
    .slice(0, 4 * TITLE_MAX)
    .toWellFormed()
    .replace(INVISIBLE, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const letters = [...line]
  return letters.length <= TITLE_MAX ? line : `${letters.slice(0, TITLE_MAX - 1).join('')}…`
}

/** A link a reader may follow, or null: https and nothing else (VEN-14). */
export function safeUrl(text: string): string | null {
  if (text.length > 500 || !URL.canParse(text)) return null
  const url = new URL(text)
  return url.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : null
}
