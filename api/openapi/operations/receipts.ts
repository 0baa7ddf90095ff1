import { z } from 'zod'
import { DidDocument, didWeb } from '../../discovery/didDocument.ts'
import { OracleDescriptor, oracleDescriptor } from '../../discovery/receiptOracle.ts'
import { ReceiptId, VERIFY_MAX_BYTES, VERIFY_PATH, VerifyBody } from '../../discovery/verifyRoutes.ts'
import { PaymentAttestation, StatementAttestation } from '../../goods/attested.ts'
import { CreditNotePayload } from '../../receipts/creditNote.ts'
import { ID_KNOWN_FOR } from '../../receipts/verify.ts'
import { atMost, json, type Operation } from '../operation.ts'

const ID = 'EXAMPLEEXAMPLEEXAMPLE0'

const Verdict = z
  .object({
    ok: z.boolean(),
    valid: z.boolean().describe('True only when everything that was sent agrees and the signature is ours'),
    reason: z.string().optional().describe('Where it is not valid'),
    kind: z.enum(['payment_receipt', 'caller_statement', 'store_credit_note']).optional(),
    keyId: z.string().optional(),
    payload: z
      .union([PaymentAttestation.shape.payload, StatementAttestation.shape.payload, CreditNotePayload])
      .optional(),
    signature: z.string().optional(),
    revokedAt: z.iso.datetime().optional().describe('Since when its money is no longer on its chain'),
  })
  .describe('With valid true: kind, keyId, payload and signature; with valid false: reason')

const NOT_VALID = { ok: false, valid: false, reason: 'unknown_id' }

const Shown = z.object({
  ok: z.boolean(),
  valid: z.boolean(),
  attestation: z.union([PaymentAttestation, StatementAttestation]),
  publicKey: z.string().nullable().describe('Ed25519, base64url; null: no longer published'),
})

/** Receipts: keys, checking, looking at one. */
export const RECEIPTS: readonly Operation[] = [
  {
    method: 'GET',
    path: VERIFY_PATH,
    id: 'verifyReceipt',
    tag: 'receipts',
    summary: 'Checks a receipt or statement by its id',
    parameters: [
      {
        in: 'query',
        name: 'id',
        required: true,
        description: `attestationId. ${ID_KNOWN_FOR}`,
        example: ID,
        schema: ReceiptId,
      },
    ],
    answers: { 200: { description: 'The verdict', content: json(Verdict, NOT_VALID) } },
    problems: ['invalid_parameter', 'ledger_unavailable'],
  },
  {
    method: 'POST',
    path: VERIFY_PATH,
    id: 'verifyReceiptByBody',
    tag: 'receipts',
    summary: 'Checks a receipt by id, by payload and signature, or both',
    body: {
      schema: VerifyBody,
      example: { id: ID },
      limit: atMost(VERIFY_MAX_BYTES),
    },
    answers: { 200: { description: 'The verdict', content: json(Verdict, NOT_VALID) } },
    problems: ['malformed_request', 'invalid_parameter', 'body_too_large', 'ledger_unavailable'],
  },
  {
    method: 'GET',
    path: '/receipts/{id}',
    id: 'receipt',
    tag: 'receipts',
    summary: 'One receipt, for whoever has its id',
    parameters: [{ in: 'path', name: 'id', required: true, description: 'attestationId', example: ID }],
    answers: {
      200: {
        description: 'HTML, markdown or JSON by Accept',
        content: { 'application/json': { schema: Shown }, 'text/html': {}, 'text/markdown': {} },
      },
      304: { description: 'The same as before' },
    },
    problems: ['receipt_unknown', 'ledger_unavailable'],
  },
  {
    method: 'GET',
    path: oracleDescriptor.path,
    id: 'receiptOracleDescriptor',
    tag: 'receipts',
    summary: 'Who signs receipts, with which keys, and how to check one',
    answers: {
      200: { description: 'The descriptor', content: { 'application/json': { schema: OracleDescriptor } } },
      304: { description: 'The same as before' },
    },
  },
  {
    method: 'GET',
    path: didWeb.path,
    id: 'didDocument',
    tag: 'receipts',
    summary: 'The same keys as a DID document, for x402 offers and receipts',
    answers: {
      200: { description: 'did:web', content: { 'application/did+json': { schema: DidDocument } } },
      304: { description: 'The same as before' },
    },
  },
]
