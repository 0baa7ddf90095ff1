import { SECOND } from '../../ops/units.ts'
import type { Problem } from '../errors.ts'
import type { Reply } from '../http/exchange.ts'
import { problemReply } from '../http/respond.ts'
import { MAY_BE_PAID } from '../settlement/facilitatorSettlement.ts'
import { paidAlready } from '../settlement/paidAlready.ts'
import type { ChainRefusal, Settled } from '../settlement/port.ts'
import { isCheapLook } from './cheapLook.ts'
import { refusalOf, type Sale } from './sale.ts'
import { isKeptStill, paidLate, refuseUnproven } from './submittedElsewhere.ts'
import { isOver, refuseTerms, type TermsRefusal } from './terms.ts'
import { wasUsed } from './wasUsed.ts'

/*
 * Where a payment stands that no claim of ours has taken further: its window, and its money. A nonce that is used although we
 * never claimed it may be this very payment, sent to the chain by somebody else (RPL-13): then it is paid, and buys what it is for.
 */

export const LONG_AGO: Problem = {
  problem: 'answer_expired',
  detail: 'The chain says that this authorization was used or cancelled.',
}

/** Where its money is already, as the chain shows it; null: it has still to move. */
export type Standing = { paid: Settled | null }

/** Unix seconds, as terms count them. */
const secondsOf = (ms: number): bigint => BigInt(Math.floor(ms / SECOND))

export const termsRefusalOf = ({ parsed, sold, nowMs }: Sale): TermsRefusal | null =>
  refuseTerms(parsed, sold.offer, secondsOf(nowMs))

/**
 * Whether its time to pay is over, for a payment that may be worth its answer all the same: it was used, and so short ago
 * that no claim for it can have been forgotten. @returns a Reply for what buys nothing by its terms.
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

/** Of a payment whose window is over: it buys only if it paid us in time, and only for its payer. */
export async function standingOnceOver(sale: Sale): Promise<Standing | Reply> {
  const { payment, ports } = sale
  //  before the search, which costs more than any other look
  const unproven = await unprovenOf(sale)
  if (unproven !== null) return problemReply(unproven)
  const paid = await paidLate(payment, ports.chain, ports.clock.nowMs() - ports.answerTtlMs)
  return paid === null ? problemReply(LONG_AGO) : { paid }
}

/**
 * Of a payment whose window is open: whether it would go through now, or has gone through without us. The refusal of a used
 * nonce says nothing of the signature, so that is proven here too.
 * @param isFirst whether no claim of ours knows it.
 */
export async function standingWhileOpen(isFirst: boolean, sale: Sale): Promise<Standing | Reply> {
  const { payment, sold, ports } = sale
  const isOfPayerIfPaid = isFirst && !isCheapLook(sold.good)
  const refusal = await refusalNow(isOfPayerIfPaid, sale)
  if (refusal === null) return { paid: null }
  const paid = (await mayBePaid(refusal, sale))
    ? await paidAlready(payment, ports.chain, ports.clock.nowMs())
    : null
  if (paid === null) return refusalOf(refusal, sale)
  const unproven = isOfPayerIfPaid ? await unprovenOf(sale) : null
  return unproven === null ? { paid } : problemReply(unproven)
}

const unprovenOf = ({ payment, proof, key, ports }: Sale): Promise<Problem | null> =>
  refuseUnproven(payment, proof, async () => (await ports.ledger.find(key)) !== null, ports.chain)

/**
 * Why it would not go through now. Not every facilitator looks at the nonce, nor has the newest block: where only the payer may
 * have what is paid already, the token is asked too, or who read a payment on the chain had it claimed as an unpaid one.
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

/** A facilitator may tell of the wallet that somebody else's submission has emptied before it tells of the nonce; the token does not. */
async function mayBePaid(
  refusal: ChainRefusal,
  { payment: { asset, authorization }, ports: { settlement, chain } }: Sale,
): Promise<boolean> {
  if (refusal === 'nonce_used') return true
  if (settlement.via !== 'facilitator' || !MAY_BE_PAID.has(refusal)) return false
  return await chain.isUsed(asset, authorization.from, authorization.nonce)
}
