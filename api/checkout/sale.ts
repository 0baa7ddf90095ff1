import { buyerDigest } from '../entitlements/credit.ts'
import { type CardSale, type Checkout, cardKey } from '../ledger/cards.ts'
import { type ClaimTerms, chainIdOf, type Sale } from '../ledger/ledger.ts'
import type { AnswerPorts } from '../payment/answer.ts'
import { attestationIdOf } from '../receipts/attestation.ts'
import { canonicalJson, sha256Hex } from '../receipts/canonical.ts'
import type { CardTruth } from './provider.ts'

export const CHECKOUT_PATH = '/cardpay/checkout'

/** An answer, and the hash of the request it answers. */
export type Drawn = { text: string; snapshotVersion: number | null; requestHash: string }

/**
 * A card payment's values for chain and token. The receipt names the buyer only by a keyed digest, always the same for
 * one buyer: the audit counts distinct buyers.
 */
const PAID = { network: 'cardpay', rail: 'card', asset: 'USD' } as const
const payerOf = ({ agent, digest }: Checkout, secret: Buffer): string =>
  `card:${buyerDigest(secret, agent || digest).slice(0, 16)}`

/** The request hash of the receipt: the order, with the input that is answered (I7). Pure. */
export const requestHashOf = (
  { digest, sku, cents }: { digest: string; sku: string; cents: number },
  payload: unknown,
): string => sha256Hex(['POST', CHECKOUT_PATH, sku, String(cents), digest, canonicalJson(payload)].join('\n'))

/** The claim of a paid checkout. Pure. */
export function saleOf(
  checkout: Checkout,
  draft: Drawn,
  { paymentId, paidMs }: CardTruth,
  { publicUrl, secret }: Pick<AnswerPorts, 'publicUrl' | 'secret'>,
): CardSale {
  const terms: ClaimTerms = {
    ...PAID,
    purchasePath: 'card',
    via: 'card',
    path: CHECKOUT_PATH,
    fingerprint: draft.requestHash,
    paymentHash: checkout.digest,
    sku: checkout.sku,
    payTo: publicUrl,
    payer: payerOf(checkout, secret),
    amountMicroUsdc: checkout.amountMicroUsdc,
    snapshotVersion: draft.snapshotVersion,
    creditTo: null,
    draft: draft.text,
  }
  return { tx: paymentId ?? '', paidMs, terms }
}

/**
 * Journal entry for a sale whose money went back, or returned: the sale's figures, with a sign. Pure.
 * @param look tells one change of a checkout apart from the next: after a won dispute the money may go back once more.
 */
export function reversalOf(
  checkout: Checkout,
  { status, paymentId, paidMs }: CardTruth,
  look: number,
  { secret, mode }: Pick<AnswerPorts, 'secret' | 'mode'>,
): Sale {
  const attestationId = attestationIdOf(secret, cardKey(checkout.digest))
  const change = status === 'refunded' ? 'reversed' : 'restored'
  return {
    eventId: `${attestationId}:${change}:${look}`,
    atMs: paidMs,
    sku: checkout.sku,
    path: CHECKOUT_PATH,
    purchasePath: change,
    rail: PAID.rail,
    chainId: chainIdOf(PAID.network),
    asset: PAID.asset,
    payer: payerOf(checkout, secret),
    amountMicroUsdc: (change === 'reversed'
      ? -checkout.amountMicroUsdc
      : checkout.amountMicroUsdc
    ).toString(),
    tx: paymentId ?? '',
    logIndex: 0,
    attestationId,
    snapshotVersion: null,
    cardIds: [],
    requestHash: checkout.requestHash,
    responseHash: '',
    mode,
  }
}
