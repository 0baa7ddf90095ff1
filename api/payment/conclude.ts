import { randomUUID } from 'node:crypto'
import type { Problem, ProblemCode } from '../errors.ts'
import { isProblem } from '../errors.ts'
import type { Draft } from '../goods/good.ts'
import type { Reply } from '../http/exchange.ts'
import { problemReply } from '../http/respond.ts'
import type { Claim, ClaimTerms } from '../ledger/ledger.ts'
import { NAMED_MAX_BYTES } from '../settlement/namedBytes.ts'
import type { Settled } from '../settlement/port.ts'
import { verdictOfFate } from '../settlement/verdictOfFate.ts'
import { deliveredReply, failedResponse } from './answer.ts'
import { noteCrowded } from './crowded.ts'
import { deliverClaim } from './deliver.ts'
import { fresherDraftOf } from './draftOf.ts'
import { isOfQuestion } from './fingerprint.ts'
import { readInput } from './input.ts'
import { isByPayer, proofWanted } from './payerProof.ts'
import { isRefund } from './refundMark.ts'
import { isPaymentOf, refusalOf, type Sale, type Sold } from './sale.ts'
import { LONG_AGO } from './standing.ts'
import type { Offer } from './terms.ts'

/** How long a payer is asked to wait while the payment is being settled. */
export const PENDING_RETRY_S = 2
export const CROWDED: Problem = { problem: 'too_many_open', retryAfterS: PENDING_RETRY_S }

/** A payment that we have seen before: its stored answer, or its settlement taken further. */
export async function resume(known: Claim, sale: Sale): Promise<Reply> {
  const { sold, asked, proof } = sale
  //  A payer who lost the header gets the answer by signing; somebody who copied the payment can do neither, and is told
  //  the same whatever they ask: by trying questions they would learn what the payer had asked.
  const isTheirs = isPaymentOf(known, sale) || (known.state === 'settled' && (await isByPayer(proof)))
  if (!isTheirs) return problemReply({ problem: 'bound_elsewhere', extra: proofWanted(proof) })
  if (!isOfQuestion(known, sold.good.path, asked)) return problemReply({ problem: 'bound_elsewhere' })
  return known.state === 'settling' ? await claimAndSettle(known, sale) : await conclude(known, sale)
}

/**
 * A refused payment past its window: somebody may have submitted it meanwhile, so the chain is asked before the buyer
 * is told to sign another one (I5).
 */
export async function lookBack(known: Claim, sale: Sale): Promise<Reply> {
  const { payment, ports } = sale
  const { ledger, chain, chainId } = ports
  const { from, nonce } = payment.authorization
  const fate = await chain.fate(payment.asset, from, nonce, known.createdMs, NAMED_MAX_BYTES)
  const verdict = verdictOfFate(fate, payment)
  if (verdict.kind === 'settled') await ledger.recordSettled(known.key, verdict.settled, chainId)
  else if (verdict.kind === 'void') await ledger.recordRefused(known.key, verdict.reason, 'refused')
  else return await conclude(null, sale)
  return await conclude(await ledger.find(known.key), sale)
}

/**
 * From here on every outcome but a stored answer or a refusal by the chain says "send the same again".
 * @param paid where the money has moved already, as the chain shows it; null: it has not.
 */
export async function claimAndSettle(
  terms: ClaimTerms,
  sale: Sale,
  paid: Settled | null = null,
): Promise<Reply> {
  const { key, payment, sold, ports } = sale
  const owner = randomUUID()
  const outcome = await ports.ledger.claim(key, owner, terms, payment, paid !== null)
  ports.faultPoint('CP4')
  if (outcome === 'bound') return problemReply({ problem: 'bound_elsewhere' })
  if (outcome === 'crowded') {
    noteCrowded(payment)
    return problemReply(CROWDED)
  }
  if (outcome !== 'won' && outcome !== 'retake')
    return await conclude(await ports.ledger.whenDecided(key, ports.settleWaitMs), sale)
  if (paid === null) {
    const offer = offerOf(terms, sold)
    const job = { key, payment, offer, listing: sold.listing, owner, retake: outcome === 'retake' }
    return await conclude(await ports.settlement.settle(job, ports.settleWaitMs), sale)
  }
  const recorded = await ports.ledger.recordSettled(key, paid, ports.chainId)
  return recorded === 'taken'
    ? problemReply(LONG_AGO) //  it was delivered once, and forgotten
    : await conclude(await ports.ledger.find(key), sale)
}

/** What the payment was claimed for: price and receiver may have changed since, and it is asked for unchanged (FAC-14). */
function offerOf({ amountMicroUsdc, payTo }: ClaimTerms, { offer }: Sold): Offer {
  const amount = amountMicroUsdc.toString()
  return offer.amount === amount && offer.payTo === payTo ? offer : { ...offer, amount, payTo }
}

/** What to say once the claim is decided, or when the time to wait for that is over. */
async function conclude(claim: Claim | null, sale: Sale): Promise<Reply> {
  const { sold, ports } = sale
  const { network } = sold.offer
  if (claim === null || claim.state === 'settling')
    return problemReply({ problem: 'settlement_pending', retryAfterS: PENDING_RETRY_S }, [
      ['payment-response', failedResponse('settlement_pending', network, claim?.txs.at(-1))],
    ])
  if (claim.state === 'settled') {
    ports.faultPoint('CP8')
    return await deliver(claim, await fresherDraft(claim, sale), sale)
  }
  //  Refused and void alike: the chain has shown that no money moved (x402-v2 1.6).
  const reason = (claim.reason ?? 'transfer_failed') as ProblemCode
  return refusalOf(reason, sale, [['payment-response', failedResponse(reason, network, '', claim.payer)]])
}

/** An answer is as public as its question; money given back is its payer's alone. */
async function deliver(claim: Claim, fresher: Draft | null, sale: Sale): Promise<Reply> {
  const { ports, proof, redemption } = sale
  const answer = await deliverClaim(claim, fresher, ports)
  ports.faultPoint('CP11')
  const hasSecret = redemption !== null && isPaymentOf(claim, sale)
  if (isRefund(answer.body) && !hasSecret && !(await isByPayer(proof)))
    return problemReply({ problem: 'refund_unproven', extra: proofWanted(proof) })
  return deliveredReply(answer)
}

/** A draft from the newest data at the moment of settlement; null, for the claim's own draft, if there is none. */
async function fresherDraft(claim: Claim, { sold, asked, ports }: Sale): Promise<Draft | null> {
  if (claim.answer !== null || claim.snapshotVersion === null) return null
  const input = readInput(sold.good, asked)
  return isProblem(input)
    ? null
    : await fresherDraftOf(sold.good, input.input, ports.goods, claim.snapshotVersion)
}
