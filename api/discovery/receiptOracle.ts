import { z } from 'zod'
import { Mode } from '../../ops/mode.ts'
import { usdcNumber } from '../../ops/units.ts'
import { receiptOracle } from '../goods/receiptOracle.ts'
import { RECEIPT_ALGORITHM, RECEIPT_FORMAT } from '../receipts/attestation.ts'
import { CREDIT_NOTE_FORMAT } from '../receipts/creditNote.ts'
import { didOf } from '../receipts/did.ts'
import { STATEMENT_FORMAT } from '../receipts/statement.ts'
import { jsonDocument } from '../storefront/document.ts'
import type { Facts } from '../storefront/facts.ts'
import { PLACES } from '../storefront/places.ts'
import { didWeb, ReceiptKeyShown, showKey } from './didDocument.ts'
import { VERIFY_PATH } from './verifyRoutes.ts'

const Optional = z.literal('optional')

/** Fields of spec 2.5, and what is needed to check a receipt without us. */
export const OracleDescriptor = z.object({
  name: z.string(),
  format: z.literal(RECEIPT_FORMAT),
  algorithm: z.literal(RECEIPT_ALGORITHM),
  mode: Mode,
  merchant: z.url(),
  keyId: z.string(),
  publicKeyPem: z.string(),
  keys: z.array(ReceiptKeyShown).describe('Former keys and the next one too; the one that signs comes first'),
  did: z.string(),
  didDocument: z.url(),
  signedBytes: z.string(),
  amount: z.string(),
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
  creditNotes: z.object({ format: z.literal(CREDIT_NOTE_FORMAT), signedBytes: z.string(), note: z.string() }),
  x402: z.object({ extension: z.literal('offer-receipt'), note: z.string() }),
  docs: z.url(),
  llms: z.url(),
})

/**
 * What was asked for, as each way of buying binds it. The service computes it at the first request that brings the
 * money.
 */
const REQUEST_HASH = [
  'SHA-256 hex of these, joined by a line feed.',
  'Paid GET: GET, path, query (name=value of each parameter, both as encodeURIComponent writes them; sorted as text, joined by &), sku, atomic amount, asset and payTo of the offer, the latter two in lower case, and where X-Service-Payload is part of the request the SHA-256 hex of its value.',
  'Classic purchase (path /fulfill): POST, /fulfill, the SHA-256 hex of "intent|" and the intentId, sku, the SHA-256 hex of the RFC 8785 text of payload.',
  'Card (path /cardpay/checkout): POST, /cardpay/checkout, sku, price in cents, the SHA-256 hex of the checkoutId, the RFC 8785 text of payload.',
  'payload is the JSON object that was sent, {} where none was.',
].join(' ')

/** The units in which a receipt states its sum. */
const AMOUNT =
  'amount and amountAtomic (6 decimals) are dollars: of asset, a USDC or USDT, or USD. If paid is present, they are the worth, at the quoted rate, of what it lists: every transfer and the store credit that paid, each in units of its own asset with its decimals; payer, payTo, network and transaction are those of the first. What paid beyond amount became store credit.'

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
    keyId,
    publicKeyPem,
    //  former keys keep verifying what they signed; the next one is published before it signs
    keys: [...receiptKeys.values()].map((key) => showKey(key, key.keyId === keyId, publicUrl)),
    did: didOf(publicUrl),
    didDocument: at(didWeb.path),
    signedBytes: bytesUnder(RECEIPT_FORMAT),
    amount: AMOUNT,
    requestHash: REQUEST_HASH,
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
    creditNotes: {
      format: CREDIT_NOTE_FORMAT,
      signedBytes: bytesUnder(CREDIT_NOTE_FORMAT),
      note: 'settlement.notes[].attestation of POST /checkout/settle: money of a classic purchase that did not buy, and is store credit. True at statedAt; intentHash is the SHA-256 hex of "intent|" and the intentId.',
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
