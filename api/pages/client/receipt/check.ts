import type { webcrypto } from 'node:crypto'
import { canonicalText } from './canonical.ts'
import { bytesOf, ed25519Holds, utf8 } from './ed25519.ts'

/** A receipt or statement as it is delivered. */
export type Attested = { payload: Record<string, unknown>; signature: string }

/** A key of `/.well-known/receipt-oracle.json`. */
export type PublishedJwk = { keyId: string; publicKeyJwk: { x: string } }

/** One thing that was checked. `ok` null: it cannot be checked here, and why. */
export type Finding = { what: string; ok: boolean | null; words: string }

const FORMATS = ['service-receipt-v1', 'service-statement-v1', 'service-credit-note-v1']
const SIGNATURE_BYTES = 64

/**
 * Checks a receipt in the reader's browser: its key is a published one, its signature holds over the RFC 8785 text of
 * its payload, and it names this answer when there is one.
 * @param result `result` of the paid answer that the receipt came with; null: not given.
 * @param subtle of a secure context; undefined: nothing can be checked here.
 */
export async function checkReceipt(
  { payload, signature }: Attested,
  result: Record<string, unknown> | null,
  keys: readonly PublishedJwk[],
  subtle: webcrypto.SubtleCrypto | undefined,
): Promise<Finding[]> {
  if (subtle === undefined)
    return [cannot('signature', 'no secure context: open this page over https or on localhost')]
  const { format, keyId } = payload
  const key = keys.find((each) => each.keyId === keyId)
  if (typeof format !== 'string' || !FORMATS.includes(format))
    return [{ what: 'format', ok: false, words: 'is not one that this service signs' }]
  if (key === undefined) return [{ what: 'key', ok: false, words: 'is not one of the published keys' }]
  const known = { what: 'key', ok: true, words: `${key.keyId}, published by this service` }
  const findings = [known, await signatureOf(format, { payload, signature }, key, subtle)]
  if (result !== null && typeof payload.responseHash === 'string')
    findings.push(await answerOf(payload.responseHash, result, subtle))
  return findings
}

async function signatureOf(
  format: string,
  { payload, signature }: Attested,
  key: PublishedJwk,
  subtle: webcrypto.SubtleCrypto,
): Promise<Finding> {
  const bytes = bytesOf(signature)
  if (bytes === null || bytes.length !== SIGNATURE_BYTES)
    return { what: 'signature', ok: false, words: 'is not base64 of 64 bytes' }
  const text = textOf(payload)
  if (text === null) return { what: 'signature', ok: false, words: NO_TEXT }
  const signed = utf8(`${format}|${text}`)
  const ok = await ed25519Holds(subtle, { x: key.publicKeyJwk.x, signature: bytes, signed })
  if (ok === null) return cannot('signature', 'this browser has no Ed25519')
  const words = ok
    ? `holds: Ed25519 over ${signed.length} bytes`
    : 'does NOT hold: something in it was changed, or another key signed it'
  return { what: 'signature', ok, words }
}

async function answerOf(
  responseHash: string,
  { paymentAttestation: _, ...answered }: Record<string, unknown>,
  subtle: webcrypto.SubtleCrypto,
): Promise<Finding> {
  const text = textOf(answered)
  if (text === null) return { what: 'answer', ok: false, words: NO_TEXT }
  const digest = new Uint8Array(await subtle.digest('SHA-256', utf8(text)))
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex === responseHash
    ? { what: 'answer', ok: true, words: `is the one that was paid for: SHA-256 ${hex}` }
    : { what: 'answer', ok: false, words: 'is NOT the one that was paid for' }
}

const NO_TEXT = 'holds text or a number that no receipt can cover'

/** null: it has no canonical text. */
function textOf(value: unknown): string | null {
  try {
    return canonicalText(value)
  } catch {
    return null
  }
}

const cannot = (what: string, why: string): Finding => ({ what, ok: null, words: `not checked: ${why}` })
