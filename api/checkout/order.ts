import { z } from 'zod'
import { ACCOUNT_FORM, accountOf } from '../entitlements/credit.ts'
import type { Problem } from '../errors.ts'
import { sellableOfSku } from '../goods/index.ts'
import { SERVICES } from '../goods/services/index.ts'
import type { Service } from '../goods/services/service.ts'
import { PAYLOAD_WORDS, Payload } from './payload.ts'

const StableId = z
  .string()
  .refine((text) => accountOf(text) !== null, ACCOUNT_FORM.description)
  .meta(ACCOUNT_FORM)

/** Body of POST /cardpay/checkout. */
export const CheckoutOrder = z.strictObject({
  sku: z.string().max(64).describe('As /agent-store.json lists it, with stripeEnabled'),
  buyerId: StableId.optional(), //                           the same as x-agent-id; one of them is needed
  payload: Payload.optional().describe(`${PAYLOAD_WORDS}; may also come once it is paid`),
  referralCode: StableId.optional(), //                      stable id of the account that referred the buyer
})
export type CheckoutOrder = z.infer<typeof CheckoutOrder>

/** Small enough for the largest input of a good that is sold by card. */
export const ORDER_MAX_BYTES = 256 * 1024

/** Only SKUs for people: what agents buy is paid from a wallet. */
export function goodByCard(sku: string): Service<unknown> | Problem {
  const good = SERVICES.find((service) => service.sku === sku)
  if (good?.presented.cardCheckout === true) return good
  return { problem: sellableOfSku(sku) === undefined ? 'sku_unknown' : 'not_sold_by_card' }
}

/** Refuses buyers who refer themselves (ENT-17). */
export const refuseReferral = (referralCode: string | undefined, buyer: string): Problem | null =>
  referralCode !== undefined && accountOf(referralCode) === accountOf(buyer)
    ? { problem: 'invalid_parameter', detail: 'referralCode: must not be your own.' }
    : null

const CENT_MICRO = 10_000n

/** What a card is charged; null: the price has no whole cents. */
export function centsOf(micro: bigint): number | null {
  return micro > 0n && micro % CENT_MICRO === 0n ? Number(micro / CENT_MICRO) : null
}
