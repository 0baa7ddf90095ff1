import { sign, verify } from 'node:crypto'
import { canonicalJson } from './canonical.ts'
import type { ReceiptKey } from './key.ts'
import type { KeyRing } from './keyRing.ts'

/** What our key signs, each under a prefix of its own, so that one can never be taken for the other. */
const FORMATS = ['service-receipt-v1', 'service-statement-v1', 'service-credit-note-v1'] as const
export type Format = (typeof FORMATS)[number]

/** Domain-separated bytes under a signature: UTF-8 of the format, `|` and the RFC 8785 text. */
export const signedBytes = (format: Format, payload: unknown): Buffer =>
  Buffer.from(`${format}|${canonicalJson(payload)}`, 'utf8')

/** @returns base64 of 64 bytes. */
export const signPayload = (key: ReceiptKey, payload: { format: Format }): string =>
  sign(null, signedBytes(payload.format, payload), key.privateKey).toString('base64')

const SIGNATURE_BYTES = 64

/**
 * Whether one of our keys signed exactly this. Strict: a known format, a key of the ring named by the payload,
 * canonical base64, S below the group order, R compared as bytes. Any other key or algorithm that the caller names is
 * ignored.
 */
export function signatureHolds(ring: KeyRing, payload: unknown, signature: string): boolean {
  if (typeof payload !== 'object' || payload === null) return false
  const { format, keyId } = payload as { format?: unknown; keyId?: unknown }
  const known = FORMATS.find((each) => each === format)
  const key = typeof keyId === 'string' ? ring.get(keyId) : undefined
  if (known === undefined || key === undefined) return false
  const bytes = Buffer.from(signature, 'base64')
  if (bytes.length !== SIGNATURE_BYTES || bytes.toString('base64') !== signature) return false
  return verify(null, signedBytes(known, payload), key.publicKey, bytes)
}
