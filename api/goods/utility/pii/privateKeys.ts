import type { Span } from '../text/fold.ts'
import { occurrences } from '../text/occurrences.ts'
import { isAlnumAt, runLength } from './finder.ts'

const BEGIN = '-----BEGIN '
const LABEL = /^(?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/
const MAX_LABEL = 72

/** The first line of a key as PuTTY and ssh.com write it. */
const OTHER_FORM = /PuTTY-User-Key-File-[1-3]: |---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----/g

/** PEM and PGP private keys, and those of PuTTY and ssh.com, by their first line. */
export function findPemKeys(text: string): Span[] {
  const spans = [...text.matchAll(OTHER_FORM)].map(
    ({ 0: line, index }): Span => ({
      start: index,
      end: index + line.length,
    }),
  )
  for (const start of occurrences(text, BEGIN)) {
    const label = LABEL.exec(text.slice(start + BEGIN.length, start + BEGIN.length + MAX_LABEL))
    if (label !== null) spans.push({ start, end: start + BEGIN.length + label[0].length })
  }
  return spans
}

const MAX_PART = 8_192
const MIN_HEADER = 16
const BRACE = /ey[JA]|ew[o0]/g // how `{"`, `{ ` and `{` with a line end begin in base64

/** JSON web tokens: two or three base64url parts, the first of which says an algorithm. */
export function findJwts(text: string): Span[] {
  const spans: Span[] = []
  let end = 0
  for (const { index: start } of text.matchAll(BRACE)) {
    if (start < end || isAlnumAt(text, start - 1)) continue
    const header = runLength(text, start, 'base64url', MAX_PART)
    const payload = start + header + 1
    const payloadLength = text[payload - 1] === '.' ? runLength(text, payload, 'base64url', MAX_PART) : 0
    if (payloadLength === 0) {
      end = start + header
      continue
    }
    end = payload + payloadLength
    if (text[end] === '.') end += 1 + runLength(text, end + 1, 'base64url', MAX_PART)
    if (header >= MIN_HEADER && saysAlgorithm(text.slice(start, start + header))) spans.push({ start, end })
  }
  return spans
}

/** Looked for as text: parsing what is no JSON costs an exception each. */
function saysAlgorithm(header: string): boolean {
  const json = Buffer.from(header, 'base64url').toString('latin1')
  return (
    /^\{\s*"/.test(json) && json.trimEnd().endsWith('}') && (json.includes('"alg"') || json.includes('"enc"'))
  )
}

const KEY_HEX = 64
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const CONTEXT = 48
const SAYS_SECRET = /priv|secret|mnemonic/i
const WORDS =
  /(?<hash>hash|tx|transaction|block|root|topic|digest|sha|keccak|nonce|commit|signature|\bu?id\b|(?:condition|question|market|collection|position|order|request|assertion)[ _-]?ids?\b|\bmarket(?=["']?\s{0,3}[:=])|data|intent|proof|merkle|leaf|slot|salt|(?:pub|public|cache|idempotency)[ _-]?key)|(?<key>wallet|signer|\bpk\b|_key|\bkey)/gi
type Said = 'key' | 'hash' | null
const MAX_LISTED = 27
const LISTED = /^["'`]?,?\s{0,24}["'`]?$/

/**
 * Keys of the curve secp256k1: 64 hex digits below its order. A hash looks the same, so the words just before decide
 * (for a list, those before its first entry): with `0x` it is a key unless they name a hash, without it only if they
 * name a key.
 */
export function findEvmKeys(text: string): Span[] {
  const spans: Span[] = []
  let last: { end: number; says: Said } = { end: -1 - MAX_LISTED, says: null }
  for (let at = 0; at < text.length; at++) {
    const length = runLength(text, at, 'hex', text.length)
    if (length === 0) continue
    const prefixed = text[at] === '0' && length === 1 && text[at + 1] === 'x'
    const body = prefixed ? at + 2 : at
    const digits = prefixed ? runLength(text, body, 'hex', text.length) : length
    const end = body + digits
    if (
      digits === KEY_HEX &&
      !isAlnumAt(text, at - 1) &&
      !isAlnumAt(text, end) &&
      isKey(text.slice(body, end))
    ) {
      const isListed = at - last.end <= MAX_LISTED && LISTED.test(text.slice(last.end, at))
      const says = isListed ? last.says : saidIn(text.slice(Math.max(0, at - CONTEXT), at))
      if (says === 'key' || (prefixed && says === null)) spans.push({ start: at, end })
      last = { end, says }
    }
    at = end
  }
  return spans
}

/** What the words before a number call it: a secret wherever they say so, else by the nearest. */
function saidIn(before: string): Said {
  if (SAYS_SECRET.test(before)) return 'key'
  const nearest = [...before.matchAll(WORDS)].at(-1)?.groups
  if (nearest === undefined) return null
  return nearest.key === undefined ? 'hash' : 'key'
}

function isKey(hex: string): boolean {
  const value = BigInt(`0x${hex}`)
  return value > 0n && value < CURVE_ORDER
}
