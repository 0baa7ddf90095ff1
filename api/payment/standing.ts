import { SECOND } from '../../ops/units.ts'
import type { Problem } from '../errors.ts'
import type { Reply } from '../http/exchange.ts'
import { problemReply } from '../http/respond.ts'
import { MAY_BE_PAID } from '../settlement/consultation.ts'
import { paidAlready } from '../settlement/paidAlready.ts'
import type { ChainRefusal, Settled } from '../settlement/port.ts'
import { isCheapLook } from './cheapLook.ts'
import { refusalOf, type Sale } from './sale.ts'
import { isKeptStill, paidLate, refuseUnproven } from './submittedElsewhere.ts'
import { isOver, isTooLong, refuseTerms, type TermsRefusal } from './terms.ts'
import { wasUsed } from './wasUsed.ts'

/*
 * Where a payment stands that no claim of ours has taken further: its window, and its money. If its nonce is used
 * although we never claimed it, somebody else may have submitted this very payment (RPL-13): then it is paid, and buys
 * its answer.
 */

export const LONG_AGO: Problem = {
  problem: 'answer_expired',
  detail: 'The chain says that this authorization was used or cancelled.',
}

/** Where the money has moved already, as the chain shows it; null: it has not moved yet. */
export type Standing = { paid: Settled | null }

/** Unix seconds, as terms count them. */
const secondsOf = (ms: number): bigint => BigInt(Math.floor(ms / SECOND))

export const termsRefusalOf = ({ parsed, sold, nowMs }: Sale): TermsRefusal | null =>
  refuseTerms(parsed, sold.offer, secondsOf(nowMs))

/**
 * Whether somebody else may have read it on the chain, so that its signature does not show that its payer asks: signed
 * for another receiver, or long enough ago that no claim may know of it any more, or for longer than we let anybody
 * sign: such as a classic purchase was paid with, which no claim knows by its nonce.
 */
export function mayBeCopied({ payment: { authorization }, sold: { offer }, nowMs }: Sale): boolean {
  const nowS = secondsOf(nowMs)
  const isOurs = authorization.to === offer.payTo.toLowerCase()
  return !isOurs || isOver(authorization, nowS) || isTooLong(authorization, offer, nowS)
}

/**
 * Whether the window of a payment is over although the payment may still be worth its answer: it was used, and recently
 * enough that no claim for it can have been forgotten. @returns a Reply if its terms buy nothing.
 */
export async function windowOf(refusal: TermsRefusal | null, sale: Sale): Promise<'open' | 'over' | Reply> {
  if (refusal === null) return 'open'
  const { payment, sold, ports, nowMs } = sale
  const { authorization } = payment
  const isPast =
    isOver(authorization, secondsOf(nowMs)) && authorization.to === sold.offer.payTo.toLowerCase()
  if (!isPast || !(await wasUsed(payment, ports.chain))) return refusalOf(refusal, sale)
  return refusal === 'expired' && (await isKeptStill(payment, ports)) ? 'over' : problemReply(LONG_AGO)
}

/** For a payment past its window: it still buys if it reached us in time, and only for its payer. */
export async function standingOnceOver(sale: Sale): Promise<Standing | Reply> {
  const { payment, ports } = sale
  //  before the search, which costs more than any other look
  const unproven = await unprovenOf(sale)
  if (unproven !== null) return problemReply(unproven)
  const paid = await paidLate(payment, ports.chain, ports.paymentClock.nowMs() - ports.answerTtlMs)
  return paid === null ? problemReply(LONG_AGO) : { paid }
}

/**
 * For a payment within its window: whether it would settle now, or has moved without us. The refusal of a used nonce
 * says nothing about the signature, so that is proven here too.
 * @param isFirst whether we have no claim of it.
 */
export async function standingWhileOpen(isFirst: boolean, sale: Sale): Promise<Standing | Reply> {
  const { payment, sold, ports } = sale
  const isOfPayerIfPaid = isFirst && !isCheapLook(sold.good)
  const refusal = await refusalNow(isOfPayerIfPaid, sale)
  if (refusal === null) return { paid: null }
  const paid = (await mayBePaid(refusal, sale))
    ? await paidAlready(payment, ports.chain, ports.paymentClock.nowMs())
    : null
  if (paid === null) return refusalOf(refusal, sale)
  const unproven = isOfPayerIfPaid ? await unprovenOf(sale) : null
  return unproven === null ? { paid } : problemReply(unproven)
}

const unprovenOf = ({ payment, proof, key, ports }: Sale): Promise<Problem | null> =>
  refuseUnproven(payment, proof, async () => (await ports.ledger.find(key)) !== null, ports.chain)

/**
 * Why the payment would not settle now. Not every facilitator checks the nonce or has the newest block. If only the
 * payer may have what is paid already, the token is asked too; else somebody who read a payment on the chain could have
 * it claimed as an unpaid one.
 */
async function refusalNow(
  isOfPayerIfPaid: boolean,
  { payment, sold: { offer, listing }, ports: { settlement, chain } }: Sale,
): Promise<ChainRefusal | null> {
  const { from, nonce } = payment.authorization
  const refusal = await settlement.refuse(payment, offer, listing)
  const asksToken = refusal === null && settlement.via === 'facilitator' && isOfPayerIfPaid
  return asksToken && (await chain.isUsed(payment.asset, from, nonce)) ? 'nonce_used' : refusal
}

/** A facilitator may report the balance that another submission has emptied before the nonce; the token does not. */
async function mayBePaid(
  refusal: ChainRefusal,
  { payment: { asset, authorization }, ports: { settlement, chain } }: Sale,
): Promise<boolean> {
  if (refusal === 'nonce_used') return true
  if (settlement.via !== 'facilitator' || !MAY_BE_PAID.has(refusal)) return false
  return await chain.isUsed(asset, authorization.from, authorization.nonce)
}
