import { styleText } from 'node:util'

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan'

/** Styles for a terminal, or none at all. */
export type Paint = (style: Style, text: string) => string

export const createPaint =
  (colours: boolean): Paint =>
  (style, text) =>
    colours ? styleText(style, text, { validateStream: false }) : text

/** Control characters but for tab and newline, marks that change the direction of writing, and invisible characters. */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu

/** Foreign text that cannot move the cursor, recolour or hide what comes before it. Its line breaks are kept. */
export const printableLines = (text: string): string => text.replace(UNSEEN, '\ufffd')

/** The same on one line, so that it cannot pass for one of ours. */
export const printable = (text: string): string => printableLines(text).replaceAll(/[\t\n]+/g, ' ')

/** JSON with two blanks of indent, keys apart from values by colour; foreign text made printable. */
export function prettyJson(value: unknown, paint: Paint): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
  return printableLines(text).replace(
    /^(\s*)("(?:[^"\\]|\\.)*")(?=:)/gm,
    (_, blank: string, key: string) => blank + paint('cyan', key),
  )
}

/** ISO 8601 of Unix ms; foreign numbers may be no time at all, and stay numbers. */
export function isoTime(unixMs: number): string {
  const date = new Date(unixMs)
  return Number.isNaN(date.getTime()) ? String(unixMs) : date.toISOString()
}

/** `0x1234…cdef` */
export const short = (hex: string): string => (hex.length <= 14 ? hex : `${hex.slice(0, 6)}…${hex.slice(-4)}`)

/** Lines behind a head of `indent` columns, the further ones below the first. */
export const hanging = (head: string, indent: number, lines: readonly string[]): string[] =>
  lines.map((line, at) => `${at === 0 ? head : ' '.repeat(indent)}${line}`)

/** Breaks between words so that no line is longer than `width`; a word that is longer stays whole. */
export function wrap(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1)!
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}
