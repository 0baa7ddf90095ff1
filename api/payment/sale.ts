import type { Clock } from '../../ops/clock.ts'
import type { FaultPoint } from '../../ops/faultPoint.ts'
import { redemptionOf } from '../entitlements/redemption.ts'
import { isProblem, PROBLEMS, type Problem, type ProblemCode } from '../errors.ts'
import type { Good, GoodPorts } from '../goods/good.ts'
import type { Reply } from '../http/exchange.ts'
import { problemReply } from '../http/respond.ts'
import type { CreditLedger } from '../ledger/credits.ts'
import { authorizationKey, type Claim, type ClaimKey, type Ledger } from '../ledger/ledger.ts'
import type { FinalityGate } from '../settlement/finalityGate.ts'
import type { Classifier, Payment, PaymentChain } from '../settlement/port.ts'
import type { Listing, Settlement } from '../settlement/settlement.ts'
import type { AnswerPorts } from './answer.ts'
import type { Challenge } from './challenge.ts'
import type { NamedPurchase } from './extensions/paymentIds.ts'
import type { SecondPorts } from './extensions/refuseSecond.ts'
import { fingerprintOf, paymentHashOf, questionOf } from './fingerprint.ts'
import { type Asked, type Call, readAsked } from './input.ts'
import type { Proof } from './payerProof.ts'
import { type ExactPayment, parsePayment } from './payload.ts'
import type { Offer } from './terms.ts'

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
  paymentClock: Clock //  the later of it and the newest block's time
  chainId: number
  settleWaitMs: number
  answerTtlMs: number // how long a delivered claim is kept after its window
  faultPoint: FaultPoint
}

/** One request with a payment: what it shows, where it shows it, and when. */
export type Sale = {
  sold: Sold
  ports: X402Ports
  call: Call
  nowMs: number //              by the payment clock, when it came
  parsed: ExactPayment
  payment: Payment //           the same, with what its signature is checked by
  isUnlisted: boolean //        by a wallet that we would not deploy: it pays for nothing new
  asked: Asked
  redemption: string | null //  the secret of the offer that it took up
  key: ClaimKey
  fingerprint: string //        of what is asked for, at the current price
  paymentHash: string
  purchase: NamedPurchase | null // null: the buyer gave it no id
  proof: Proof
}

/** Reads what a request shows, and asks nobody. @returns a Reply when it is refused. */
export function readSale(header: string, call: Call, sold: Sold, ports: X402Ports): Sale | Reply {
  const { good, offer } = sold
  const nowMs = ports.paymentClock.nowMs()
  const parsed = parsePayment(header)
  if ('refusal' in parsed) return unreadable({ problem: parsed.refusal, detail: parsed.why }, sold, nowMs)
  ports.faultPoint('CP1')

  const { authorization } = parsed
  const classified = ports.classify(authorization, parsed.signature)
  if ('refusal' in classified) return refusalOf(classified.refusal, { sold, nowMs })
  const { unlisted: isUnlisted = false, ...signed } = classified
  const asset = offer.asset.toLowerCase() as Payment['asset']
  const payment: Payment = { chainId: ports.chainId, asset, authorization, ...signed }
  const asked = readAsked(call)
  if (isProblem(asked)) return problemReply(asked)

  const redemption = redemptionOf(parsed.accepted.extra)
  const fingerprint = fingerprintOf(good.path, asked, good.sku, offer)
  const key = authorizationKey(payment)
  const id = parsed.paymentId
  return {
    sold,
    ports,
    call,
    nowMs,
    parsed,
    payment,
    isUnlisted,
    asked,
    redemption,
    key,
    fingerprint,
    paymentHash: paymentHashOf(authorization, payment.signature, redemption),
    purchase:
      id === null
        ? null
        : { payer: authorization.from, id, key, fingerprint, asks: questionOf(good.path, asked, good.sku) },
    proof: { authorization, publicUrl: ports.answers.publicUrl, signature: call.payerSignature },
  }
}

/** Whether this is the claim's payment in everything the claim is bound to, the secret of its offer included. */
export const isPaymentOf = (claim: Pick<Claim, 'paymentHash'>, { paymentHash }: Sale): boolean =>
  claim.paymentHash === paymentHash

export const isReply = (value: object): value is Reply => 'status' in value

/** 402 with the offer; if the fault is ours, 503 with Retry-After, which asks for no new payment (503R). */
export const refusalOf = (
  code: ProblemCode,
  { sold, nowMs }: Pick<Sale, 'sold' | 'nowMs'>,
  headers: Reply['headers'] = [],
): Reply =>
  PROBLEMS[code].status === 503
    ? problemReply({ problem: code }, headers)
    : sold.challenge(code, nowMs, headers)

/** A refused header still shows what to pay, and why it does not count, so that an agent can recover by itself. */
export const unreadable = (problem: Problem, sold: Pick<Sold, 'challenge'>, nowMs: number): Reply =>
  problemReply(
    problem,
    sold.challenge(problem.problem, nowMs).headers.filter(([name]) => name === 'payment-required'),
  )
