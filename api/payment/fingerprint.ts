import { canonicalQuery, type Query } from '../http/query.ts'
import { sha256Hex } from '../receipts/canonical.ts'
import type { ExactPayment } from './payload.ts'
import type { Offer } from './terms.ts'

/**
 * What a payment buys, as one hash: method, path, meaning of the query, sku, amount, receiver. A payment is
 * bound to the first fingerprint it comes with; nothing the wallet signed names the resource.
 */
export function fingerprintOf(path: string, query: Query, sku: string, offer: Offer): string {
  return sha256Hex(
    [
      'GET',
      path,
      canonicalQuery(query),
      sku,
      offer.amount,
      offer.asset.toLowerCase(),
      offer.payTo.toLowerCase(),
    ].join('\n'),
  )
}

/** Of the canonical payment: another spelling of the header is the same payment. */
export function paymentHashOf(authorization: ExactPayment['authorization'], signature: string): string {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  return sha256Hex([from, to, value, validAfter, validBefore, nonce, signature].join('\n'))
}
