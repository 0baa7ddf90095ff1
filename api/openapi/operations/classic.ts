import { z } from 'zod'
import { formatUsdc } from '../../../ops/units.ts'
import { agentPricing } from '../../catalog/pricing.ts'
import { AgentPricing } from '../../catalog/record.ts'
import { MAX_BODY_BYTES } from '../../classic/request.ts'
import {
  FulfillRequest,
  HOW_TO_PAY,
  INTENT_AND_BUYER,
  NOTHING_TO_PAY,
  PAY_THEN_FULFILL,
  type PaymentOption,
  PurchaseAnswer,
  PurchaseRequest,
  QuoteAnswer,
  QuoteRequest,
  SettleRequest,
  StandingAnswer,
} from '../../classic/shapes.ts'
import { CLAIM_CODE_HEADER, CREDIT_AUTH_HEADER, SECRET_EXAMPLE } from '../../entitlements/credit.ts'
import type { ProblemCode } from '../../errors.ts'
import { tip } from '../../goods/services/tip.ts'
import { torMcpPro } from '../../goods/services/torMcpPro.ts'
import { problemBody } from '../../http/respond.ts'
import { SoldAnswer } from '../envelope.ts'
import { CREDIT_FIGURES } from '../headers.ts'
import { AGENT_ID, atMost, json, type Operation, type ParameterRecord } from '../operation.ts'
import { ProblemBody } from '../problems.ts'

const LIMIT = `${atMost(MAX_BODY_BYTES)}. Unknown fields are ignored`
const BUYER = 'agent-7f3c'
const INTENT = 'pi_EXAMPLEEXAMPLEEXAMPLE0'
const EXPIRES = '2026-11-21T12:15:00.000Z'
const SOLD = torMcpPro
const PRICE = formatUsdc(SOLD.priceMicroUsdc)

const OPTION: PaymentOption = {
  paymentRail: 'usdc_base',
  label: 'USDC on Base',
  chain: 'base',
  asset: 'USDC',
  amountAsset: PRICE,
  amountAtomic: SOLD.priceMicroUsdc.toString(),
  receiverAddress: '0x...',
  alternateReceivers: [],
  discovers: true,
  validUntil: EXPIRES,
  priceSource: null,
}

/** A little below the price, as every amount of an intent is. */
const DUE_MICRO = SOLD.priceMicroUsdc - 863n
const DUE = formatUsdc(DUE_MICRO)
const DUE_OPTION: PaymentOption = { ...OPTION, amountAsset: DUE, amountAtomic: DUE_MICRO.toString() }

const PAYMENT: PurchaseAnswer['payment'] = {
  ...DUE_OPTION,
  intentId: INTENT,
  state: 'New',
  priceUsdc: PRICE,
  amountUsdc: DUE,
  creditUsdc: '0',
  expiresAt: EXPIRES,
  graceUntil: '2026-11-21T12:45:00.000Z',
  paymentOptions: [DUE_OPTION],
  howTo: HOW_TO_PAY,
}

const STANDING: StandingAnswer = {
  ok: true,
  sku: SOLD.sku,
  mode: 'sandbox',
  settlement: {
    intentId: INTENT,
    state: 'Seen',
    paid: false,
    revoked: false,
    dueUsdc: DUE,
    receivedUsdc: '0',
    missing: [],
    confirmations: { have: 1, need: 2 },
    transactions: [], //  named once they are confirmed
    notes: [],
    expiresAt: EXPIRES,
    next: 'Wait for the confirmations, then repeat the request.',
  },
}

/** 402 of POST /purchase-intent: a problem, and how to pay. */
const PurchaseRequired = ProblemBody.extend(PurchaseAnswer.shape)

/** 200 of POST /purchase-intent: nothing was left to pay. */
const PurchaseDelivered = z.intersection(
  SoldAnswer,
  z.object({ payment: PurchaseAnswer.shape.payment, agentPricing: AgentPricing }),
)

const TIPPED_MICRO = 1_000_000n
const TIPPED = formatUsdc(TIPPED_MICRO)

const DELIVERED = {
  ok: true,
  protocol: 'classic',
  sku: tip.sku,
  mode: 'sandbox',
  result: {
    tip: { thanks: true },
    purchase: { rail: 'usdc_base', priceUsdc: 1, creditSpentUsdc: 0 },
  },
}

/** The same tip where store credit covered it. */
const COVERED = {
  ...DELIVERED,
  result: { ...DELIVERED.result, purchase: { rail: 'usdc_base', priceUsdc: 1, creditSpentUsdc: 1 } },
  payment: {
    ...PAYMENT,
    amountAsset: '0',
    amountAtomic: '0',
    state: 'Delivered',
    priceUsdc: TIPPED,
    amountUsdc: '0',
    creditUsdc: TIPPED,
    paymentOptions: [],
    howTo: NOTHING_TO_PAY,
  },
  agentPricing: agentPricing({ listPriceMicroUsdc: TIPPED_MICRO, priceMicroUsdc: TIPPED_MICRO }),
}

const CREDIT_HEADERS: readonly ParameterRecord[] = [
  {
    in: 'header',
    name: CREDIT_AUTH_HEADER,
    description: 'The same as creditSpendAuth in the body',
    example: SECRET_EXAMPLE,
  },
  {
    in: 'header',
    name: CLAIM_CODE_HEADER,
    description: 'The same as claimCode in the body',
    example: 'credit_...',
  },
  {
    in: 'header',
    name: 'Idempotency-Key',
    description:
      'With creditSpendAuth: same key for the same purchase, also when you retry; 1 to 64 visible ASCII characters. Another purchase takes another key',
    example: 'order-17',
  },
]

const READING: readonly ProblemCode[] = [
  'malformed_request',
  'invalid_parameter',
  'body_too_large',
  'rate_limited',
  'rail_unavailable',
  'chain_unavailable',
  'ledger_unavailable',
]
const LOOKING: readonly ProblemCode[] = [
  ...READING,
  'intent_unknown',
  'rail_mismatch',
  'transfer_mismatch',
  'payment_not_found',
  'bound_elsewhere',
]
const DELIVERING: readonly ProblemCode[] = [
  'intent_lapsed',
  'answer_expired',
  'settlement_pending',
  'sale_over',
  'undeliverable',
  'no_data',
  'stale_data',
  'not_enough_data',
  'busy',
  'utility_timeout',
  'resolver_unavailable',
]

/** The classic purchase (spec 4.2, 5.3). */
export const CLASSIC: readonly Operation[] = [
  {
    method: 'POST',
    path: '/purchase-intent',
    id: 'purchaseIntent',
    tag: 'classic',
    summary: 'Opens a purchase of any SKU',
    description:
      'Answers 402 with an exact amount and where to send it, on any rail; 200 with the result where store credit or the opening sale covers the whole price. Open for 15 minutes; money that is in a block within 30 more still buys. Where credit pays all or a part, the same request again without an Idempotency-Key continues a purchase that was not answered, so that nothing is debited or held twice; after its answer it is another purchase.',
    parameters: [AGENT_ID, ...CREDIT_HEADERS],
    body: {
      schema: PurchaseRequest,
      example: { sku: SOLD.sku, buyerId: BUYER, paymentRail: 'usdc_base' },
      limit: LIMIT,
    },
    answers: {
      200: {
        description: 'Nothing to pay: the result is here',
        content: json(PurchaseDelivered, COVERED),
        headers: ['payment-response', 'x-service-other-payment', ...CREDIT_FIGURES],
      },
      202: {
        description: 'Opened before with the same Idempotency-Key; its money is not deep enough yet',
        content: json(StandingAnswer, STANDING),
        headers: ['retry-after'],
      },
      402: {
        description: PAY_THEN_FULFILL,
        content: json(PurchaseRequired, {
          ...problemBody({ problem: 'payment_required' }),
          next: PAY_THEN_FULFILL,
          sku: SOLD.sku,
          mode: 'sandbox',
          payment: PAYMENT,
          agentPricing: agentPricing(SOLD),
        }),
        headers: CREDIT_FIGURES,
      },
    },
    problems: [
      ...READING,
      ...DELIVERING,
      'sku_unknown',
      'credit_refused',
      'credit_auth_mismatch',
      'credit_frozen',
      'price_unavailable',
      'amount_too_small',
      'too_many_intents',
      'ledger_full',
      'intent_unknown',
      'bound_elsewhere',
      'underpaid',
    ],
  },
  {
    method: 'POST',
    path: '/fulfill',
    id: 'fulfill',
    tag: 'classic',
    summary: 'Delivers a purchase that is paid',
    description: `On rails that discover transfers ${INTENT_AND_BUYER} suffice; elsewhere send txHash too. Without the buyer the answer is 400 and nothing is told. The same request gets the same bytes for a day. 202 while the transfer is missing or not deep enough: try again after Retry-After.`,
    parameters: [AGENT_ID],
    body: { schema: FulfillRequest, example: { intentId: INTENT, buyerId: BUYER }, limit: LIMIT },
    answers: {
      200: {
        description: 'What was bought',
        content: json(SoldAnswer, DELIVERED),
        headers: ['payment-response', 'x-service-other-payment'],
      },
      202: {
        description: 'Not paid yet, or not confirmed',
        content: json(StandingAnswer, STANDING),
        headers: ['retry-after'],
      },
    },
    problems: [...LOOKING, ...DELIVERING, 'sku_unknown', 'underpaid'],
  },
  {
    method: 'POST',
    path: '/checkout/settle',
    id: 'checkoutSettle',
    tag: 'classic',
    summary: 'Looks for the money of a purchase and says where it stands',
    parameters: [AGENT_ID],
    body: { schema: SettleRequest, example: { intentId: INTENT, buyerId: BUYER }, limit: LIMIT },
    answers: { 200: { description: 'Where the purchase stands', content: json(StandingAnswer, STANDING) } },
    problems: LOOKING,
  },
  {
    method: 'POST',
    path: '/quote',
    id: 'quote',
    tag: 'classic',
    summary: 'What a SKU costs on every rail now; nothing is reserved',
    parameters: [AGENT_ID],
    body: { schema: QuoteRequest, example: { sku: SOLD.sku, buyerId: BUYER }, limit: LIMIT },
    answers: {
      200: {
        description: 'Amounts by rail',
        content: json(QuoteAnswer, {
          ok: true,
          sku: SOLD.sku,
          mode: 'sandbox',
          offer: {
            amountUsdc: PRICE,
            agentPricing: agentPricing(SOLD),
            paymentOptions: [OPTION],
            unavailable: [],
            note: 'Nothing is reserved.',
          },
        } satisfies QuoteAnswer),
      },
    },
    problems: [...READING, 'sku_unknown'],
  },
]
