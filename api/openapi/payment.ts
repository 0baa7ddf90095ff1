import { z } from 'zod'
import { formatUsdc } from '../../ops/units.ts'
import { CLAIM_CODE_HEADER, CREDIT_AUTH_HEADER, SECRET_EXAMPLE } from '../entitlements/credit.ts'
import { PASS_HEADER } from '../entitlements/pass.ts'
import type { Good } from '../goods/good.ts'
import { problemBody } from '../http/respond.ts'
import { offerOf } from '../payment/challenge.ts'
import { bazaarOf } from '../payment/extensions/bazaar.ts'
import { paymentIdentifier } from '../payment/extensions/paymentIdentifier.ts'
import { PAYER_SIGNATURE_HEADER } from '../payment/payerProof.ts'
import { requiredV1 } from '../payment/requiredV1.ts'
import { ServiceEntry } from '../storefront/entry.ts'
import type { Facts } from '../storefront/facts.ts'
import { SERVICE_NAME } from '../storefront/service.ts'
import { Atomic, OFFERED, Offer, TokenDomain } from '../storefront/shapes.ts'
import { AGENT_ID, type ParameterRecord } from './operation.ts'
import { ProblemBody } from './problems.ts'
import type { JsonSchema } from './schemas.ts'

const Resource = z.object({
  url: z.string(),
  description: z.string(),
  mimeType: z.string(),
  serviceName: z.string().optional(),
})

/** An answer, shortened: every name in it is in real answers too. */
const AnswerExample = ServiceEntry.shape.example
const BazaarInput = z.object({
  type: z.literal('http'),
  method: z.literal('GET'),
  queryParams: z.record(z.string(), z.string()).optional(),
})
const Schema = z.record(z.string(), z.unknown()).describe('JSON Schema 2020-12 of info')
const Jws = { format: z.literal('jws'), signature: z.string().describe('Compact JWS, EdDSA') }

/** What a 402 says beside the offer; a client echoes it in its payment. */
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
const THEN = 'then'

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
  mode: z.enum(['sandbox', 'live']),
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

/** Headers a paid GET may carry; exactly one of those that pay. */
export const PAYMENT_PARAMETERS: readonly ParameterRecord[] = [
  {
    in: 'header',
    name: 'PAYMENT-SIGNATURE',
    description: 'Pays: base64 of an x402 v2 PaymentPayload, signed over an entry of accepts[] of the 402',
    example: 'eyJ4NDAyVmVyc2lvbiI6Mi4uLn0=',
  },
  {
    in: 'header',
    name: 'X-PAYMENT',
    description:
      'Pays: JSON {intentId, txHash, paymentRail} of a transfer that was made (legacy; answered at once with X-Service-Payer-Signature), or base64 of an x402 v1 payment',
    example: '{"intentId":"...","txHash":"0x...","paymentRail":"usdc_base"}',
  },
  {
    in: 'header',
    name: PASS_HEADER,
    description: 'Pays with one call of an hour pass, where the pass covers this read',
    example: 'pass_...',
  },
  {
    in: 'header',
    name: CREDIT_AUTH_HEADER,
    description: 'Pays with store credit: the secret of the account that x-agent-id names',
    example: SECRET_EXAMPLE,
  },
  {
    in: 'header',
    name: CLAIM_CODE_HEADER,
    description:
      'On the first spend of credit that was bought without its secret: the claimCode of that purchase',
    example: 'credit_...',
  },
  {
    in: 'header',
    name: 'Idempotency-Key',
    description:
      'With store credit: same key for the same purchase, also when you retry; 1 to 64 visible ASCII characters. Without one the same request again gets a spend that was not answered yet, for nothing; after its answer it is another spend. An x402 payment needs none: resend the same payment',
    example: 'order-17',
  },
  {
    in: 'header',
    name: PAYER_SIGNATURE_HEADER,
    description:
      'EIP-191 signature by the payer: of prove.text where a refusal asks for it; with X-PAYMENT of "intent <intentId> paid by <txHash>"',
    example: '0x...',
  },
  AGENT_ID,
]

/** A header whose text is base64 of JSON. */
const encoded = (description: string, content: JsonSchema) => ({
  description,
  schema: {
    type: 'string',
    contentEncoding: 'base64',
    contentMediaType: 'application/json',
    contentSchema: content,
  },
})

export const paymentHeaders = (required: JsonSchema, response: JsonSchema) => ({
  'payment-required': encoded('Base64 of what to pay, x402 v2', required),
  'payment-response': encoded(
    'Base64 of how the payment settled; absent where a pass or store credit paid',
    response,
  ),
  'x-payment-response': encoded('The same, to a client of x402 v1', response),
})

const SIGNATURE = '...'

/** `extensions` as they look, without a signature that somebody could take for one of ours. */
const extensionsOf = (good: Good<unknown>): z.input<typeof PaymentExtensions> => ({
  bazaar: bazaarOf(good) as z.input<typeof PaymentExtensions>['bazaar'],
  'payment-identifier': paymentIdentifier,
  'offer-receipt': {
    info: { offers: [{ format: 'jws', acceptIndex: 0, signature: SIGNATURE }] },
    schema: { type: 'object', required: ['offers'] },
  },
})

/** The 402 of a good as it looks: header (decoded) and body. Secrets and signatures are left out. */
export function exampleOf402(good: Good<unknown>, { terms }: Facts) {
  const offer = offerOf(good, terms)
  const resource = {
    url: `${terms.publicUrl}${good.path}`,
    description: good.description,
    mimeType: 'application/json',
  }
  const error = 'Payment required'
  const required = {
    x402Version: 2,
    error,
    resource: { ...resource, serviceName: SERVICE_NAME },
    accepts: [{ ...offer, extra: { ...offer.extra, redemption: SIGNATURE } }],
    extensions: extensionsOf(good),
  }
  const body = {
    ...problemBody({ problem: 'payment_required' }),
    sku: good.sku,
    mode: terms.mode,
    ...(requiredV1(good, offer, { error, resource }) ?? required),
    payment: {
      intentId: SIGNATURE,
      paymentRail: 'usdc_base',
      payTo: terms.payTo,
      amountUsdc: formatUsdc(good.priceMicroUsdc),
      amountAtomic: offer.amount,
      asset: terms.asset,
      network: terms.network,
      expiresAtMs: EXAMPLE_EXPIRES_MS,
      [THEN]:
        'send exactly this amount, then repeat the GET with X-PAYMENT: {intentId, txHash, paymentRail}, and with X-Service-Payer-Signature to be answered at once',
    },
  }
  return { required, body }
}

const EXAMPLE_EXPIRES_MS = Date.parse('2026-11-21T12:15:00.000Z')
