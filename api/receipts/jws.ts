import { sign } from 'node:crypto'
import { canonicalJson } from './canonical.ts'
import type { ReceiptKey } from './key.ts'

const base64url = (text: string): string => Buffer.from(text, 'utf8').toString('base64url')

/** The newest: a process signs with one key. */
let header = { kid: '', text: '' }

/**
 * Compact JWS (RFC 7515), EdDSA, over the RFC 8785 text of the payload. Its signed bytes begin with base64url of `{`,
 * so no JWS of the key can pass for one of our receipts, or vice versa.
 * @param kid DID URL of the key.
 */
export function signJws(key: ReceiptKey, kid: string, payload: Record<string, unknown>): string {
  if (header.kid !== kid) header = { kid, text: base64url(canonicalJson({ alg: 'EdDSA', kid })) }
  const signed = `${header.text}.${base64url(canonicalJson(payload))}`
  return `${signed}.${sign(null, Buffer.from(signed, 'ascii'), key.privateKey).toString('base64url')}`
}
