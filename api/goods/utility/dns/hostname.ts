import { isIP } from 'node:net'

/** Longest input that is read: a URL as it is commonly limited. */
export const MAX_INPUT_CHARS = 2_048
const MAX_NAME_CHARS = 253 //  RFC 1035, without the trailing dot
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
const TOP_LABEL = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

const SCHEMES: ReadonlySet<string> = new Set(['http', 'https', 'ws', 'wss', 'ftp'])
/** A word and a colon that no port follows: `example.com:53` is a host, `javascript:1+1` is not. */
const SCHEME = /^([a-z][a-z0-9+.-]*):(?!\d{1,5}(?:[/?#]|$))/i

/**
 * Names that a public resolver must not be asked for: the spec's list (4.1 rule 7), and names that never are in the
 * public tree (RFC 6761, 7686, 9476). Nothing under arpa, which holds home.arpa and reverse names, is looked up.
 */
const REFUSED_TOP: ReadonlySet<string> = new Set([
  'localhost',
  'local',
  'internal',
  'arpa',
  'onion',
  'test',
  'invalid',
  'alt',
])

export type Hostname = { name: string } | { refusal: string }

/**
 * The hostname of a name or URL as one would look it up: read once by the WHATWG parser (IDNA, percent
 * escapes, every spelling of an IPv4 address), one trailing dot taken off, and only then checked.
 * @returns the lower-case ASCII name without trailing dot, or why it is not looked up, in our own words.
 */
export function readHostname(input: string): Hostname {
  const text = input.trim()
  if (text.length > MAX_INPUT_CHARS) return { refusal: `at most ${MAX_INPUT_CHARS} characters` }
  if (/[\s\u0000-\u001f\u007f]/.test(text)) return { refusal: 'holds white space or a control character' }
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase()
  if (scheme !== undefined && !SCHEMES.has(scheme))
    return { refusal: 'is neither a hostname nor an http, https, ws, wss or ftp URL' }
  const hostname = hostnameOf(scheme === undefined ? `http://${text}` : text)
  if (hostname === null) return { refusal: 'is neither a hostname nor a URL' }
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
  const refusal = refuseName(name)
  return refusal === null ? { name } : { refusal }
}

/** Why a canonical name is not looked up; null: it is. */
function refuseName(name: string): string | null {
  if (name.startsWith('[') || isIP(name) !== 0) return 'is an IP address; names only'
  const labels = name.split('.')
  if (name.length > MAX_NAME_CHARS || !labels.every((label) => LABEL.test(label)))
    return 'is not a valid DNS name'
  if (labels.length < 2) return 'is a single label; public names have a dot'
  if (isRefusedName(labels)) return 'is a name for private or special use'
  if (!TOP_LABEL.test(labels.at(-1)!)) return 'is not a valid DNS name'
  return null
}

/** Compared by the whole last label: `notinternal.com` and `local.example.com` are public names. */
export const isRefusedName = (labels: readonly string[]): boolean => REFUSED_TOP.has(labels.at(-1) ?? '')

function hostnameOf(url: string): string | null {
  try {
    return new URL(url).hostname
  } catch {
    return null
  }
}
