import { identifier, keyword, sign, type Token, tokenize } from './lexer.ts'

/**
 * Where a statement's text has to be cut or extended. Nothing here judges a statement: the engine's own parser says
 * what it is and how many there are (`Engine.analyze`). A wrong guess becomes its syntax error.
 */

/** The head of `INSERT … FORMAT X <data>` or `INSERT … VALUES <data>`. Offsets into the given text. */
export type InsertHead = {
  /** Where ` FROM INFILE '…'` goes: before SETTINGS, FORMAT and VALUES. */
  sourceAt: number
  /** End of the clauses before FORMAT or VALUES. */
  clausesEnd: number
  format: string
  dataAt: number
}

const HEAD_TOKENS = 10_000

/** @returns null when the text is no INSERT with data of its own (or its head is not complete yet). */
export function findInsertHead(sql: string): InsertHead | null {
  const tokens = tokenize(sql, HEAD_TOKENS)
  let at = 0
  const take = (word: string) => {
    if (keyword(sql, tokens[at]) !== word) return false
    at += 1
    return true
  }
  if (!take('INSERT')) return null
  take('INTO')
  take('TABLE')
  take('FUNCTION')
  at = afterTarget(sql, tokens, at)
  let sourceAt: number | null = null
  for (; at < tokens.length; at += 1) {
    const token = tokens[at]!
    if (token.depth > 0) continue
    const word = keyword(sql, token)
    if (word === 'SETTINGS') sourceAt ??= token.start
    if (word === 'SELECT' || word === 'WITH' || word === 'FROM' || word === 'WATCH') return null
    if (word === 'VALUES') {
      const start = sourceAt ?? token.start
      return { sourceAt: start, clausesEnd: token.start, format: 'Values', dataAt: token.end }
    }
    if (word !== 'FORMAT') continue
    const name = tokens[at + 1]
    const format = identifier(sql, name)
    if (name === undefined || format === null || sql[name.end] === ';') return null
    const start = sourceAt ?? token.start
    return { sourceAt: start, clausesEnd: token.start, format, dataAt: afterFormat(sql, name.end) }
  }
  return null
}

/** Past `db.table`, `{name:Identifier}` or `function(…)`: the target may be called `values` or `format`. */
function afterTarget(sql: string, tokens: Token[], from: number): number {
  let at = from
  for (;;) {
    const base = tokens[at]?.depth ?? 0
    at += 1
    while (at < tokens.length && tokens[at]!.depth > base) at += 1
    if (sign(sql, tokens[at]) === '}') at += 1
    if (sign(sql, tokens[at]) !== '.') return at
    at += 1
  }
}

/** Data starts after the first line end, or after the blanks when there is none. */
function afterFormat(sql: string, from: number): number {
  let at = from
  while (at < sql.length && /[ \t\f]/.test(sql[at]!)) at += 1
  if (sql[at] === '\r') at += 1
  if (sql[at] === '\n') at += 1
  return at
}

export const insertFromFile = (sql: string, head: InsertHead, path: string): string =>
  `${sql.slice(0, head.sourceAt)} FROM INFILE '${path}' ${sql.slice(head.sourceAt, head.clausesEnd)} FORMAT ${head.format}`

/** Text after the first `;` of inline values: ClickHouse reads one statement a request. */
export function hasMoreAfterValues(values: string): boolean {
  const tokens = tokenize(values)
  const end = tokens.findIndex((token) => sign(values, token) === ';')
  return end !== -1 && tokens.slice(end).some((token) => sign(values, token) !== ';')
}

/** A statement without its trailing `;` and comments, and the FORMAT clause at its end. */
export type Tail = { end: number; formatAt: number | null; format: string | null }

export function findTail(sql: string): Tail {
  const tokens = tokenize(sql)
  while (sign(sql, tokens.at(-1)) === ';') tokens.pop()
  const end = tokens.at(-1)?.end ?? 0
  for (let at = tokens.length - 2; at > 0; at -= 1) {
    if (tokens[at]!.depth > 0 || keyword(sql, tokens[at]) !== 'FORMAT') continue
    if (!endsExpression(sql, tokens[at - 1])) continue
    const format = identifier(sql, tokens[at + 1])
    const next = tokens[at + 2]
    if (format !== null && (next === undefined || keyword(sql, next) === 'SETTINGS'))
      return { end, formatAt: tokens[at]!.start, format }
  }
  return { end, formatAt: null, format: null }
}

/** A FORMAT clause follows something complete; `select t.format name` and `select format x` have a column there. */
const endsExpression = (sql: string, token: Token | undefined): boolean =>
  token?.kind === 'sign' ? ')]}*'.includes(sign(sql, token)) : !OPEN_WORDS.has(keyword(sql, token))

const OPEN_WORDS = new Set([
  'SELECT',
  'DISTINCT',
  'BY',
  'WHERE',
  'AND',
  'OR',
  'NOT',
  'AS',
  'FROM',
  'ON',
  'IN',
])

/** The same query with its answer written to `path`, in its own or the request's default format. */
export function intoFile(sql: string, tail: Tail, path: string): string {
  const at = tail.formatAt ?? tail.end
  return `${sql.slice(0, at)} INTO OUTFILE '${path}' ${sql.slice(at, tail.end)}`
}

export const firstKeyword = (sql: string): string => {
  const token = tokenize(sql, 1)[0]
  return sign(sql, token) === '(' ? '(' : keyword(sql, token)
}

/** Clauses that make the embedded engine, being its own client, touch files that are ours. */
export function findFileClause(sql: string): 'INTO OUTFILE' | 'FROM INFILE' | null {
  const tokens = tokenize(sql)
  const words = tokens.map((token) => keyword(sql, token))
  for (let at = 1; at < words.length; at += 1) {
    if (words[at] === 'OUTFILE' && words[at - 1] === 'INTO') return 'INTO OUTFILE'
    if (words[at] === 'INFILE' && words[at - 1] === 'FROM' && words.includes('INSERT')) return 'FROM INFILE'
  }
  return null
}

/** All names of a text, quoted or not, and which of them are called like a function. */
export function namesIn(sql: string): { name: string; called: boolean }[] {
  const tokens = tokenize(sql)
  return tokens.flatMap((token, at) => {
    const name = identifier(sql, token)
    return name === null ? [] : [{ name, called: sign(sql, tokens[at + 1]) === '(' }]
  })
}

/**
 * KILL QUERY as the embedded engine can do it: our query ids are its log comments, since it cannot be given a query
 * id, and SYNC never returns in it, so it becomes ASYNC (the answer says `waiting`; the query ends a moment later).
 */
export function killByOurIds(sql: string): string {
  if (firstKeyword(sql) !== 'KILL') return sql
  let result = ''
  let from = 0
  for (const token of tokenize(sql)) {
    const replacement =
      identifier(sql, token) === 'query_id'
        ? "Settings['log_comment']"
        : keyword(sql, token) === 'SYNC'
          ? 'ASYNC'
          : null
    if (replacement === null) continue
    result += sql.slice(from, token.start) + replacement
    from = token.end
  }
  return result + sql.slice(from)
}
