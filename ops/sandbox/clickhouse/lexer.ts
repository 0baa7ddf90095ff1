/**
 * SQL text cut into ClickHouse's tokens: enough to find clause words outside of strings and comments. Offsets
 * are indexes of the given string; a caller that needs byte offsets passes bytes read as latin1, one char per byte.
 */
export type Token = {
  kind: 'word' | 'quoted' | 'string' | 'number' | 'sign' | 'bad'
  start: number
  end: number //  exclusive
  depth: number // open brackets of any kind before this token
}

const SPACE = /[ \t\n\v\f\r]/
const WORD = /[A-Za-z0-9_$]/
const DIGIT = /[0-9]/

/** @param limit stops after this many tokens: a caller that looks for a statement's head needs no more. */
export function tokenize(sql: string, limit = Number.POSITIVE_INFINITY): Token[] {
  const tokens: Token[] = []
  let at = 0
  let depth = 0
  while (at < sql.length && tokens.length < limit) {
    const skipped = skipBlank(sql, at)
    if (skipped > at) {
      at = skipped
      continue
    }
    const start = at
    const { kind, end } = tokenAt(sql, at)
    if (')]}'.includes(sql[start]!)) depth = Math.max(0, depth - 1)
    tokens.push({ kind, start, end, depth })
    if ('([{'.includes(sql[start]!)) depth += 1
    at = end
  }
  return tokens
}

/**
 * Whether every ClickHouse lexer, old or new, cuts this text as `tokenize` does. Only such a text may be cut or
 * extended in the middle: dollar signs, unusual comments and quotes are read in more than one way, and a clause put
 * inside of what the engine takes for a string would turn the rest of that string into SQL.
 */
export function isUnambiguous(sql: string): boolean {
  let from = 0
  for (const { kind, start, end } of tokenize(sql)) {
    const text = sql.slice(start, end)
    if (kind === 'bad' || (kind === 'string' && text[0] !== "'")) return false
    if ((kind === 'word' || kind === 'number') && text.includes('$')) return false
    if (kind === 'sign' && !PLAIN_SIGN.test(text)) return false
    if (!PLAIN_BLANK.test(sql.slice(from, start))) return false
    from = end
  }
  return PLAIN_BLANK.test(sql.slice(from))
}

const PLAIN_SIGN = /^[!%&()*+,\-./:;<=>?@[\]^{|}~]$/
const PLAIN_BLANK = /^(?:[ \t\n\v\f\r]|--[^\n]*(?:\n|$)|\/\*(?:(?!\/\*|\*\/)[\s\S])*\*\/)*$/

/** Upper-case text of a word token, '' for any other: keywords are never quoted. */
export const keyword = (sql: string, token: Token | undefined): string =>
  token?.kind === 'word' ? sql.slice(token.start, token.end).toUpperCase() : ''

/** The one character of a sign token, '' for any other. */
export const sign = (sql: string, token: Token | undefined): string =>
  token?.kind === 'sign' ? sql.slice(token.start, token.end) : ''

/** A word or quoted identifier without its quotes; null for any other token. */
export function identifier(sql: string, token: Token | undefined): string | null {
  if (token === undefined) return null
  const text = sql.slice(token.start, token.end)
  if (token.kind === 'word') return text
  if (token.kind !== 'quoted') return null
  const quote = text[0]!
  return text
    .slice(1, -1)
    .replaceAll(quote + quote, quote)
    .replace(/\\(.)/gs, '$1')
}

/** White space and comments: `-- …`, `// …`, `# …`, `#!…`, and nested C-style ones. */
function skipBlank(sql: string, from: number): number {
  const two = sql.slice(from, from + 2)
  if (SPACE.test(sql[from]!)) return from + 1
  if (two === '--' || two === '//' || two === '# ' || two === '#!') {
    const end = sql.indexOf('\n', from)
    return end === -1 ? sql.length : end
  }
  if (two !== '/*') return from
  let nesting = 1
  let at = from + 2
  while (at < sql.length && nesting > 0) {
    const pair = sql.slice(at, at + 2)
    if (pair === '/*') nesting += 1
    if (pair === '*/') nesting -= 1
    at += pair === '/*' || pair === '*/' ? 2 : 1
  }
  return nesting === 0 ? at : sql.length
}

function tokenAt(sql: string, start: number): Pick<Token, 'kind' | 'end'> {
  const char = sql[start]!
  if (char === "'") return quoted(sql, start, 'string')
  if (char === '`' || char === '"') return quoted(sql, start, 'quoted')
  if (char === '$') {
    const end = heredocEnd(sql, start)
    if (end !== null) return { kind: 'string', end }
  }
  if (/[xXbB]/.test(char) && sql[start + 1] === "'") return quoted(sql, start + 1, 'string')
  if (WORD.test(char)) {
    let end = start + 1
    while (end < sql.length && WORD.test(sql[end]!)) end += 1
    return { kind: DIGIT.test(char) ? 'number' : 'word', end }
  }
  return { kind: 'sign', end: start + 1 }
}

/** Both escapes of ClickHouse count: a backslash takes the next character, a doubled quote is one quote. */
function quoted(sql: string, open: number, kind: 'string' | 'quoted'): Pick<Token, 'kind' | 'end'> {
  const quote = sql[open]!
  let at = open + 1
  while (at < sql.length) {
    if (sql[at] === '\\') at += 2
    else if (sql[at] !== quote) at += 1
    else if (sql[at + 1] === quote) at += 2
    else return { kind, end: at + 1 }
  }
  return { kind: 'bad', end: sql.length }
}

/** `$tag$ … $tag$`. @returns null when it is a lone dollar sign. */
function heredocEnd(sql: string, start: number): number | null {
  const tagEnd = sql.indexOf('$', start + 1)
  if (tagEnd === -1) return null
  const tag = sql.slice(start, tagEnd + 1)
  const close = sql.indexOf(tag, tagEnd + 1)
  return close === -1 ? null : close + tag.length
}
