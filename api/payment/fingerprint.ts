import { canonicalQuery } from '../http/query.ts'
import type { ClaimTerms } from '../ledger/ledger.ts'
import { sha256Hex } from '../receipts/canonical.ts'
import type { Asked } from './input.ts'
import type { ExactPayment } from './payload.ts'
import type { Offer } from './terms.ts'

type Terms = Pick<Offer, 'amount' | 'asset' | 'payTo'>

/**
 * What a payment buys, as one hash: method, path, meaning of the query, payload header, sku, amount, receiver. A
 * payment is bound to the first fingerprint it comes with; nothing the wallet signed names the resource.
 */
export function fingerprintOf(path: string, asked: Asked, sku: string, offer: Terms): string {
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

/** The hash of what is asked, whatever it costs. */
export const questionOf = (path: string, asked: Asked, sku: string): string =>
  fingerprintOf(path, asked, sku, { amount: '', asset: '', payTo: '' })

/**
 * Whether a claim was made for this question, at the price and receiver of its time: what was paid stays paid when
 * these change. Not for legacy transfers, which pay less than the price.
 */
export const isOfQuestion = (
  claim: Pick<ClaimTerms, 'fingerprint' | 'sku' | 'path' | 'amountMicroUsdc' | 'asset' | 'payTo'>,
  path: string,
  asked: Asked,
): boolean => {
  const { sku, asset, payTo } = claim
  const amount = claim.amountMicroUsdc.toString()
  return claim.fingerprint === fingerprintOf(path, asked, sku, { asset, payTo, amount })
}

/**
 * The hash of the canonical payment: another spelling of the header is the same payment.
 * @param redemption the secret of its offer, to which the payment is also bound; null: it carries none.
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
