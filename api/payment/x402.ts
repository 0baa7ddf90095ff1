import { randomUUID } from 'node:crypto'
import type { Clock } from '../../ops/clock.ts'
import { UnavailableError } from '../../ops/errors.ts'
import type { FaultPoint } from '../../ops/faultPoint.ts'
import { tokenKindOf } from '../entitlements/issue.ts'
import { redemptionOf } from '../entitlements/redemption.ts'
import { isProblem, PROBLEMS, type Problem, type ProblemCode } from '../errors.ts'
import type { Draft, Good, GoodPorts } from '../goods/good.ts'
import type { Reply } from '../http/exchange.ts'
import { problemReply } from '../http/respond.ts'
import type { CreditLedger } from '../ledger/credits.ts'
import {
  authorizationKey,
  type Claim,
  type ClaimKey,
  type ClaimTerms,
  type Ledger,
} from '../ledger/ledger.ts'
import { MAY_BE_PAID } from '../settlement/facilitatorSettlement.ts'
import type { FinalityGate } from '../settlement/finalityGate.ts'
import { NAMED_MAX_BYTES } from '../settlement/namedBytes.ts'
import { paidAlready } from '../settlement/paidAlready.ts'
import type { ChainRefusal, Classifier, Payment, PaymentChain, Settled } from '../settlement/port.ts'
import type { Listing, Settlement } from '../settlement/settlement.ts'
import { verdictOfFate } from '../settlement/verdictOfFate.ts'
import { type AnswerPorts, deliveredReply, failedResponse } from './answer.ts'
import type { Challenge } from './challenge.ts'
import { isCheapLook } from './cheapLook.ts'
import { creditToOf } from './creditTo.ts'
import { isCrowdedStill, noteCrowded } from './crowded.ts'
import { deliverClaim } from './deliver.ts'
import { draftOf, fresherDraftOf } from './draftOf.ts'
import { refuseSecond, type SecondPorts } from './extensions/refuseSecond.ts'
import { fingerprintOf, isOfQuestion, paymentHashOf } from './fingerprint.ts'
import { type Asked, type Call, readAsked, readInput } from './input.ts'
import { isByPayer, type Proof, proofWanted } from './payerProof.ts'
import { parsePayment } from './payload.ts'
import { isRefund } from './refundMark.ts'
import { isKeptStill, paidLate, refuseUnproven } from './submittedElsewhere.ts'
import { isOver, type Offer, refuseTerms } from './terms.ts'
import { wasUsed } from './wasUsed.ts'

/** What a path needs to be sold. */
export type Sold = { good: Good<unknown>; offer: Offer; challenge: Challenge; listing: Listing }

export type X402Ports = Pick<SecondPorts, 'paymentIds'> & {
  ledger: Ledger
  credits: CreditLedger
  settlement: Settlement
  chain: PaymentChain
  finality: FinalityGate
  classify: Classifier
  goods: GoodPorts
  answers: AnswerPorts
  clock: Clock
  chainId: number
  settleWaitMs: number
  answerTtlMs: number // how long a delivered claim is kept after its window
  faultPoint: FaultPoint
}

const PENDING_RETRY_S = 2
const CROWDED: Problem = { problem: 'too_many_open', retryAfterS: PENDING_RETRY_S }
const LONG_AGO: Problem = {
  problem: 'answer_expired',
  detail: 'The chain says that this authorization was used or cancelled.',
}

/**
 * One GET with a PAYMENT-SIGNATURE, in the order of faults.md section 2: read → known claim? → terms →
 * parameters → would it settle? → answer computed → claim → settle → answer stored → out. Until the claim
 * nothing is written and nothing moves; after it every end but a stored answer says "send the same again".
 */
export async function sellByX402(header: string, call: Call, sold: Sold, ports: X402Ports): Promise<Reply> {
  const { good, offer, challenge } = sold
  const nowMs = ports.clock.nowMs()
  const refuse = (code: ProblemCode) => refusalOf(code, challenge, nowMs)

  const parsed = parsePayment(header)
  if ('refusal' in parsed)
    return problemReply({ problem: parsed.refusal, detail: parsed.why }, paymentRequiredOf(sold, nowMs))
  ports.faultPoint('CP1')

  const classified = ports.classify(parsed.authorization, parsed.signature)
  if ('refusal' in classified) return refuse(classified.refusal)
  const payment: Payment = {
    chainId: ports.chainId,
    asset: offer.asset.toLowerCase() as Payment['asset'],
    authorization: parsed.authorization,
    ...classified,
  }
  const asked = readAsked(call)
  if (isProblem(asked)) return problemReply(asked)

  const fingerprint = fingerprintOf(good.path, asked, good.sku, offer)
  const redemption = redemptionOf(parsed.accepted.extra)
  const paymentHash = paymentHashOf(payment.authorization, payment.signature, redemption)
  const key = authorizationKey(payment)
  const purchase =
    parsed.paymentId === null
      ? null
      : { payer: payment.authorization.from, id: parsed.paymentId, key, fingerprint }

  const { publicUrl } = ports.answers
  const proof = { authorization: payment.authorization, publicUrl, signature: call.payerSignature }
  const sale: Sale = { sold, asked, ports, nowMs, proof, isBound: redemption !== null }

  try {
    const known = await ports.ledger.find(key)
    if (known !== null && known.state !== 'refused') {
      if (!isOfQuestion(known, good.path, asked)) return problemReply({ problem: 'bound_elsewhere' })
      const isSame = known.paymentHash === paymentHash
      if (!isSame && !(await isTheirs(known, proof)))
        return problemReply({ problem: 'bound_elsewhere', extra: proofWanted(proof) })
      return await resume(known, payment, { ...sale, isBound: sale.isBound && isSame })
    }

    //  Only whom the signature proves learns here what the id is bound to; a wallet's is proven further down.
    const second = payment.signer === 'ecdsa' ? await refuseSecond('look', purchase, ports) : null
    if (second !== null) return problemReply(second)
    const nowS = BigInt(Math.floor(nowMs / 1000))
    const termsRefusal = refuseTerms(parsed, offer, nowS)
    const isSame = known?.fingerprint === fingerprint && known.paymentHash === paymentHash
    if (known !== null && isSame && termsRefusal === 'expired') return await lookBack(known, payment, sale)
    if (termsRefusal !== null) {
      const { authorization } = payment
      const isPast = isOver(authorization, nowS) && authorization.to === offer.payTo.toLowerCase()
      if (!isPast || !(await wasUsed(payment, ports.chain))) return refuse(termsRefusal)
      if (termsRefusal !== 'expired' || !(await isKeptStill(payment, ports))) return problemReply(LONG_AGO)
    }
    const isLate = termsRefusal !== null
    const unproven = () =>
      refuseUnproven(payment, proof, async () => (await ports.ledger.find(key)) !== null, ports.chain)
    //  before its search, which costs more than any other look
    const unprovenLate = isLate ? await unproven() : null
    if (unprovenLate !== null) return problemReply(unprovenLate)
    if (redemption === null && tokenKindOf(good) !== null) return refuse('redemption_missing')
    const input = readInput(good, asked)
    if (isProblem(input)) return problemReply(input)

    const creditTo = await creditToOf(good, call, payment.authorization.from, ports)
    if (isProblem(creditTo)) return problemReply(creditTo)
    if (known === null && !isLate && (await isCrowdedStill(payment, ports))) return problemReply(CROWDED)
    const isFirstOfDear = known === null && !isCheapLook(good)
    const refusal = isLate ? 'nonce_used' : await refusalNow(payment, sold, isFirstOfDear, ports)
    // A nonce that is used although we never claimed it may be this very payment, sent to the chain by somebody
    // else (RPL-13). The refusal says nothing of the signature, so this is where it is proven; its window is
    // still open, or over for less long than claims of ours are kept, so none can have been pruned.
    const paid = isLate
      ? await paidLate(payment, ports.chain, nowMs - ports.answerTtlMs)
      : (await mayBePaid(refusal, payment, ports))
        ? await paidAlready(payment, ports.chain, ports.clock.nowMs())
        : null
    if (refusal !== null && paid === null) return isLate ? problemReply(LONG_AGO) : refuse(refusal)
    const isOpenToAll = paid === null || isLate || !isFirstOfDear
    const unprovenPaid = isOpenToAll ? null : await unproven()
    if (unprovenPaid !== null) return problemReply(unprovenPaid)
    const draft = await draftOf(good, input.input, ports.goods)
    //  it is paid: whoever hears that nothing was charged signs another one (I5)
    if (isProblem(draft) && paid !== null && PROBLEMS[draft.problem].status === 503)
      return problemReply({
        problem: 'settlement_pending',
        retryAfterS: draft.retryAfterS ?? PENDING_RETRY_S,
      })
    if (isProblem(draft)) return problemReply(draft)
    ports.faultPoint('CP3')

    const beaten = await refuseSecond('bind', purchase, ports)
    if (beaten !== null) return problemReply(beaten)
    const terms = termsOf(sold, payment, { fingerprint, paymentHash, creditTo }, draft, ports)
    const found = paid === null ? {} : { foundTx: paid.tx }
    return await claimAndSettle(key, { ...terms, ...found }, payment, sale, paid)
  } catch (error) {
    if (error instanceof UnavailableError) return problemReply({ problem: error.code as ProblemCode })
    throw error
  }
}

/**
 * Why it would not go through now. Not every facilitator looks at the nonce, nor has the newest block: where only the payer may
 * have what is paid already, the token is asked too, or who read a payment on the chain had it claimed as an unpaid one.
 */
const refusalNow = async (
  payment: Payment,
  { offer, listing }: Sold,
  isOfPayerIfPaid: boolean,
  { settlement, chain }: X402Ports,
): Promise<ChainRefusal | null> => {
  const { from, nonce } = payment.authorization
  const refusal = await settlement.refuse(payment, offer, listing)
  const asksToken = refusal === null && settlement.via === 'facilitator' && isOfPayerIfPaid
  return asksToken && (await chain.isUsed(payment.asset, from, nonce)) ? 'nonce_used' : refusal
}

/** A facilitator may tell of the wallet that somebody else's submission has emptied before it tells of the nonce; the token does not. */
const mayBePaid = async (
  refusal: ChainRefusal | null,
  { asset, authorization: { from, nonce } }: Payment,
  { settlement, chain }: X402Ports,
): Promise<boolean> =>
  refusal === 'nonce_used' ||
  (refusal !== null &&
    settlement.via === 'facilitator' &&
    MAY_BE_PAID.has(refusal) &&
    (await chain.isUsed(asset, from, nonce)))

/** @property isBound whether the payment carries the secret it was claimed with. */
type Sale = { sold: Sold; asked: Asked; ports: X402Ports; nowMs: number; proof: Proof; isBound: boolean }

/**
 * A payment that was refused and whose window is over: somebody may have submitted it meanwhile, so the chain is asked
 * before anybody is told to sign another one (I5).
 */
async function lookBack(known: Claim, payment: Payment, sale: Sale): Promise<Reply> {
  const { ledger, chain, chainId } = sale.ports
  const { from, nonce } = payment.authorization
  const fate = await chain.fate(payment.asset, from, nonce, known.createdMs, NAMED_MAX_BYTES)
  const verdict = verdictOfFate(fate, payment)
  if (verdict.kind === 'settled') await ledger.recordSettled(known.key, verdict.settled, chainId)
  else if (verdict.kind === 'void') await ledger.recordRefused(known.key, verdict.reason, 'refused')
  else return await conclude(null, sale)
  return await conclude(await ledger.find(known.key), sale)
}

/** Who lost the header of a settled payment may have its answer by a signature; who copied the payment has neither. */
const isTheirs = async (known: Claim, proof: Proof): Promise<boolean> =>
  known.state === 'settled' && (await isByPayer(proof))

/** A payment we have seen before, with the same request: its stored answer, or its settlement taken further. */
async function resume(known: Claim, payment: Payment, sale: Sale): Promise<Reply> {
  if (known.state === 'settling') return await claimAndSettle(known.key, known, payment, sale)
  return await conclude(known, sale)
}

/** @param paid where its money is already, as the chain shows it. */
async function claimAndSettle(
  key: ClaimKey,
  terms: ClaimTerms,
  payment: Payment,
  sale: Sale,
  paid: Settled | null = null,
): Promise<Reply> {
  const { sold, ports } = sale
  const owner = randomUUID()
  const outcome = await ports.ledger.claim(key, owner, terms, payment, paid !== null)
  ports.faultPoint('CP4')
  if (outcome === 'bound') return problemReply({ problem: 'bound_elsewhere' })
  if (outcome === 'crowded') {
    noteCrowded(payment)
    return problemReply(CROWDED)
  }
  if (paid !== null && (outcome === 'won' || outcome === 'retake')) {
    const recorded = await ports.ledger.recordSettled(key, paid, ports.chainId)
    return recorded === 'taken'
      ? problemReply(LONG_AGO) //  it was delivered once, and forgotten
      : await conclude(await ports.ledger.find(key), sale)
  }
  if (outcome === 'won' || outcome === 'retake') {
    const { offer, listing } = sold
    const job = { key, payment, offer, listing, owner, retake: outcome === 'retake' }
    return await conclude(await ports.settlement.settle(job, ports.settleWaitMs), sale)
  }
  return await conclude(await ports.ledger.whenDecided(key, ports.settleWaitMs), sale)
}

/** What to say once the claim is decided, or when the time to wait for that is over. */
async function conclude(claim: Claim | null, sale: Sale): Promise<Reply> {
  const { sold, asked, ports, nowMs } = sale
  const { network } = sold.offer
  if (claim === null || claim.state === 'settling')
    return problemReply({ problem: 'settlement_pending', retryAfterS: PENDING_RETRY_S }, [
      ['payment-response', failedResponse('settlement_pending', network, claim?.txs.at(-1))],
    ])
  if (claim.state === 'settled') {
    ports.faultPoint('CP8')
    return await deliver(claim, await fresherDraft(claim, sold.good, asked, ports.goods), sale)
  }
  //  Refused and void alike: the chain has shown that no money moved (x402-v2 1.6).
  const reason = (claim.reason ?? 'transfer_failed') as ProblemCode
  return refusalOf(reason, sold.challenge, nowMs, [
    ['payment-response', failedResponse(reason, network, '', claim.payer)],
  ])
}

/** 402 with the offer; what is our trouble or the token's is 503 with Retry-After, and asks for no new payment (503R). */
const refusalOf = (
  code: ProblemCode,
  challenge: Challenge,
  nowMs: number,
  headers: Reply['headers'] = [],
): Reply =>
  PROBLEMS[code].status === 503 ? problemReply({ problem: code }, headers) : challenge(code, nowMs, headers)

/** An answer is as public as its question; money given back is its payer's alone. */
async function deliver(claim: Claim, fresher: Draft | null, { ports, proof, isBound }: Sale): Promise<Reply> {
  const answer = await deliverClaim(claim, fresher, ports)
  ports.faultPoint('CP11')
  if (isRefund(answer.body) && !isBound && !(await isByPayer(proof)))
    return problemReply({ problem: 'refund_unproven', extra: proofWanted(proof) })
  return deliveredReply(answer)
}

/** The newest data there is at the moment of settlement; the draft of the claim when it cannot be had now. */
async function fresherDraft(
  claim: Claim,
  good: Good<unknown>,
  asked: Asked,
  goods: GoodPorts,
): Promise<Draft | null> {
  if (claim.answer !== null || claim.snapshotVersion === null) return null
  const input = readInput(good, asked)
  return isProblem(input) ? null : await fresherDraftOf(good, input.input, goods, claim.snapshotVersion)
}

function termsOf(
  { good, offer }: Sold,
  payment: Payment,
  bound: Pick<ClaimTerms, 'fingerprint' | 'paymentHash' | 'creditTo'>,
  draft: Draft,
  { settlement }: X402Ports,
): ClaimTerms {
  return {
    ...bound,
    sku: good.sku,
    path: good.path,
    purchasePath: 'x402',
    via: settlement.via,
    network: offer.network,
    asset: offer.asset,
    payTo: offer.payTo,
    payer: payment.authorization.from,
    amountMicroUsdc: payment.authorization.value,
    snapshotVersion: draft.snapshotVersion,
    draft: JSON.stringify(draft),
  }
}

/** A refused header still shows what to pay, so that an agent can recover by itself. */
const paymentRequiredOf = (sold: Sold, nowMs: number) =>
  sold.challenge('payment_required', nowMs).headers.filter(([name]) => name === 'payment-required')
