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

/**
 * A string that ends in white space and one on the next line may be one text: Python's pprint splits a long string like
 * this, after white space, and Python reads the parts as one.
 */
const isPartedText = (text: string, before: Token, next: Token): boolean =>
  before.kind === 'string' &&
  next.kind === 'string' &&
  /(?:\s|\\[nrt])$/.test(text.slice(before.start + 1, before.end - 1).slice(-2))

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
