import { MICRO_PER_USDC } from '../../../ops/units.ts'
import type { Output, Sellable } from '../good.ts'

/** How a good without a GET path is presented to people (spec 2.3). */
export type Presented = {
  type: 'service' | 'license'
  collection: string
  tagline: string
  deliveryNote: string
  delivers: string
  cardCheckout: boolean
  promoted: boolean
}

/** One thing we sell by card or classic purchase only. */
export type Service<Input> = Sellable<Input> & { output: Output; presented: Presented }

/** Checks that `input` and `answer` agree on the input's type, then erases it, as `defineGood` does. */
export const defineService = <Input>(service: Service<Input>): Service<unknown> =>
  service as unknown as Service<unknown>

/** `usd(2, 49)` is 2.49 USD in micro-USDC. */
export const usd = (dollars: number, cents = 0): bigint =>
  BigInt(dollars) * MICRO_PER_USDC + (BigInt(cents) * MICRO_PER_USDC) / 100n
