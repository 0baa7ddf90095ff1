import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { Mode } from '../../ops/mode.ts'
import type { ReceiptKey } from './key.ts'
import { signPayload } from './signature.ts'

export const RECEIPT_FORMAT = 'service-receipt-v1'
export const RECEIPT_ALGORITHM = 'ed25519'

/** One part that paid: a transfer in its asset's own units, or store credit. '' for fields that do not apply. */
export const PaidPart = z.strictObject({
  network: z.string(), //        as in the payload
  asset: z.string(),
  decimals: z.int(),
  amount: z.string(), //         in units of the asset, shortest decimal
  amountAtomic: z.string(),
  payer: z.string(),
  payTo: z.string(),
  transaction: z.string(),
})
export type PaidPart = z.infer<typeof PaidPart>

/**
 * What a receipt states: this payer paid this much for this request and got this answer. If `paid` is present, the
 * amount is the worth of its parts in US dollars at the quoted rate; network, payer, payTo and transaction are those of
 * its first. `requestHash` is the SHA-256 the claim is bound to; `responseHash` the SHA-256 of the RFC 8785 text of
 * `result` without `paymentAttestation`. Public: nothing here names a buyer beyond what the chain shows.
 */
export const AttestationPayload = z.strictObject({
  format: z.literal(RECEIPT_FORMAT),
  keyId: z.string(),
  attestationId: z.string(),
  merchant: z.string(), //       origin of the service
  mode: Mode,
  sku: z.string(),
  path: z.string(),
  amount: z.string(), //         of a dollar asset, shortest decimal
  amountAtomic: z.string(), //   with 6 decimals
  asset: z
    .string()
    .describe('A dollar: a USDC or USDT, or USD where a card, another asset or several parts paid'),
  network: z.string(),
  payer: z.string(),
  payTo: z.string(),
  transaction: z.string(),
  paid: z
    .array(PaidPart)
    .min(1)
    .describe(
      'What moved, where that is not one transfer of exactly amountAtomic; what exceeds amount became store credit',
    )
    .optional(),
  requestHash: z.string(),
  responseHash: z.string(),
  snapshotVersion: z.int().nullable(),
  issuedAt: z.string(), //       ISO 8601; time of the block that holds the payment
})
export type AttestationPayload = z.infer<typeof AttestationPayload>

/** One of our payloads with its signature. */
export type Signed<Payload extends { format: string }> = {
  attestationId: string
  format: Payload['format']
  algorithm: typeof RECEIPT_ALGORITHM
  keyId: string
  payload: Payload
  signature: string //  base64, 64 bytes
  verifyUrl: string
}
export type Attestation = Signed<AttestationPayload>

/** Derived from the claim, so that composing the answer again gives the same id; not guessable. */
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
    signature: signPayload(key, payload),
    verifyUrl: verifyUrlOf(payload),
  }
}

export const verifyUrlOf = ({
  merchant,
  attestationId,
}: {
  merchant: string
  attestationId: string
}): string => `${merchant}/api/receipt-oracle/verify?id=${attestationId}`
