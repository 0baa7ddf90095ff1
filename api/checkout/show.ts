import { z } from 'zod'
import { Mode } from '../../ops/mode.ts'
import { usdcNumber } from '../../ops/units.ts'
import { CARD_STATUSES, type Checkout } from '../ledger/cards.ts'

const Base = z.object({
  ok: z.literal(true),
  mode: Mode,
  checkoutId: z.string(), //   keep it like a password: it fetches what was bought
  sku: z.string(),
  status: z.enum(CARD_STATUSES),
  priceUsd: z.number(), //     agent price: what the card is charged
  expiresAt: z.string(), //    nothing can be paid afterwards
  statusUrl: z.string(),
})

/** Answer of POST /cardpay/checkout. */
export const CheckoutOpened = Base.extend({
  checkoutUrl: z.string(), //  where a person pays
  awaiting: z.literal('payload').optional(), // the good's input may come once it is paid
})

/** Answer of GET /cardpay/checkout-status. Parts of what was bought are inline; all of it is in `result`. */
export const CheckoutStatus = Base.extend({
  checkoutUrl: z.string().nullable(), // only while open
  awaiting: z.literal('payload').optional(), // send the good's input as X-Service-Payload, base64 JSON
  result: z.record(z.string(), z.unknown()).optional(),
  torUnlock: z.unknown().optional(),
  feedAccess: z.unknown().optional(),
  paymentAttestation: z.unknown().optional(),
})
export type CheckoutStatus = z.infer<typeof CheckoutStatus>

export const STATUS_PATH = '/cardpay/checkout-status'

export const statusUrlOf = (publicUrl: string, checkoutId: string): string =>
  `${publicUrl}${STATUS_PATH}?checkout_id=${checkoutId}`

const Delivered = z.looseObject({ result: z.record(z.string(), z.unknown()) })

/** @param body the stored answer of the sale, once there is one. Pure. */
export function showCheckout(
  checkout: Checkout,
  checkoutId: string,
  body: string | null,
  { publicUrl, mode }: { publicUrl: string; mode: Mode },
): CheckoutStatus {
  const result = body === null ? undefined : Delivered.parse(JSON.parse(body)).result
  return {
    ok: true,
    mode,
    checkoutId,
    sku: checkout.sku,
    status: checkout.status,
    priceUsd: usdcNumber(checkout.amountMicroUsdc),
    expiresAt: new Date(checkout.expiresMs).toISOString(),
    statusUrl: statusUrlOf(publicUrl, checkoutId),
    checkoutUrl: checkout.status === 'open' ? checkout.url : null,
    ...(awaitsPayload(checkout) ? { awaiting: 'payload' as const } : {}),
    ...(result === undefined
      ? {}
      : {
          result,
          ...(result.torUnlock === undefined ? {} : { torUnlock: result.torUnlock }),
          ...(result.feedAccess === undefined ? {} : { feedAccess: result.feedAccess }),
          paymentAttestation: result.paymentAttestation,
        }),
  }
}

/** Paid, but the answer could not be composed yet: boards were too old, or no process with boards has looked. */
export const isUndrawn = ({ status, claimed, draft, input }: Checkout): boolean =>
  status === 'paid' && !claimed && (draft !== null || input !== null)

/** Nothing could be composed yet: the good needs an input that was not sent. */
export const awaitsPayload = ({ status, claimed, draft, input }: Checkout): boolean =>
  (status === 'open' || status === 'paid') && !claimed && draft === null && input === null
