import type { Good } from '../../goods/good.ts'
import type { Offer } from '../terms.ts'
import { BAZAAR, bazaarOf } from './bazaar.ts'
import { OFFER_RECEIPT, OFFER_VALID_MS, offerExtension, type Signer } from './offerReceipt.ts'
import { PAYMENT_IDENTIFIER, paymentIdentifier } from './paymentIdentifier.ts'

/**
 * `extensions` of a path's 402 as JSON text. Every caller gets the same text until half of the offer's lifetime is
 * over; signing it, every half hour, is the only work.
 */
export function createExtensions(
  good: Good<unknown>,
  offer: Offer,
  signer: Signer,
): (nowMs: number) => string {
  const constant = { [BAZAAR]: bazaarOf(good), [PAYMENT_IDENTIFIER]: paymentIdentifier }
  let signedMs = Number.NEGATIVE_INFINITY
  let json = ''
  return (nowMs) => {
    //  a clock that was set back must not leave an offer standing for longer than it says
    if (nowMs - signedMs >= OFFER_VALID_MS / 2 || nowMs < signedMs) {
      const signed = offerExtension(signer, good.path, offer, nowMs)
      json = JSON.stringify({ ...constant, [OFFER_RECEIPT]: signed })
      signedMs = nowMs
    }
    return json
  }
}
