import { z } from 'zod'
import { AttestationPayload, RECEIPT_ALGORITHM } from '../receipts/attestation.ts'
import { StatementPayload } from '../receipts/statement.ts'

/** A payload of ours with its signature, as it is delivered. */
const signed = <Payload extends { format: z.ZodType }>(payload: z.ZodObject<Payload>) =>
  z.object({
    attestationId: z.string(),
    format: payload.shape.format,
    algorithm: z.literal(RECEIPT_ALGORITHM),
    keyId: z.string(),
    payload,
    signature: z
      .string()
      .describe('Base64 of 64 bytes, over the format, "|" and the RFC 8785 text of payload'),
    verifyUrl: z.string(),
  })

/** `result.paymentAttestation`: the signed receipt of a sale. */
export const PaymentAttestation = signed(AttestationPayload)

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** `result.attestation`: a caller's hash or statement, signed by us. */
export const StatementAttestation = signed(
  StatementPayload.extend({
    subject: z.object({
      sha256: Sha256.describe('Of the document, or of the RFC 8785 text of statement'),
      statement: z
        .unknown()
        .optional()
        .describe('The JSON value that was handed in; absent: only its hash was'),
    }),
  }),
)
