import { SECOND, usdcNumber } from '../../ops/units.ts'
import { accountPayer, CREDIT_NETWORK } from '../entitlements/credit.ts'
import { isProblem, PROBLEMS, type Problem } from '../errors.ts'
import type { Draft, Sellable } from '../goods/good.ts'
import { sellableOfSku } from '../goods/index.ts'
import { referralShare } from '../ledger/cards.ts'
import type { Referral } from '../ledger/intentClaims.ts'
import { intentClaimKey } from '../ledger/intentKeys.ts'
import type { Claim, ClaimTerms } from '../ledger/ledger.ts'
import { deliverClaim } from '../payment/deliver.ts'
import { draftOf } from '../payment/draftOf.ts'
import { fewEach } from '../payment/fewEach.ts'
import { RAIL_SPECS } from '../rails/records.ts'
import { canonicalJson, sha256Hex } from '../receipts/canonical.ts'
import { isUnclaimed, paidMicro, payingOf, refund } from './book.ts'
import { encodeIntent, type Intent, nextState } from './intent.ts'
import { inputOf } from './item.ts'
import { change, type Read, readIntent } from './money.ts'
import { networkOf, paidOf } from './paid.ts'
import type { ClassicPorts } from './ports.ts'
import { isThere, whereabouts } from './whereabouts.ts'

/** A paid purchase that cannot be answered for longer than this is given up: the money becomes store credit. */
export const REFUND_AFTER_MS = 60 * SECOND
const TRIES = 5

type Answer = { body: string; paymentResponse: string }
type Payload = Record<string, unknown>

/**
 * The answer of an intent that has its money: made once, stored, and the same bytes whenever it is requested again.
 * @param buyer the intent's buyer, as named in this request.
 * @param payload as sent now; null: none came. Only the first one counts (CLS-18).
 * @param sentAgain the request names a transfer that is not found yet, or not deep enough.
 */
export async function deliverIntent(
  name: string,
  buyer: string,
  payload: Payload | null,
  ports: ClassicPorts,
  sentAgain = false,
): Promise<Answer | Problem> {
  let isOurs = false //  claimed by this request, a moment after it saw that the money is there
  for (let tries = 0; tries < TRIES; tries++) {
    const read = await readIntent(name, ports)
    if (read === null) return { problem: 'intent_unknown' }
    const { intent } = read
    const good = sellableOfSku(intent.sku)
    if (good === undefined) return { problem: 'sku_unknown' }
    const asked = payloadOf(intent, payload)
    if (isProblem(asked)) return asked
    const known = await ports.ledger.find(intentClaimKey(name))
    if (known !== null) {
      const same = [fingerprintOf(name, intent, asked), formerFingerprintOf(name, intent, buyer, asked)]
      if (payload !== null && !same.includes(known.fingerprint)) return { problem: 'bound_elsewhere' }
      //  else the process that claimed it died before its answer, and the money may have left since
      const isSure = isOurs || known.answer !== null
      const waits = isSure ? null : await waitsForMoney(intent, ports, sentAgain)
      if (waits !== null) return waits
      return await finish(name, known, ports)
    }
    const claimed = await claimAnswer(read, good, asked, ports, sentAgain)
    if (isProblem(claimed)) return claimed
    isOurs = claimed === 'won'
    if (isOurs) ports.faultPoint('CP8')
  }
  return { problem: 'settlement_pending' }
}

/** Composes the answer and binds the intent's money to it. @returns without a problem: to be looked at anew. */
async function claimAnswer(
  { name, version, intent }: Read,
  good: Sellable<unknown>,
  asked: Payload,
  ports: ClassicPorts,
  sentAgain: boolean,
): Promise<'won' | 'settled' | 'changed' | Problem> {
  if (intent.state === 'Delivered' || intent.claimed) return { problem: 'answer_expired' }
  if (intent.state !== 'Confirmed') return { problem: 'intent_lapsed' }
  const input = inputOf(good, asked)
  if (isProblem(input)) return input
  const draft = await fewEach(name, good, input.input, () => draftOf(good, input.input, ports.goods))
  if (isProblem(draft)) return await notNow(name, intent, draft, ports)
  const waits = await waitsForMoney(intent, ports, sentAgain)
  if (waits !== null) return waits
  const terms = termsOf(name, intent, good, draft, asked, ports.answers)
  const [paying] = payingOf(intent)
  const settled = paying ?? { tx: intentClaimKey(name), index: 0, atMs: intent.createdMs }
  const outcome = await ports.intents.claim(name, version, terms, settled, {
    hold: intent.hold === null ? null : { purchase: name, micro: intent.hold.micro, holder: intent.hold },
    saleBuyer: intent.saleBuyer,
    referral: referralOf(intent),
    body: encodeIntent({ ...intent, claimed: true }),
  })
  if (outcome === 'bound') return { problem: 'bound_elsewhere' }
  if (outcome === 'sale_over') return { problem: 'sale_over' }
  if (outcome === 'hold_gone') {
    await change(name, refund, ports)
    return { problem: 'intent_lapsed' }
  }
  return outcome
}

const GONE_NEXT =
  'The money that paid is not on its chain now; nothing is given before it is back. Most returns within minutes: POST /fulfill again after Retry-After.'
/** What follows if nothing is bound to that money: other money can take its place. */
const GONE_FOR_GOOD_NEXT =
  'If your wallet shows that its transaction was dropped for good and you have sent no other, send the same amount once more before settlement.expiresAt (later, open another intent), then POST /fulfill with its txHash; if both arrive, one of them is store credit.'
/** Other money is on its way. */
const SENT_AGAIN_NEXT =
  'The transaction of this request is not found yet, or not deep enough to take its place: send no more money; repeat this request.'

/** null: its money is there, deep enough. */
async function waitsForMoney(
  intent: Intent,
  { rails }: Pick<ClassicPorts, 'rails'>,
  sentAgain: boolean,
): Promise<Problem | null> {
  const place = await whereabouts(intent, rails)
  if (isThere(place)) return null
  if (place !== 'gone') return { problem: 'settlement_pending' }
  const then = sentAgain ? SENT_AGAIN_NEXT : GONE_FOR_GOOD_NEXT
  const next = isUnclaimed(intent) ? `${GONE_NEXT} ${then}` : GONE_NEXT
  return { problem: 'settlement_pending', extra: { next } }
}

async function finish(name: string, claim: Claim, ports: ClassicPorts): Promise<Answer> {
  const answer = await deliverClaim(claim, null, ports)
  await change(
    name,
    (now) => (now.state === 'Confirmed' ? { ...now, state: nextState(now.state, 'delivered') } : now),
    ports,
  )
  return answer
}

/** Refused for now: the caller learns of an input fault; an answer that we cannot give becomes store credit in time. */
async function notNow(name: string, intent: Intent, problem: Problem, ports: ClassicPorts): Promise<Problem> {
  if (PROBLEMS[problem.problem].status < 500) return problem
  const nowMs = ports.clock.nowMs()
  if (intent.failedMs === null) {
    await change(name, (now) => (now.state === 'Confirmed' ? { ...now, failedMs: nowMs } : now), ports)
    return problem
  }
  if (nowMs - intent.failedMs < REFUND_AFTER_MS) return problem
  if (!isThere(await whereabouts(intent, ports.rails))) return problem
  const after = await change(name, refund, ports)
  if (after === 'taken' || after.state !== 'Refunded') return { problem: 'settlement_pending' }
  if (intent.hold !== null) await ports.credits.endHold(name, intent.hold.account, 'released')
  return { problem: 'intent_lapsed', detail: 'It could not be delivered; the money is store credit.' }
}

/** The input of the answer: the intent's own payload if it has one, else the one sent now. */
function payloadOf(intent: Intent, payload: Payload | null): Payload | Problem {
  if (intent.input === null) return payload ?? {}
  const kept = JSON.parse(intent.input) as Payload
  if (payload !== null && canonicalJson(payload) !== canonicalJson(kept))
    return { problem: 'bound_elsewhere', detail: 'payload: differs from the one the intent was opened with.' }
  return kept
}

/** What a claim earns for the account that referred the buyer: a share of the money that came, not of spent credit. */
export function referralOf(intent: Intent): Referral | null {
  const micro = referralShare(paidMicro(intent))
  return intent.referral === '' || micro === 0n ? null : { account: intent.referral, micro }
}

/** What an intent's money buys, as one hash. */
const fingerprintOf = (name: string, { sku }: Intent, payload: Payload): string =>
  sha256Hex(['POST', '/fulfill', name, sku, sha256Hex(canonicalJson(payload))].join('\n'))

/**
 * The former hash, until 2026-11-22: names could be guessed from it, given the rest. Claims with it are still answered.
 */
const formerFingerprintOf = (name: string, { sku }: Intent, buyer: string, payload: Payload): string =>
  sha256Hex(['POST', '/fulfill', name, sku, buyer, sha256Hex(canonicalJson(payload))].join('\n'))

/** What paid if no transfer did: the journal has a name for it among the rails, a receipt among the networks. */
const unmoved = ({ saleBuyer }: Intent) =>
  saleBuyer === null
    ? { rail: 'store_credit', network: CREDIT_NETWORK }
    : { rail: 'opening_sale', network: 'opening_sale' }

function termsOf(
  name: string,
  intent: Intent,
  good: Sellable<unknown>,
  draft: Draft,
  payload: Payload,
  { secret }: Pick<ClassicPorts['answers'], 'secret'>,
): ClaimTerms {
  const paying = payingOf(intent)
  const [first] = paying
  const { rail, network } =
    first === undefined ? unmoved(intent) : { rail: first.rail, network: networkOf(first) }
  const credit = intent.hold?.micro ?? 0n
  const amountMicroUsdc = credit + paidMicro(intent)
  const paid = paidOf(intent)
  const surplus = intent.notes.filter(({ kind }) => kind === 'overpaid')
  const purchase = {
    rail,
    priceUsdc: usdcNumber(intent.priceMicro),
    creditSpentUsdc: usdcNumber(credit),
    ...(surplus.length === 0
      ? {}
      : {
          overpaid: {
            creditUsdc: usdcNumber(surplus.reduce((sum, { micro }) => sum + micro, 0n)),
            note: 'More came than was due; the rest is store credit: POST /checkout/settle shows it.',
          },
        }),
  }
  return {
    fingerprint: fingerprintOf(name, intent, payload),
    paymentHash: name,
    sku: intent.sku,
    path: '/fulfill',
    purchasePath: 'classic',
    via: first === undefined ? 'credit' : 'transfer',
    network,
    rail,
    asset: first === undefined ? 'USDC' : RAIL_SPECS[first.rail].asset,
    payTo: first?.to ?? '',
    payer: first?.from ?? accountPayer(secret, intent.hold?.account ?? intent.buyerDigest),
    amountMicroUsdc,
    ...(paid === null ? {} : { paid }),
    snapshotVersion: draft.snapshotVersion,
    creditTo: good.creditMicroUsdc === undefined ? null : intent.creditTo,
    draft: JSON.stringify({ ...draft, result: { ...draft.result, purchase } }),
  }
}
