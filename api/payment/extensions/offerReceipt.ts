import { HOUR, SECOND } from '../../../ops/units.ts'
import { kidOf } from '../../receipts/did.ts'
import { signJws } from '../../receipts/jws.ts'
import type { ReceiptKey } from '../../receipts/key.ts'
import type { Offer } from '../terms.ts'

/** Key of the x402 extension in which a seller signs the offer, and afterwards that it was paid (its version 1). */
export const OFFER_RECEIPT = 'offer-receipt'
const VERSION = 1

/** Lifetime of a signed offer; it is signed again at half of it, so a caller gets at least the other half. */
export const OFFER_VALID_MS = 1 * HOUR

/** Offer and receipt name the resource by the same text, whatever host a request came to. */
export type Signer = { key: ReceiptKey; publicUrl: string }

const SIGNED = { type: 'object', required: ['format', 'signature'] } as const
const $schema = 'https://json-schema.org/draft/2020-12/schema'

/** `extensions["offer-receipt"]` of a 402, for `accepts[0]`. */
export function offerExtension({ key, publicUrl }: Signer, path: string, offer: Offer, nowMs: number) {
  const { scheme, network, asset, payTo, amount } = offer
  const signature = signJws(key, kidOf(publicUrl, key), {
    version: VERSION,
    resourceUrl: `${publicUrl}${path}`,
    scheme,
    network,
    asset,
    payTo,
    amount,
    validUntil: Math.floor((nowMs + OFFER_VALID_MS) / SECOND),
  })
  return {
    info: { offers: [{ format: 'jws', acceptIndex: 0, signature }] },
    schema: {
      $schema,
      type: 'object',
      properties: { offers: { type: 'array', items: SIGNED } },
      required: ['offers'],
    },
  } as const
}

export type PaidOnce = { path: string; network: string; payer: string; transaction: string; atMs: number }

/** `extensions["offer-receipt"]` of a PAYMENT-RESPONSE. A function of its arguments: composed again it is the same. */
export function receiptExtension({ key, publicUrl }: Signer, paid: PaidOnce) {
  const { network, payer, transaction } = paid
  const signature = signJws(key, kidOf(publicUrl, key), {
    version: VERSION,
    network,
    resourceUrl: `${publicUrl}${paid.path}`,
    payer,
    issuedAt: Math.floor(paid.atMs / SECOND),
    transaction,
  })
  return {
    info: { receipt: { format: 'jws', signature } },
    schema: { $schema, type: 'object', properties: { receipt: SIGNED }, required: ['receipt'] },
  } as const
}
