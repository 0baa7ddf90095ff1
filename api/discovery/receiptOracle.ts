import { z } from 'zod'
import { usdcNumber } from '../../ops/units.ts'
import { receiptOracle } from '../goods/receiptOracle.ts'
import { RECEIPT_ALGORITHM, RECEIPT_FORMAT } from '../receipts/attestation.ts'
import { didOf } from '../receipts/did.ts'
import { STATEMENT_FORMAT } from '../receipts/statement.ts'
import { jsonDocument } from '../storefront/document.ts'
import type { Facts } from '../storefront/facts.ts'
import { PLACES } from '../storefront/places.ts'
import { Mode } from '../storefront/shapes.ts'
import { didWeb, ReceiptKeyShown, showKey } from './didDocument.ts'
import { VERIFY_PATH } from './verifyRoutes.ts'

const Optional = z.literal('optional')

/** Fields of spec 2.5 and what it takes to check a receipt by oneself. */
export const OracleDescriptor = z.object({
  name: z.string(),
  format: z.literal(RECEIPT_FORMAT),
  algorithm: z.literal(RECEIPT_ALGORITHM),
  mode: Mode,
  merchant: z.url(),
  keyId: z.string(),
  publicKeyPem: z.string(),
  keys: z.array(ReceiptKeyShown).describe('Former keys and the next one too; the one that signs first'),
  did: z.string(),
  didDocument: z.url(),
  signedBytes: z.string(),
  requestHash: z.string(),
  responseHash: z.string(),
  verify: z.object({
    get: z.string(),
    post: z.url(),
    body: z.object({ id: Optional, payload: Optional, signature: Optional }),
    page: z.string(),
  }),
  issue: z.object({
    automatic: z.literal(true),
    product: z.object({
      sku: z.string(),
      url: z.url(),
      priceUsdc: z.number(),
      format: z.literal(STATEMENT_FORMAT),
      signedBytes: z.string(),
      note: z.string(),
    }),
  }),
  x402: z.object({ extension: z.literal('offer-receipt'), note: z.string() }),
  docs: z.url(),
  llms: z.url(),
})

const bytesUnder = (format: string) => `UTF-8 of "${format}|" followed by the RFC 8785 text of payload`

/** Who signs receipts, with which keys, and how to check one. */
function descriptor({ receiptKeys, terms, publicUrl, mode }: Facts): z.input<typeof OracleDescriptor> {
  const at = (path: string) => `${publicUrl}${path}`
  const { keyId, publicKeyPem } = terms.receiptKey
  return {
    name: 'Receipt oracle',
    format: RECEIPT_FORMAT,
    algorithm: RECEIPT_ALGORITHM,
    mode,
    merchant: publicUrl,
    ...{ keyId, publicKeyPem },
    //  former keys keep verifying what they signed; the next one is published before it signs
    keys: [...receiptKeys.values()].map((key) => showKey(key, key.keyId === keyId, publicUrl)),
    did: didOf(publicUrl),
    didDocument: at(didWeb.path),
    signedBytes: bytesUnder(RECEIPT_FORMAT),
    requestHash:
      'SHA-256 hex of the lines GET, path, query (names sorted, percent-encoded, joined by &), sku, atomic amount, asset and payTo in lower case, and where X-Service-Payload is part of the request the SHA-256 hex of its value, joined by a line feed',
    responseHash: 'SHA-256 hex of the RFC 8785 text of result without paymentAttestation',
    verify: {
      get: `${at(VERIFY_PATH)}?id={attestationId}`,
      post: at(VERIFY_PATH),
      body: { id: 'optional', payload: 'optional', signature: 'optional' },
      page: at('/receipts/{attestationId}'),
    },
    issue: {
      automatic: true,
      product: {
        sku: receiptOracle.sku,
        url: at(receiptOracle.path),
        priceUsdc: usdcNumber(receiptOracle.priceMicroUsdc),
        format: STATEMENT_FORMAT,
        signedBytes: bytesUnder(STATEMENT_FORMAT),
        note: "Attests a hash or JSON statement of the caller's: when and by which payment it was handed in, not that it is true. Never a payment receipt. Every purchase has its own receipt without this.",
      },
    },
    x402: {
      extension: 'offer-receipt',
      note: 'Offers in PAYMENT-REQUIRED and receipts in PAYMENT-RESPONSE are EdDSA JWS by the same keys.',
    },
    docs: at(PLACES.receipts.path),
    llms: at(PLACES.llms.path),
  }
}

/** `/.well-known/receipt-oracle.json` (spec 2.5). */
export const oracleDescriptor = jsonDocument(PLACES.receiptOracle.path, OracleDescriptor, descriptor)
