import type { Span } from '../text/fold.ts'
import { occurrences } from '../text/occurrences.ts'
import { isAlnumAt, runLength } from './finder.ts'

const BEGIN = '-----BEGIN '
const LABEL = /^(?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/
const MAX_LABEL = 72

/** PEM and PGP private keys, by their first line. */
export function findPemKeys(text: string): Span[] {
  const spans: Span[] = []
  for (const start of occurrences(text, BEGIN)) {
    const label = LABEL.exec(text.slice(start + BEGIN.length, start + BEGIN.length + MAX_LABEL))
    if (label !== null) spans.push({ start, end: start + BEGIN.length + label[0].length })
  }
  return spans
}

const MAX_PART = 8_192
const MIN_HEADER = 16

/** JSON web tokens: two or three base64url parts, the first of which says an algorithm. */
export function findJwts(text: string): Span[] {
  const spans: Span[] = []
  let end = 0
  for (const start of occurrences(text, 'eyJ')) {
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
  return json.startsWith('{"') && json.endsWith('}') && (json.includes('"alg"') || json.includes('"enc"'))
}

const KEY_HEX = 64
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const CONTEXT = 48
const SAYS_KEY = /priv|secret|wallet|signer|mnemonic|\bpk\b|_key|\bkey/i
const SAYS_HASH =
  /hash|tx|transaction|block|root|topic|digest|sha|keccak|nonce|commit|signature|\bid\b|data|intent/i

/**
 * Keys of the curve secp256k1: 64 hex digits below its order. A hash looks the same, so the words just before decide:
 * with `0x` it is a key unless they name a hash, without it only when they name a key.
 */
export function findEvmKeys(text: string): Span[] {
  const spans: Span[] = []
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
      const before = text.slice(Math.max(0, at - CONTEXT), at)
      const named = SAYS_KEY.test(before)
      if (named || (prefixed && !SAYS_HASH.test(before))) spans.push({ start: at, end })
    }
    at = end
  }
  return spans
}

function isKey(hex: string): boolean {
  const value = BigInt(`0x${hex}`)
  return value > 0n && value < CURVE_ORDER
}
