import type { Change } from './change.ts'
import { canStandApart, closesAtEnd, isMember } from './guess.ts'
import { isRefusal, type Reason, type Refusal, refuse } from './refusal.ts'
import { noteChange, type Source } from './source.ts'
import { nextToken, type Token } from './token.ts'

/** Deepest nesting followed: every later step (another thread, the receipt, a buyer's parser) copes with it. */
export const MAX_DEPTH = 512

/** A document that is JSON once the changes are made; `numbers` are spelled as in the input. */
export type Repaired = { changes: Change[]; numbers: string[] }

/** A part of the text that may be a document. */
export type Span = { from: number; to: number; quoted: boolean }

type State = 'value' | 'name' | 'colon' | 'after'

/** What has been read: the open brackets instead of a call stack, and the last tokens that a decision needs. */
type Reader = {
  source: Source
  open: ('{' | '[')[]
  state: State
  last: Token | null //   the token before
  comma: Token | null //  set while nothing follows this comma
  isContainer: boolean // the root, once it is known
  numbers: string[]
}

const CLOSER = { '{': '}', '[': ']' } as const
const CONSTANTS = new Map([
  ['true', 'true'],
  ['false', 'false'],
  ['null', 'null'],
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
])

/** Reads one document in one pass over its tokens, without recursion. Nothing is added but punctuation. */
export function repairDocument(text: string, { from, to, quoted }: Span): Repaired | Refusal {
  const source: Source = { text, end: to, quoted, at: from, changes: [] }
  const reader: Reader = {
    source,
    open: [],
    state: 'value',
    last: null,
    comma: null,
    isContainer: false,
    numbers: [],
  }
  for (;;) {
    const token = nextToken(source)
    if (isRefusal(token)) return token
    const refusal = READ[reader.state](reader, token)
    if (refusal !== null) return refusal
    if (token.kind === 'end') break
    reader.last = token
  }
  return { changes: source.changes, numbers: reader.numbers }
}

const READ: Record<State, (reader: Reader, token: Token) => Refusal | null> = {
  value: readValue,
  name: readName,
  colon: readColon,
  after: readAfter,
}

function readValue(reader: Reader, token: Token): Refusal | null {
  const { source, open } = reader
  if (token.kind === '{' || token.kind === '[') {
    if (open.length >= MAX_DEPTH) return refuse('too_deep', token.start)
    if (open.length === 0) reader.isContainer = true
    open.push(token.kind)
    reader.comma = null
    reader.state = token.kind === '{' ? 'name' : 'value'
    return null
  }
  if (token.kind === 'number') {
    for (const fix of token.fixes) noteChange(source, { kind: 'number_form', ...fix })
    reader.numbers.push(source.text.slice(token.start, token.end))
  } else if (token.kind === 'word') {
    const spelled = CONSTANTS.get(token.word)
    if (spelled === undefined) return refuse('bare_word', token.start)
    if (spelled !== token.word)
      noteChange(source, {
        kind: 'python_constant',
        offset: token.start,
        length: token.end - token.start,
        text: spelled,
      })
  } else if (token.kind !== 'string') return closeInstead(reader, token, 'value_missing')
  return afterValue(reader)
}

function readName(reader: Reader, token: Token): Refusal | null {
  const { source } = reader
  if (token.kind === 'word' || (token.kind === 'number' && token.digits)) {
    const name = source.text.slice(token.start, token.end)
    noteChange(source, { kind: 'unquoted_key', offset: token.start, length: name.length, text: `"${name}"` })
  } else if (token.kind !== 'string') return closeInstead(reader, token, 'name_missing')
  reader.comma = null
  reader.state = 'colon'
  return null
}

function readColon(reader: Reader, token: Token): Refusal | null {
  const { source, last } = reader
  reader.state = 'value'
  if (token.kind === ':') return null
  if (token.kind === 'end') return refuse('cut_off', token.start)
  if (!isMember(last!, token)) return refuse('colon_missing', token.start)
  noteChange(source, { kind: 'missing_colon', offset: last!.end, length: 0, text: ':' })
  return readValue(reader, token)
}

function readAfter(reader: Reader, token: Token): Refusal | null {
  const { source, open, last } = reader
  const bracket = open.at(-1)
  if (bracket === undefined) return readAfterRoot(reader, token)
  if (token.kind === ',') {
    reader.comma = token
    reader.state = bracket === '{' ? 'name' : 'value'
    return null
  }
  if (token.kind === '}' || token.kind === ']') return close(reader, token)
  if (token.kind === 'end') return closeAll(reader, token)
  if (!canStandApart(source.text, bracket, last!, token)) return refuse('comma_missing', token.start)
  noteChange(source, { kind: 'missing_comma', offset: last!.end, length: 0, text: ',' })
  return bracket === '{' ? readName(reader, token) : readValue(reader, token)
}

/** After the document only one comma is accepted. */
function readAfterRoot(reader: Reader, token: Token): Refusal | null {
  if (token.kind === ',' && reader.isContainer && reader.last?.kind !== ',') {
    noteChange(reader.source, { kind: 'trailing_comma', offset: token.start, length: 1, text: '' })
    return null
  }
  return token.kind === 'end' ? null : refuse('text_after', token.start)
}

/** Where a value or name is expected, a bracket may close if it has just been opened or a comma precedes. */
function closeInstead(reader: Reader, token: Token, reason: Reason): Refusal | null {
  const { source, open, last, comma } = reader
  if (token.kind === 'end') {
    if (open.length === 0) return refuse('empty', token.start)
    if (comma === null) return refuse('cut_off', token.start)
  } else if (token.kind !== '}' && token.kind !== ']')
    return refuse(token.kind === ',' || token.kind === ':' ? reason : 'not_json', token.start)
  else if (open.length === 0) return refuse('not_json', token.start)
  else if (comma === null && last?.kind !== open.at(-1)) return refuse(reason, token.start)
  if (comma !== null) noteChange(source, { kind: 'trailing_comma', offset: comma.start, length: 1, text: '' })
  return token.kind === 'end' ? closeAll(reader, token) : close(reader, token)
}

function close(reader: Reader, token: Token): Refusal | null {
  const bracket = reader.open.pop()
  if (bracket === undefined || token.kind !== CLOSER[bracket]) return refuse('wrong_closer', token.start)
  return afterValue(reader)
}

/** The text ends with brackets open. */
function closeAll(reader: Reader, end: Token): Refusal | null {
  const { source, open, last } = reader
  if (!closesAtEnd(last!, end)) return refuse('cut_off', end.start)
  const closers = open.map((bracket) => CLOSER[bracket]).reverse()
  noteChange(source, { kind: 'missing_closer', offset: last!.end, length: 0, text: closers.join('') })
  return null
}

function afterValue(reader: Reader): null {
  reader.comma = null
  reader.state = 'after'
  return null
}
