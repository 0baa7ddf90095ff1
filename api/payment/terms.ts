import type { Authorization } from '../settlement/port.ts'
import type { ExactPayment } from './payload.ts'

/** One entry of accepts[]: what a path costs, as x402 v2 says it. */
export type Offer = {
  scheme: 'exact'
  network: string
  amount: string
  asset: string
  payTo: string
  maxTimeoutSeconds: number
  extra: { name: string; version: string; redemption?: string } // redemption: see entitlements/redemption.ts
}

/** Why an authorization is refused, in the order the checks run. */
export type TermsRefusal =
  | 'offer_mismatch'
  | 'wrong_recipient'
  | 'wrong_amount'
  | 'not_yet_valid'
  | 'expired'
  | 'window_too_long'

/** A transaction needs a block or two to carry the authorization; less than this is as good as expired. */
const MIN_LEFT_S = 6n
/** Clocks differ: a client that is ahead still gets its full timeout. */
const CLOCK_SLACK_S = 60n

/**
 * Checks what a signed authorization says against our own offer, never against the client's copy of it.
 * Pure: signature and chain are the caller's next steps.
 * @param nowS Unix seconds as the chain counts them; the token requires validAfter < now < validBefore.
 */
export function refuseTerms(
  payment: Omit<ExactPayment, 'paymentId'>,
  offer: Offer,
  nowS: bigint,
): TermsRefusal | null {
  const { accepted, authorization } = payment
  const amount = BigInt(offer.amount)
  if (!matchesOffer(accepted, offer)) return 'offer_mismatch'
  if (authorization.to !== offer.payTo.toLowerCase()) return 'wrong_recipient'
  if (authorization.value !== amount) return 'wrong_amount'
  return refuseWindow(authorization, offer, nowS)
}

/** Whether an authorization has no time left to pay. */
export const isOver = ({ validBefore }: Pick<Authorization, 'validBefore'>, nowS: bigint): boolean =>
  validBefore < nowS + MIN_LEFT_S

/** Whether it pays for longer than this offer lets anybody sign. */
export const isTooLong = (
  { validBefore }: Pick<Authorization, 'validBefore'>,
  { maxTimeoutSeconds }: Pick<Offer, 'maxTimeoutSeconds'>,
  nowS: bigint,
): boolean => validBefore > nowS + BigInt(maxTimeoutSeconds) + CLOCK_SLACK_S

function refuseWindow(
  { validAfter, validBefore }: Authorization,
  offer: Offer,
  nowS: bigint,
): TermsRefusal | null {
  if (validAfter >= nowS) return 'not_yet_valid'
  if (isOver({ validBefore }, nowS)) return 'expired'
  if (isTooLong({ validBefore }, offer, nowS)) return 'window_too_long'
  return null
}

/** Addresses are compared without letter case, everything else as text; a client may add keys to `extra`. */
function matchesOffer(accepted: ExactPayment['accepted'], offer: Offer): boolean {
  return (
    accepted.scheme === offer.scheme &&
    accepted.network === offer.network &&
    accepted.amount === offer.amount &&
    accepted.asset.toLowerCase() === offer.asset.toLowerCase() &&
    accepted.payTo.toLowerCase() === offer.payTo.toLowerCase() &&
    accepted.maxTimeoutSeconds === offer.maxTimeoutSeconds &&
    accepted.extra?.name === offer.extra.name &&
    accepted.extra?.version === offer.extra.version &&
    (accepted.extra?.assetTransferMethod ?? 'eip3009') === 'eip3009'
  )
}
