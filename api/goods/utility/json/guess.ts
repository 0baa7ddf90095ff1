import type { Token } from './token.ts'

const isCloser = ({ kind }: Token): boolean => kind === '}' || kind === ']'
const isOpener = ({ kind }: Token): boolean => kind === '{' || kind === '['

/**
 * Is a missing comma the only reading of two neighbours inside `bracket`? Two strings on one line may be one text
 * cut by an unescaped quote, two numbers one number: those stay refused.
 */
export function canStandApart(text: string, bracket: '{' | '[', before: Token, next: Token): boolean {
  if (next.gap.line) return bracket === '{' || !isPartedText(text, before, next)
  if (bracket === '[') return isCloser(before) && isOpener(next)
  return next.kind === 'string' && (next.gap.space || isCloser(before))
}

/** White space at the end of a string, also as Python spells it: \x0c, \xa0 and \u2028 are some to it. */
const ENDS_BLANK =
  /(?:\s|\\[nrtf]|\\(?:x|u00)(?:0[9a-d]|1[c-f]|20|85|a0)|\\u(?:1680|20(?:0[0-9a]|28|29|2f|5f)|3000))$/i
const MAX_ESCAPE = 6

/**
 * A string that ends in white space and one on the next line may be one text: Python's pprint splits a long string like
 * this, after white space, and Python reads the parts as one.
 */
const isPartedText = (text: string, before: Token, next: Token): boolean =>
  before.kind === 'string' &&
  next.kind === 'string' &&
  ENDS_BLANK.test(text.slice(before.start + 1, before.end - 1).slice(-MAX_ESCAPE))

/**
 * Is a missing colon the only reading of a name and what follows? Strings in a row are one text in several languages,
 * and a word is not surely a name.
 */
export const isMember = (name: Token, value: Token): boolean =>
  name.kind === 'string' && value.kind !== 'string' && value.gap.space

/**
 * May missing closers be written after `last`? A number may have lost digits, and a closer may stand in the comment
 * at the end.
 */
export const closesAtEnd = (last: Token, end: Token): boolean => last.kind !== 'number' && !end.gap.comment
