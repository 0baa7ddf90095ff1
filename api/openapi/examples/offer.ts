import type { z } from 'zod'
import { formatUsdc } from '../../../ops/units.ts'
import type { Good } from '../../goods/good.ts'
import { problemBody } from '../../http/respond.ts'
import { offerOf } from '../../payment/challenge.ts'
import { bazaarOf } from '../../payment/extensions/bazaar.ts'
import { paymentIdentifier } from '../../payment/extensions/paymentIdentifier.ts'
import { requiredV1 } from '../../payment/requiredV1.ts'
import type { Facts } from '../../storefront/facts.ts'
import { SERVICE_NAME } from '../../storefront/service.ts'
import { type PaymentExtensions, THEN } from '../payment.ts'

const SIGNATURE = '...'
const EXAMPLE_EXPIRES_MS = Date.parse('2026-11-21T12:15:00.000Z')

/** `extensions` as they look, without a signature that could be mistaken for one of ours. */
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
  const intentMicro = good.priceMicroUsdc - 68n //  a little below the price, as every amount of an intent is
  const body = {
    ...problemBody({ problem: 'payment_required' }),
    sku: good.sku,
    mode: terms.mode,
    ...(requiredV1(good, offer, { error, resource }) ?? required),
    payment: {
      intentId: SIGNATURE,
      paymentRail: 'usdc_base',
      payTo: terms.payTo,
      amountUsdc: formatUsdc(intentMicro),
      amountAtomic: intentMicro.toString(),
      asset: terms.asset,
      network: terms.network,
      expiresAtMs: EXAMPLE_EXPIRES_MS,
      [THEN]:
        'send exactly this amount, then repeat the GET with X-PAYMENT: {intentId, txHash, paymentRail}, and with X-Service-Payer-Signature to be answered at once',
    },
  }
  return { required, body }
}
