import type { Token } from './token.ts'

const isCloser = ({ kind }: Token): boolean => kind === '}' || kind === ']'
const isOpener = ({ kind }: Token): boolean => kind === '{' || kind === '['

/**
 * Is a missing comma the only reading of two neighbours inside `bracket`? Two strings on one line may be one text
 * cut by an unescaped quote, two numbers one number: those stay refused.
 */
export function canStandApart(bracket: '{' | '[', before: Token, next: Token): boolean {
  if (next.gap.line) return true
  if (bracket === '[') return isCloser(before) && isOpener(next)
  return next.kind === 'string' && (next.gap.space || isCloser(before))
}

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
