import type { Span } from './document.ts'

/** Indentation, perhaps a quote mark, and the fence; the info string is the rest of the line. */
export const FENCE = /^[ \t]*(?:(>)[ \t]*)?(`{3,}|~{3,})/

/** Between a fence in a line and its document: an info string up to the end of the line, or a language. */
export const OPENING = /^(?:[^\n{[]*\n|[a-z][a-z\d]{0,19}(?=[\s{[]))?\s*(?=[{[])/i

/** A run of three or more backticks. */
type Mark = { at: number; length: number }

type Fence = { quoted: boolean; mark: string; info: string }
type Line = { text: string; start: number; next: number }

/**
 * The contents of the Markdown code blocks of a text, in order. A block that is not closed runs to the end; a lone
 * fence on the last line closes what precedes it.
 */
export function findBlocks(text: string): Span[] {
  const blocks: Span[] = []
  let open: (Fence & { line: Line }) | null = null
  for (const line of linesOf(text)) {
    const fence = fenceOf(line.text)
    if (fence === null) continue
    if (open === null) {
      const opens = fence.mark[0] === '~' || !fence.info.includes('`')
      if (opens) open = { ...fence, line }
    } else if (closes(open, fence)) {
      blocks.push({ from: open.line.next, to: line.start, quoted: open.quoted })
      open = null
    }
  }
  if (open === null) return blocks
  const rest = { from: open.line.next, to: text.length, quoted: open.quoted }
  const isLone = blocks.length === 0 && open.info.trim() === '' && text.slice(rest.from).trim() === ''
  return isLone ? [{ from: 0, to: open.line.start, quoted: false }] : [...blocks, rest]
}

const closes = (open: Fence, { mark, info }: Fence): boolean =>
  mark[0] === open.mark[0] && mark.length >= open.mark.length && info.trim() === ''

function fenceOf(line: string): Fence | null {
  const match = FENCE.exec(line)
  return match && { quoted: match[1] !== undefined, mark: match[2]!, info: line.slice(match[0].length) }
}

function* linesOf(text: string): Generator<Line> {
  let start = 0
  while (start < text.length) {
    const end = text.indexOf('\n', start)
    const next = end < 0 ? text.length : end + 1
    yield { text: text.slice(start, end < 0 ? next : end), start, next }
    start = next
  }
}

/**
 * The contents of backtick fences anywhere in the text, as in ``Sure! ```json``: each from a mark to the next of the
 * same length; one that is not closed runs to the end. Only what begins as an object or array: inline code is often a
 * single word.
 */
export function fencesInLines(text: string): Span[] {
  const spans: Span[] = []
  let open: Mark | null = null
  for (const mark of marksOf(text)) {
    if (open === null) open = mark
    else if (mark.length >= open.length) {
      spans.push(...containerIn(text, open, mark.at))
      open = null
    }
  }
  return open === null ? spans : [...spans, ...containerIn(text, open, text.length)]
}

/**
 * The contents from the first mark to the last, when there are more than two: those in between may be part of a string.
 */
export function outermostFence(text: string): Span[] {
  const marks = marksOf(text)
  const [first] = marks
  const last = marks.at(-1)
  return marks.length > 2 && first && last?.length === first.length ? containerIn(text, first, last.at) : []
}

const marksOf = (text: string): Mark[] =>
  Array.from(text.matchAll(/`{3,}/g), ({ 0: mark, index: at }) => ({ at, length: mark.length }))

function containerIn(text: string, open: Mark, to: number): Span[] {
  const from = open.at + open.length
  const opening = OPENING.exec(text.slice(from, to))
  return opening === null ? [] : [{ from: from + opening[0].length, to, quoted: false }]
}

/** The inside of a text that is one piece of inline code, as in `{"a":1}` between backticks; none when it is not. */
export function inlineCode(text: string): Span[] {
  const trimmed = text.trim()
  const marks = runOf(trimmed, 0, 1)
  if (marks === 0 || trimmed.length <= 2 * marks || runOf(trimmed, trimmed.length - 1, -1) !== marks)
    return []
  const from = text.length - text.trimStart().length + marks
  const to = text.trimEnd().length - marks
  const language = marks < 3 ? null : /^[a-z][a-z\d]{0,19}(?=[\s{[])/i.exec(text.slice(from, from + 21))
  return [{ from: from + (language?.[0].length ?? 0), to, quoted: false }]
}

function runOf(text: string, at: number, step: 1 | -1): number {
  let length = 0
  while (text[at + length * step] === '`') length++
  return length
}
