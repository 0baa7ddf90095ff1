import { z } from 'zod'
import { Mode } from '../../ops/mode.ts'
import { type AttestationPayload, RECEIPT_ALGORITHM, type Signed, verifyUrlOf } from './attestation.ts'
import { canonicalJson, sha256Hex } from './canonical.ts'
import type { ReceiptKey } from './key.ts'
import { signPayload } from './signature.ts'

export const STATEMENT_FORMAT = 'service-statement-v1'

/** Says in the signed bytes themselves whose words they are. */
export const STATEMENT_NOTICE =
  'Words of the caller. The service attests when and by which payment they were handed in, not that they are true.'

/** Deepest nesting of a statement. Whoever reads an attestation meets it under `payload.subject.statement`. */
export const MAX_STATEMENT_DEPTH = 16

/** What a caller had attested: the hash of a document that we never saw, or a JSON value. */
export const Subject = z.union([
  z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
  z.strictObject({ statement: z.json(), sha256: z.string().regex(/^[0-9a-f]{64}$/) }), // of its RFC 8785 text
])
export type Subject = z.infer<typeof Subject>

/** Attests a caller's statement. Its format differs from a receipt's, so neither can pass for the other. */
export const StatementPayload = z.strictObject({
  format: z.literal(STATEMENT_FORMAT),
  notice: z.literal(STATEMENT_NOTICE),
  keyId: z.string(),
  attestationId: z.string(),
  receiptId: z.string(), //    of the payment's own receipt
  merchant: z.string(),
  mode: Mode,
  statedBy: z.string(), //     the payer
  subject: Subject,
  transaction: z.string(),
  issuedAt: z.string(), //     ISO 8601; time of the payment's block, or of the request if that was later
})
export type StatementPayload = z.infer<typeof StatementPayload>

export type Statement = Signed<StatementPayload>

/** Prefix of a statement's id. A statement is kept with the receipt of its payment, to which its id leads. */
const PREFIX = 'st_'
export const receiptIdOf = (id: string): { receiptId: string; isStatement: boolean } => {
  const isStatement = id.startsWith(PREFIX) && id.length === PREFIX.length + 22
  return { receiptId: isStatement ? id.slice(PREFIX.length) : id, isStatement }
}

export const subjectOf = (statement: z.infer<ReturnType<typeof z.json>>): Subject => ({
  statement,
  sha256: sha256Hex(canonicalJson(statement)),
})

/** The fields of a payment that a statement's attestation states. */
export type StatedWith = Pick<
  AttestationPayload,
  'attestationId' | 'merchant' | 'mode' | 'payer' | 'transaction' | 'issuedAt'
>

export function signStatement(key: ReceiptKey, subject: Subject, paid: StatedWith): Statement {
  const payload: StatementPayload = {
    format: STATEMENT_FORMAT,
    notice: STATEMENT_NOTICE,
    keyId: key.keyId,
    attestationId: `${PREFIX}${paid.attestationId}`,
    receiptId: paid.attestationId,
    merchant: paid.merchant,
    mode: paid.mode,
    statedBy: paid.payer,
    subject,
    transaction: paid.transaction,
    issuedAt: paid.issuedAt,
  }
  return {
    attestationId: payload.attestationId,
    format: STATEMENT_FORMAT,
    algorithm: RECEIPT_ALGORITHM,
    keyId: key.keyId,
    payload,
    signature: signPayload(key, payload),
    verifyUrl: verifyUrlOf(payload),
  }
}
