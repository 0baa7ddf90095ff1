import { z } from 'zod'
import { Mode } from '../../ops/mode.ts'
import { ServiceEntry } from '../storefront/entry.ts'
import { Atomic, OFFERED, Offer, TokenDomain } from '../storefront/shapes.ts'
import { ProblemBody } from './problems.ts'

const Resource = z.object({
  url: z.string(),
  description: z.string(),
  mimeType: z.string(),
  serviceName: z.string().optional(),
})

/** A shortened answer: every name in it is also in real answers. */
const AnswerExample = ServiceEntry.shape.example
const BazaarInput = z.object({
  type: z.literal('http'),
  method: z.literal('GET'),
  queryParams: z.record(z.string(), z.string()).optional(),
})
const Schema = z.record(z.string(), z.unknown()).describe('JSON Schema 2020-12 of info')
const Jws = { format: z.literal('jws'), signature: z.string().describe('Compact JWS, EdDSA') }

/** What a 402 says besides the offer; a client echoes it in its payment. */
export const PaymentExtensions = z.object({
  bazaar: z.object({
    info: z.object({
      input: BazaarInput,
      output: z.object({ type: z.literal('json'), example: AnswerExample }),
    }),
    schema: Schema,
  }),
  'payment-identifier': z.object({ info: z.object({ required: z.literal(false) }), schema: Schema }),
  'offer-receipt': z.object({
    info: z.object({ offers: z.array(z.object({ ...Jws, acceptIndex: z.literal(0) })).length(1) }),
    schema: Schema,
  }),
})

/** An entry of accepts[], version 1. */
const OfferV1 = z.object({
  ...OFFERED,
  network: z.string().describe('By name'),
  maxAmountRequired: Atomic,
  resource: z.string(),
  description: z.string(),
  mimeType: z.string(),
  outputSchema: z.object({
    input: BazaarInput.extend({ discoverable: z.literal(true) }),
    output: AnswerExample,
  }),
  extra: TokenDomain,
})

/** What header PAYMENT-REQUIRED holds, base64. */
export const PaymentRequired = z.object({
  x402Version: z.literal(2),
  error: z.string(),
  resource: Resource,
  accepts: z.array(Offer).min(1),
  extensions: PaymentExtensions,
})

/** A property of the 402 body. As a constant, because the linter takes a literal `then` for a promise. */
export const THEN = 'then'

const LegacyPayment = z.object({
  intentId: z.string(),
  paymentRail: z.literal('usdc_base'),
  payTo: z.string(),
  amountUsdc: z.string().describe('A little below the price: exactly this amount pays this intent'),
  amountAtomic: Atomic,
  asset: z.string(),
  network: z.string(),
  expiresAtMs: z.int().describe('Unix ms'),
  [THEN]: z.string(),
})

/** Body of the 402 of a paid GET: a problem, the offer, and the legacy intent. */
export const PaymentRequiredBody = ProblemBody.extend({
  sku: z.string(),
  mode: Mode,
  x402Version: z
    .union([z.literal(1), z.literal(2)])
    .describe('1: for clients of version 1; version 2 reads the header'),
  error: z.string(),
  resource: Resource.optional(),
  accepts: z.array(z.union([Offer, OfferV1])).min(1),
  extensions: PaymentExtensions.optional(),
  payment: LegacyPayment.describe('Legacy path: send exactly this, then repeat with X-PAYMENT'),
})

/** What header PAYMENT-RESPONSE holds, base64. */
export const PaymentResponse = z.object({
  success: z.boolean(),
  errorReason: z.string().optional(),
  transaction: z.string(),
  network: z.string(),
  payer: z.string().optional(),
  amount: Atomic.optional(),
  extensions: z
    .object({
      'offer-receipt': z.object({ info: z.object({ receipt: z.object(Jws) }), schema: Schema }).optional(),
    })
    .optional()
    .describe('offer-receipt: the receipt as JWS'),
})
