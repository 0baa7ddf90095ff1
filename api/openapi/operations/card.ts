import { z } from 'zod'
import { usdcNumber } from '../../../ops/units.ts'
import { CheckoutOrder, ORDER_MAX_BYTES } from '../../checkout/order.ts'
import { CHECKOUT_PATH } from '../../checkout/sale.ts'
import { CheckoutOpened, CheckoutStatus, STATUS_PATH } from '../../checkout/show.ts'
import { WEBHOOK_MAX_BYTES, WEBHOOK_PATH } from '../../checkout/webhook.ts'
import type { ProblemCode } from '../../errors.ts'
import { PaymentAttestation } from '../../goods/attested.ts'
import { FeedGrant, UnlockGrant } from '../../goods/grants/shapes.ts'
import { SERVICES } from '../../goods/services/index.ts'
import { torMcpPro } from '../../goods/services/torMcpPro.ts'
import { resultOf } from '../envelope.ts'
import { AGENT_ID, atMost, json, type Operation } from '../operation.ts'

const ID = 'checkout_EXAMPLEEXAMPLEEXAMPLE0'
const OPEN = {
  ok: true,
  mode: 'sandbox',
  checkoutId: ID,
  sku: torMcpPro.sku,
  status: 'open',
  priceUsd: usdcNumber(torMcpPro.priceMicroUsdc),
  expiresAt: '2026-11-22T12:00:00.000Z',
  statusUrl: `...${STATUS_PATH}?checkout_id=${ID}`,
  checkoutUrl: 'https://...',
} as const satisfies z.infer<typeof CheckoutOpened>

/** `result` of everything that is sold by card. */
const Bought = z.union(SERVICES.filter(({ presented }) => presented.cardCheckout).map(resultOf))
const Status = CheckoutStatus.extend({
  result: Bought.optional(),
  torUnlock: UnlockGrant.shape.torUnlock.optional(),
  feedAccess: FeedGrant.shape.feedAccess.optional(),
  paymentAttestation: PaymentAttestation.optional(),
})

const REFUSALS: readonly ProblemCode[] = [
  'invalid_parameter',
  'malformed_request',
  'body_too_large',
  'rate_limited',
  'card_checkout_off',
  'card_provider_unavailable',
  'ledger_unavailable',
]
const DRAWING: readonly ProblemCode[] = [
  'no_data',
  'stale_data',
  'not_enough_data',
  'undeliverable',
  'busy',
  'utility_timeout',
]

/** Card checkout (spec 4.2): SKUs that are sold to people too. */
export const CARD: readonly Operation[] = [
  {
    method: 'POST',
    path: CHECKOUT_PATH,
    id: 'cardCheckout',
    tag: 'card',
    summary: 'Opens a card checkout at the agent price',
    description:
      'A person pays at checkoutUrl. Only SKUs with stripeEnabled; agents pay from a wallet. buyerId or x-agent-id is needed; both are one identifier.',
    parameters: [AGENT_ID],
    body: {
      schema: CheckoutOrder,
      example: { sku: torMcpPro.sku, buyerId: 'agent-7f3c' },
      limit: atMost(ORDER_MAX_BYTES),
    },
    answers: {
      200: { description: 'Where to pay, and the id to ask with', content: json(CheckoutOpened, OPEN) },
    },
    problems: [
      ...REFUSALS,
      'sku_unknown',
      'not_sold_by_card',
      'too_many_checkouts',
      'ledger_full',
      ...DRAWING,
    ],
  },
  {
    method: 'GET',
    path: STATUS_PATH,
    id: 'cardCheckoutStatus',
    tag: 'card',
    summary: 'Whether a card checkout is paid, and what it bought',
    description: 'With status paid, torUnlock, feedAccess or result is inline. HTML to browsers.',
    parameters: [
      {
        in: 'query',
        name: 'checkout_id',
        required: true,
        description: `checkoutId of POST ${CHECKOUT_PATH}`,
        example: ID,
      },
      AGENT_ID,
      {
        in: 'header',
        name: 'X-Service-Payload',
        description: 'Where awaiting is payload: base64 of JSON, the input of what was bought',
        example: 'eyJxIjoiZmVkIHJhdGUifQ==',
      },
    ],
    answers: {
      200: {
        description: 'The checkout as it is now',
        content: { ...json(Status, OPEN), 'text/html': {} },
      },
    },
    problems: [
      ...REFUSALS.filter((code) => code !== 'body_too_large'),
      'checkout_unknown',
      'answer_expired',
      ...DRAWING,
      'settlement_pending',
    ],
  },
  {
    method: 'POST',
    path: WEBHOOK_PATH,
    id: 'cardWebhook',
    tag: 'card',
    summary: 'Events of the card provider; for the provider only',
    description: 'A signed event says where to look; the provider is then asked what is true.',
    parameters: [
      {
        in: 'header',
        name: 'Stripe-Signature',
        required: true,
        description: 'Signature over the raw body',
        example: 't=1790000000,v1=...',
      },
    ],
    body: {
      schema: z.looseObject({ id: z.string(), type: z.string() }),
      example: { id: 'evt_...', type: 'checkout.session.completed' },
      limit: atMost(WEBHOOK_MAX_BYTES),
    },
    answers: {
      200: {
        description: 'Noted',
        content: json(z.object({ ok: z.literal(true), duplicate: z.boolean() }), {
          ok: true,
          duplicate: false,
        }),
      },
    },
    problems: ['webhook_refused', 'body_too_large', 'card_provider_unavailable', 'ledger_unavailable'],
    when: ({ cardCheckout }) => cardCheckout,
  },
]
