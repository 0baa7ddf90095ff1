import { z } from 'zod'
import { formatUsdc } from '../../../ops/units.ts'
import { defineService, usd } from './service.ts'

/** A tip is between these, in micro-USDC: below, moving it costs more than it brings; above, somebody mistyped. */
export const TIP_MIN_MICRO_USDC = usd(0, 1)
export const TIP_MAX_MICRO_USDC = usd(1_000)
export const TIP_WORDS = `${formatUsdc(TIP_MIN_MICRO_USDC)} to ${formatUsdc(TIP_MAX_MICRO_USDC)} USDC`

/** A gift (spec 2.3): the buyer names the amount as `options.tipUsdc` of POST /purchase-intent. */
export const tip = defineService({
  sku: 'SKU_TIP_00',
  title: 'Patron tip',
  description: `A tip for the people who run this, of an amount you name as options.tipUsdc: ${TIP_WORDS}. Brings a signed receipt and thanks, nothing else.`,
  listPriceMicroUsdc: TIP_MIN_MICRO_USDC,
  priceMicroUsdc: TIP_MIN_MICRO_USDC,
  input: z.object({}),
  output: z.object({ tip: z.object({ thanks: z.literal(true) }) }),
  answer: () => ({ result: { tip: { thanks: true } }, snapshotVersion: null }),
  presented: {
    type: 'service',
    collection: 'patron',
    tagline: 'Say thanks in USDC',
    deliveryNote: `The receipt comes with the answer. Name the amount as options.tipUsdc: ${TIP_WORDS}.`,
    delivers: 'tip {thanks}; plus paymentAttestation',
    cardCheckout: false,
    promoted: false,
  },
})
