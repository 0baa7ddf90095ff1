import { z } from 'zod'
import { PaymentAttestation, StatementAttestation } from '../../goods/attested.ts'
import { RECEIPT_ALGORITHM, RECEIPT_FORMAT } from '../../receipts/attestation.ts'
import { json, type Operation } from '../operation.ts'

const ID = 'EXAMPLEEXAMPLEEXAMPLE0'
const VERIFY_PATH = '/api/receipt-oracle/verify'

const Verdict = z
  .object({
    ok: z.boolean(),
    valid: z.boolean().describe('True only when everything that was sent agrees and the signature is ours'),
    reason: z.string().optional().describe('Where it is not valid'),
    kind: z.enum(['payment_receipt', 'caller_statement']).optional(),
    keyId: z.string().optional(),
    payload: z.unknown().optional(),
    signature: z.string().optional(),
  })
  .describe('With valid true: kind, keyId, payload and signature; with valid false: reason')

const NOT_VALID = { ok: false, valid: false, reason: 'unknown_id' }

const Shown = z.object({
  ok: z.boolean(),
  valid: z.boolean(),
  attestation: z.union([PaymentAttestation, StatementAttestation]),
  publicKey: z.string().nullable().describe('Ed25519, base64url; null: no longer published'),
})

const Key = z.object({
  keyId: z.string(),
  kid: z.string().describe('DID URL'),
  signs: z.boolean(),
  publicKeyPem: z.string(),
  publicKeyJwk: z.record(z.string(), z.unknown()),
})

/** Fields of spec 2.5 and what it takes to check by oneself. */
const Descriptor = z.object({
  name: z.string(),
  format: z.literal(RECEIPT_FORMAT),
  algorithm: z.literal(RECEIPT_ALGORITHM),
  mode: z.enum(['sandbox', 'live']),
  merchant: z.string(),
  keyId: z.string(),
  publicKeyPem: z.string(),
  keys: z.array(Key),
  did: z.string(),
  didDocument: z.string(),
  signedBytes: z.string(),
  requestHash: z.string(),
  responseHash: z.string(),
  verify: z.record(z.string(), z.unknown()),
  issue: z.record(z.string(), z.unknown()),
  x402: z.record(z.string(), z.unknown()),
  docs: z.string(),
  llms: z.string(),
})

const DidDocument = z.object({
  '@context': z.array(z.string()),
  id: z.string(),
  verificationMethod: z.array(z.record(z.string(), z.unknown())),
  assertionMethod: z.array(z.string()),
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
        description: 'attestationId',
        example: ID,
        schema: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
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
      schema: z.object({
        id: z.string().optional(),
        payload: z.unknown().optional(),
        signature: z.string().max(128).optional(),
      }),
      example: { id: ID },
      limit: 'At most 16 KiB',
    },
    answers: { 200: { description: 'The verdict', content: json(Verdict, NOT_VALID) } },
    problems: ['malformed_request', 'body_too_large', 'ledger_unavailable'],
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
        headers: { etag: 'Of this receipt in this form' },
      },
      304: { description: 'The same as before' },
    },
    problems: ['not_found', 'ledger_unavailable'],
  },
  {
    method: 'GET',
    path: '/.well-known/receipt-oracle.json',
    id: 'receiptOracleDescriptor',
    tag: 'receipts',
    summary: 'Who signs receipts, with which keys, and how to check one',
    answers: {
      200: { description: 'The descriptor', content: { 'application/json': { schema: Descriptor } } },
    },
  },
  {
    method: 'GET',
    path: '/.well-known/did.json',
    id: 'didDocument',
    tag: 'receipts',
    summary: 'The same keys as a DID document, for x402 offers and receipts',
    answers: {
      200: { description: 'did:web', content: { 'application/did+json': { schema: DidDocument } } },
    },
  },
]
