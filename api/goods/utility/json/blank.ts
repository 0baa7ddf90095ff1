import { type Refusal, refuse } from './refusal.ts'
import { code, codeAt, noteChange, type Source } from './source.ts'

/** What stands between two tokens. */
export type Gap = { space: boolean; line: boolean; comment: boolean }

const SPACE = code(' ')
const NEWLINE = code('\n')
const RETURN = code('\r')
const SLASH = code('/')
const STAR = code('*')
const HASH = code('#')
const GREATER = code('>')
const JSON_SPACE = new Set([SPACE, NEWLINE, RETURN, code('\t')])

/** White space that JSON does not know: no-break space, byte order mark, form feed, line separator and the like. */
const isOddSpace = (unit: number): boolean =>
  unit === 0x0b || unit === 0x0c || (unit > 0x7f && /\s/.test(String.fromCharCode(unit)))

/** Reads past white space and comments; comments and white space outside the grammar become changes. */
export function skipBlank(source: Source): Gap | Refusal {
  const gap: Gap = { space: false, line: false, comment: false }
  let lineStart = source.at === 0 || codeAt(source, source.at - 1) === NEWLINE
  for (;;) {
    const unit = codeAt(source, source.at)
    if (JSON_SPACE.has(unit)) {
      if (unit === NEWLINE || unit === RETURN) gap.line = lineStart = true
      gap.space = true
      source.at++
    } else if (isOddSpace(unit)) {
      const start = source.at
      while (isOddSpace(codeAt(source, source.at))) source.at++
      gap.space = true
      noteChange(source, { kind: 'white_space', offset: start, length: source.at - start, text: ' ' })
    } else if (unit === HASH || (unit === SLASH && codeAt(source, source.at + 1) === SLASH)) {
      const start = source.at
      while (source.at < source.end && !isLineEnd(codeAt(source, source.at))) source.at++
      gap.comment = true
      noteChange(source, { kind: 'comment', offset: start, length: source.at - start, text: '' })
    } else if (unit === SLASH && codeAt(source, source.at + 1) === STAR) {
      const start = source.at
      source.at = endOfBlock(source, start + 2)
      if (source.at < 0) return refuse('comment_not_closed', start)
      gap.comment = true
      noteChange(source, { kind: 'comment', offset: start, length: source.at - start, text: '' })
    } else if (source.quoted && lineStart && unit === GREATER) {
      noteChange(source, { kind: 'code_fence', offset: source.at, length: 1, text: '' })
      source.at++
      lineStart = false
    } else return gap
  }
}

export const isLineEnd = (unit: number): boolean => unit === NEWLINE || unit === RETURN

/** @returns the offset just after the comment, or -1 when it has no end. */
function endOfBlock(source: Source, from: number): number {
  for (let at = from; at < source.end; at++)
    if (codeAt(source, at) === STAR && codeAt(source, at + 1) === SLASH) return at + 2
  return -1
}
