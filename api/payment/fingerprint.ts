import { canonicalQuery } from '../http/query.ts'
import { sha256Hex } from '../receipts/canonical.ts'
import type { Asked } from './input.ts'
import type { ExactPayment } from './payload.ts'
import type { Offer } from './terms.ts'

/**
 * What a payment buys, as one hash: method, path, meaning of the query, payload header, sku, amount, receiver. A payment is
 * bound to the first fingerprint it comes with; nothing the wallet signed names the resource.
 */
export function fingerprintOf(path: string, asked: Asked, sku: string, offer: Offer): string {
  return sha256Hex(
    [
      'GET',
      path,
      canonicalQuery(asked.query),
      sku,
      offer.amount,
      offer.asset.toLowerCase(),
      offer.payTo.toLowerCase(),
      ...(asked.payload === '' ? [] : [sha256Hex(asked.payload)]),
    ].join('\n'),
  )
}

/**
 * Of the canonical payment: another spelling of the header is the same payment.
 * @param redemption the secret of its offer, which the payment is bound to besides; null: it carries none.
 */
export function paymentHashOf(
  authorization: ExactPayment['authorization'],
  signature: string,
  redemption: string | null,
): string {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const parts = [from, to, value, validAfter, validBefore, nonce, signature]
  return sha256Hex([...parts, ...(redemption === null ? [] : [redemption])].join('\n'))
}
