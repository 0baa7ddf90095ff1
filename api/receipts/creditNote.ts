import { z } from 'zod'
import { Mode } from '../../ops/mode.ts'
import { RECEIPT_ALGORITHM } from './attestation.ts'
import type { ReceiptKey } from './key.ts'
import { signPayload } from './signature.ts'

export const CREDIT_NOTE_FORMAT = 'service-credit-note-v1'

/**
 * States that money of a classic purchase that bought nothing is store credit. Dated, and true at that time: the credit
 * is taken back while the transactions are gone from their chain (`revoked`), and is spent like any other.
 */
export const CreditNotePayload = z.strictObject({
  format: z.literal(CREDIT_NOTE_FORMAT),
  keyId: z.string(),
  merchant: z.string(), //       origin of the service
  mode: Mode,
  intentHash: z.string(), //     SHA-256 hex of "intent|" and the intentId: shown to others it opens nothing
  sku: z.string(),
  kind: z.string(), //           why it became credit
  creditUsdc: z.string(), //     shortest decimal
  transactions: z.array(z.string()), // that brought the money
  revoked: z.boolean(),
  statedAt: z.string(), //       ISO 8601
})
export type CreditNotePayload = z.infer<typeof CreditNotePayload>

/** Not kept under an id: its holder shows payload and signature. */
export const CreditNote = z.strictObject({
  format: z.literal(CREDIT_NOTE_FORMAT),
  algorithm: z.literal(RECEIPT_ALGORITHM),
  keyId: z.string(),
  payload: CreditNotePayload,
  signature: z.string(), //      base64, 64 bytes
  verifyUrl: z.string(), //      POST {payload, signature}
})
export type CreditNote = z.infer<typeof CreditNote>

export function signCreditNote(
  key: ReceiptKey,
  stated: Omit<CreditNotePayload, 'format' | 'keyId'>,
): CreditNote {
  const payload = { format: CREDIT_NOTE_FORMAT, keyId: key.keyId, ...stated } as const
  return {
    format: CREDIT_NOTE_FORMAT,
    algorithm: RECEIPT_ALGORITHM,
    keyId: key.keyId,
    payload,
    signature: signPayload(key, payload),
    verifyUrl: `${stated.merchant}/api/receipt-oracle/verify`,
  }
}
