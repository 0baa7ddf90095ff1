import { createHmac, sign, verify } from 'node:crypto'
import { z } from 'zod'
import { canonicalJson } from './canonical.ts'
import type { ReceiptKey } from './key.ts'

export const RECEIPT_FORMAT = 'service-receipt-v1'
export const RECEIPT_ALGORITHM = 'ed25519'

/**
 * What a receipt states: this payer paid this much for this request and got this answer.
 * `requestHash` is the SHA-256 the claim is bound to; `responseHash` the SHA-256 of the RFC 8785 text of
 * `result` without `paymentAttestation`. Public: nothing here names a buyer beyond what the chain shows.
 */
export const AttestationPayload = z.strictObject({
  format: z.literal(RECEIPT_FORMAT),
  keyId: z.string(),
  attestationId: z.string(),
  merchant: z.string(), //       origin of the service
  mode: z.enum(['sandbox', 'live']),
  sku: z.string(),
  path: z.string(),
  amount: z.string(), //         USDC, shortest decimal
  amountAtomic: z.string(),
  asset: z.string(),
  network: z.string(),
  payer: z.string(),
  payTo: z.string(),
  transaction: z.string(),
  requestHash: z.string(),
  responseHash: z.string(),
  snapshotVersion: z.int().nullable(),
  issuedAt: z.string(), //       ISO 8601; time of the block that holds the payment
})
export type AttestationPayload = z.infer<typeof AttestationPayload>

export type Attestation = {
  attestationId: string
  format: typeof RECEIPT_FORMAT
  algorithm: typeof RECEIPT_ALGORITHM
  keyId: string
  payload: AttestationPayload
  signature: string //  base64, 64 bytes
  verifyUrl: string
}

/** Domain-separated bytes under the signature: no other signature of this key can be taken for a receipt. */
export const signedBytes = (payload: unknown): Buffer =>
  Buffer.from(`${RECEIPT_FORMAT}|${canonicalJson(payload)}`, 'utf8')

/** A function of the claim, so that whoever composes the answer again composes the same; not guessable. */
export const attestationIdOf = (secret: Buffer, claimKey: string): string =>
  createHmac('sha256', secret)
    .update('attestation|')
    .update(claimKey)
    .digest()
    .subarray(0, 16)
    .toString('base64url')

export function signAttestation(key: ReceiptKey, payload: AttestationPayload): Attestation {
  return {
    attestationId: payload.attestationId,
    format: RECEIPT_FORMAT,
    algorithm: RECEIPT_ALGORITHM,
    keyId: key.keyId,
    payload,
    signature: sign(null, signedBytes(payload), key.privateKey).toString('base64'),
    verifyUrl: `${payload.merchant}/api/receipt-oracle/verify?id=${payload.attestationId}`,
  }
}

/** @returns true only for the exact statement we signed; any key or algorithm the caller names is ignored. */
export function attestationHolds(key: ReceiptKey, payload: unknown, signature: string): boolean {
  const bytes = Buffer.from(signature, 'base64')
  if (bytes.length !== 64 || bytes.toString('base64') !== signature) return false
  return verify(null, signedBytes(payload), key.publicKey, bytes)
}
