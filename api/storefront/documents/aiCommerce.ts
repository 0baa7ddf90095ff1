import { z } from 'zod'
import { Mode } from '../../../ops/mode.ts'
import { HOUR, SECOND } from '../../../ops/units.ts'
import { CATALOG_VERSION } from '../../catalog/catalog.ts'
import { CHECKOUT_PATH } from '../../checkout/sale.ts'
import { STATUS_PATH } from '../../checkout/show.ts'
import { REFUND_AFTER_MS } from '../../classic/deliver.ts'
import { RECEIPT_ALGORITHM, RECEIPT_FORMAT } from '../../receipts/attestation.ts'
import { jsonDocument } from '../document.ts'
import type { Facts } from '../facts.ts'
import { Links, linksTo, PLACES } from '../places.ts'
import { describeService, INTERFACE_VERSION, SERVICE_NAME, X402_VERSION } from '../service.ts'
import { SettlerRecord } from '../settlerRecord.ts'

const LINKS = [
  'services',
  'store',
  'openapi',
  'skill',
  'llms',
  'rails',
  'toolbox',
  'receiptOracle',
  'terms',
  'errors',
] as const

const call = <Method extends 'GET' | 'POST'>(method: Method) =>
  z.object({ method: z.literal(method), url: z.url() })

/** One purchase path for each way to buy, told apart by its id. */
const PurchasePath = z.discriminatedUnion('id', [
  z.object({
    id: z.literal('x402'),
    preferred: z.literal(true),
    protocol: z.string(),
    scheme: z.literal('exact'),
    network: z.string().describe('CAIP-2'),
    asset: z.string(),
    payTo: z.string(),
    requestHeader: z.string(),
    challengeHeader: z.string(),
    responseHeader: z.string(),
    services: z.url(),
  }),
  z.object({
    id: z.literal('transfer'),
    preferred: z.literal(false),
    protocol: z.string(),
    steps: z.array(z.string()),
    requestHeader: z.string(),
  }),
  z.object({
    id: z.literal('classic'),
    preferred: z.literal(false),
    protocol: z.string(),
    quote: call('POST'),
    open: call('POST'),
    poll: call('POST'),
    fulfill: call('POST'),
    rails: z.url(),
  }),
  z.object({
    id: z.literal('card'),
    preferred: z.literal(false),
    available: z.boolean().describe('Card checkout is configured'),
    skus: z.array(z.string()),
    open: call('POST'),
    poll: call('GET'),
  }),
])

const AiCommerce = z.object({
  ok: z.literal(true),
  interfaceVersion: z.string(),
  manifestVersion: z.string(),
  name: z.string(),
  description: z.string(),
  mode: Mode,
  currency: z.literal('USD'),
  skus: z.int(),
  humanStepNeeded: z.literal(false),
  purchasePaths: z.array(PurchasePath),
  promises: z.object({
    chargedOnce: z.literal(true),
    sameAnswerAgainHours: z.number(),
    refusalsCharge: z.literal(false),
    marketDataMaxAgeSeconds: z.number(),
    refund: z.object({ as: z.literal('store credit'), when: z.string(), afterSeconds: z.number() }),
  }),
  receipts: z.object({
    format: z.literal(RECEIPT_FORMAT),
    algorithm: z.literal(RECEIPT_ALGORITHM),
    keys: z.url(),
  }),
  settler: SettlerRecord,
  links: Links(LINKS),
})

/** `/.well-known/ai-commerce.json`: how to buy here and what a buyer can rely on, without the goods themselves. */
const commerce = (facts: Facts): z.input<typeof AiCommerce> => {
  const { publicUrl, terms, settler } = facts
  const at = (path: string) => `${publicUrl}${path}`
  return {
    ok: true,
    interfaceVersion: INTERFACE_VERSION,
    manifestVersion: CATALOG_VERSION,
    name: SERVICE_NAME,
    description: describeService(facts),
    mode: facts.mode,
    currency: 'USD',
    skus: facts.catalog.length,
    humanStepNeeded: false,
    purchasePaths: [
      {
        id: 'x402',
        preferred: true,
        protocol: `x402-v${X402_VERSION}`,
        scheme: 'exact',
        network: terms.network,
        asset: terms.asset,
        payTo: terms.payTo,
        requestHeader: 'PAYMENT-SIGNATURE',
        challengeHeader: 'PAYMENT-REQUIRED',
        responseHeader: 'PAYMENT-RESPONSE',
        services: at(PLACES.services.path),
      },
      {
        id: 'transfer',
        preferred: false,
        protocol: 'x-payment',
        steps: [
          'GET the path',
          'send payment.amountUsdc to payment.payTo',
          'repeat the GET with X-PAYMENT, and with X-Service-Payer-Signature to be answered at once',
        ],
        requestHeader: 'X-PAYMENT',
      },
      {
        id: 'classic',
        preferred: false,
        protocol: 'classic',
        quote: { method: 'POST', url: at('/quote') },
        open: { method: 'POST', url: at('/purchase-intent') },
        poll: { method: 'POST', url: at('/checkout/settle') },
        fulfill: { method: 'POST', url: at('/fulfill') },
        rails: at(PLACES.rails.path),
      },
      {
        id: 'card',
        preferred: false,
        available: facts.cardCheckout,
        skus: facts.catalog.filter(({ stripeEnabled }) => stripeEnabled).map(({ sku }) => sku),
        open: { method: 'POST', url: at(CHECKOUT_PATH) },
        poll: { method: 'GET', url: at(STATUS_PATH) },
      },
    ],
    promises: {
      chargedOnce: true,
      sameAnswerAgainHours: facts.answerTtlMs / HOUR,
      refusalsCharge: false,
      marketDataMaxAgeSeconds: facts.marketMaxAgeMs / SECOND,
      refund: {
        as: 'store credit',
        when: 'a paid sale could not be delivered in time',
        afterSeconds: REFUND_AFTER_MS / SECOND,
      },
    },
    receipts: { format: RECEIPT_FORMAT, algorithm: RECEIPT_ALGORITHM, keys: at(PLACES.receiptOracle.path) },
    settler,
    links: linksTo(publicUrl, LINKS),
  }
}

export const aiCommerce = jsonDocument(PLACES.commerce.path, AiCommerce, commerce)
