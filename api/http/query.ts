import type { Problem } from '../errors.ts'

/**
 * The query string, decoded once and strictly: every reader (fingerprint, validation, answer) sees the
 * same value. `+` is a space as browsers send it.
 */
export type Query = ReadonlyMap<string, string>

const MAX_PARAMETERS = 32

/** The refusal for a query that parseQuery returns null for. */
export const MALFORMED_QUERY: Problem = {
  problem: 'malformed_request',
  detail: `The query takes each name once, at most ${MAX_PARAMETERS} of them, as percent-encoded UTF-8 without NUL.`,
}

/** What the server below us puts for bytes that are not UTF-8; whoever means the character itself escapes it. */
const NOT_UTF8 = '\ufffd'

/** @returns null when it is malformed: bad percent escape, invalid UTF-8, NUL, a name given twice, too many names. */
export function parseQuery(raw: string): Query | null {
  const query = new Map<string, string>()
  if (raw === '') return query
  if (raw.includes(NOT_UTF8)) return null
  for (const part of raw.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decode(equals < 0 ? part : part.slice(0, equals))
    const value = equals < 0 ? '' : decode(part.slice(equals + 1))
    if (name === null || value === null || name === '') return null
    if (query.has(name) || query.size >= MAX_PARAMETERS) return null
    query.set(name, value)
  }
  return query
}

/**
 * Equal queries give equal text: everything escaped one way, then sorted. Published as part of `requestHash`: escaping
 * differently would change the hash.
 */
export function canonicalQuery(query: Query): string {
  return [...query]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort()
    .join('&')
}

function decode(text: string): string | null {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '))
    return decoded.includes('\0') || !decoded.isWellFormed() ? null : decoded
  } catch {
    return null
  }
}
