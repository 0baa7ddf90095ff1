import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../../ops/errors.ts'
import { formatUsdc, SECOND } from '../../ops/units.ts'
import {
  accountDigest,
  accountOf,
  accountPayer,
  CREDIT_BALANCE_HEADER,
  CREDIT_HELD_HEADER,
  CREDIT_NETWORK,
  creditAuthDigest,
  isCreditSecret,
} from '../entitlements/credit.ts'
import { digestOfToken, isToken } from '../entitlements/token.ts'
import { isProblem, PROBLEMS, type Problem, type ProblemCode } from '../errors.ts'
import { type Draft, type GoodPorts, isSoldForCredit } from '../goods/good.ts'
import type { Reply } from '../http/exchange.ts'
import { refuseIdempotencyKey } from '../http/idempotencyKey.ts'
import { withHeaders } from '../http/prepared.ts'
import { outageReply, problemReply } from '../http/respond.ts'
import type { CreditHolder, Standing } from '../ledger/credits.ts'
import type { Claim, ClaimKey, ClaimTerms } from '../ledger/ledger.ts'
import { sha256Hex } from '../receipts/canonical.ts'
import { deliveredReply } from './answer.ts'
import { type DeliverPorts, deliverClaim } from './deliver.ts'
import { draftOf } from './draftOf.ts'
import { fewEach } from './fewEach.ts'
import { fingerprintOf, isOfQuestion, questionOf } from './fingerprint.ts'
import { type Asked, type Call, readAsked, readInput } from './input.ts'
import { isOutdatedSince } from './outdated.ts'
import type { Sold } from './sale.ts'

export type CreditPorts = DeliverPorts & { goods: GoodPorts; clock: { nowMs(): number } }

/**
 * One GET paid with store credit: agent id and secret, plus the claim code on the first spend. Whether they pay is
 * checked before the question is. The answer is computed first, then debit and claim are one step; from there on it is
 * delivered once and recovered by the worker like every claim.
 *
 * With an Idempotency-Key, the same request within a day gets the same answer and costs nothing. Without one, the same
 * question from the same account continues a spend that was never answered (I4: with what they paid with, buyers can
 * fetch what they paid for). The same question asked concurrently is served one by one, each for its price (CRD-01).
 */
export async function sellByCredit(call: Call, sold: Sold, ports: CreditPorts): Promise<Reply> {
  const { good } = sold
  const refuse = (code: ProblemCode) => {
    if (code === 'credit_refused' || code === 'credit_auth_mismatch') call.wrongSecret()
    //  another payment does not help where an account is locked or frozen: no offer beside that
    return PROBLEMS[code].status === 402
      ? sold.challenge(code, ports.clock.nowMs())
      : problemReply({ problem: code })
  }
  if (!isSoldForCredit(good)) return refuse('credit_not_covering')
  const holder = holderOf(call, ports.answers.secret)
  if (holder === null) return refuse('credit_refused')
  const { idempotencyKey } = call
  const badKey = refuseIdempotencyKey(idempotencyKey)
  if (badKey !== null) return problemReply(badKey)
  const asked = readAsked(call)
  const input = isProblem(asked) ? asked : readInput(good, asked)
  //  a claim code locks the secret beside it, which must not happen for a question that cannot be answered
  if (call.claimCode !== '' && isProblem(input)) return problemReply(input)
  try {
    const standing = await standingOf(holder, call, refuse, ports)
    if ('status' in standing) return standing
    if (isProblem(asked)) return problemReply(asked)

    const operation = operationOf(idempotencyKey, holder, sold, asked)
    const claim = await spend({ sold, holder, asked, input, standing, operation }, ports)
    if (claim === 'credit_short') return withHeaders(refuse(claim), await figuresOf(holder, ports))
    if (typeof claim === 'string') return refuse(claim)
    if (isProblem(claim)) return problemReply(claim)
    if (claim?.paymentHash !== holder.account || !isOfQuestion(claim, good.path, asked))
      return problemReply({ problem: 'bound_elsewhere' })
    ports.faultPoint('CP8')
    const answer = await deliverClaim(claim, null, ports)
    ports.faultPoint('CP11')
    const [figures] = await Promise.all([
      figuresOf(holder, ports),
      operation.isNamed ? null : answered(operation.stands, claim.key, ports),
    ])
    return withHeaders(deliveredReply(answer), figures)
  } catch (error) {
    return outageReply(error)
  }
}

/**
 * The account's standing once the lot shown by the request is on it, or the refusal. A wrong secret is counted in the
 * same instant as the check whether its address may learn anything: the answers to many guesses arrive at once.
 */
async function standingOf(
  holder: CreditHolder,
  call: Call,
  refuse: (code: ProblemCode) => Reply,
  ports: CreditPorts,
): Promise<Standing | Reply> {
  const notOpened = await openLot(call.claimCode, holder, ports)
  const standing = notOpened === null ? await ports.credits.balance(holder) : null
  const retryAfterS = call.secretWaitS() //  others of this address may have guessed meanwhile
  if (retryAfterS === 0) return standing ?? refuse(notOpened ?? 'credit_refused')
  if (standing === null) call.wrongSecret()
  return problemReply({ problem: 'rate_limited', retryAfterS })
}

type Spend = {
  sold: Sold
  holder: CreditHolder
  asked: Asked
  input: ReturnType<typeof readInput>
  standing: Standing
  operation: Operation
}

/** The claim of an earlier spend that this request continues, or a new one: draft, then debit and claim in one step. */
async function spend(
  { sold, holder, asked, input, standing, operation }: Spend,
  ports: CreditPorts,
): Promise<Claim | null | 'credit_frozen' | 'credit_short' | 'credit_refused' | Problem> {
  const { good } = sold
  const queue = createQueue()
  for (;;) {
    const known = await earlier(operation, queue, ports)
    if (known === 'busy') return { problem: 'busy', retryAfterS: 1 }
    if (known !== null) return known
    if (standing.frozen) return 'credit_frozen'
    if (standing.freeMicro < good.priceMicroUsdc) return 'credit_short'
    if (isProblem(input)) return input
    const draftedMs = Date.now()
    const draft = await fewEach(holder.account, good, input.input, () =>
      draftOf(good, input.input, ports.goods),
    )
    if (isProblem(draft)) return draft
    if (isOutdatedSince(draft, draftedMs)) return { problem: 'stale_data' }
    const payer = accountPayer(ports.answers.secret, holder.account)
    const terms = termsOf(sold, holder, payer, asked, draft)
    const { outcome } = await ports.credits.claim(operation.key, terms, holder, operation.stands)
    if (outcome === 'refused') return 'credit_refused'
    if (outcome === 'short') return 'credit_short'
    if (outcome !== 'open') return await ports.ledger.find(operation.key)
  }
}

function holderOf({ agentId, creditAuth }: Call, secret: Buffer): CreditHolder | null {
  const account = accountOf(agentId)
  if (account === null || !isCreditSecret(creditAuth)) return null
  return { account: accountDigest(account), auth: creditAuthDigest(secret, account, creditAuth) }
}

/**
 * @property stands what the spend is looked up by: its question until it is answered, or the buyer's own key as long as
 *   the answer is kept.
 * @property former the claim key of a spend with that idempotency key until 2026-11-24; '' for none.
 */
type Operation = { key: ClaimKey; stands: string; isNamed: boolean; former: ClaimKey }

/**
 * Each spend has a claim key of its own: receipt, token and journal entry are derived from it, and a buyer who reuses
 * an idempotency key after the first answer is forgotten has bought again. The price is not part of `stands`: a spend
 * that waits for its buyer is found at any price.
 */
function operationOf(
  idempotencyKey: string,
  { account }: CreditHolder,
  { good }: Sold,
  asked: Asked,
): Operation {
  const isNamed = idempotencyKey !== ''
  const named = `${account}|${idempotencyKey}`
  const asks = questionOf(good.path, asked, good.sku)
  return {
    key: `credit:${sha256Hex(randomUUID())}`,
    stands: sha256Hex(isNamed ? `named|${named}` : `${account}|${asks}`),
    isNamed,
    former: isNamed ? `credit:${sha256Hex(named)}` : '',
  }
}

/** An answer takes less than this: a spend unanswered for longer was abandoned and goes to the next who asks. */
const UNDER_WAY_MS = 3 * SECOND
/** Requests that ask the same at once are served one after the other, each waiting at most this long. */
const QUEUE_MS = 10 * SECOND
/** Pause between two looks of a waiting request: doubled each time, so that a crowd is no load. */
const LOOK_AGAIN_MS = { first: 10, most: 200 }

const createQueue = () => ({ untilMs: performance.now() + QUEUE_MS, restMs: LOOK_AGAIN_MS.first })

/**
 * An earlier spend that this request continues; null: none. Waits for one that is being answered to another request.
 */
async function earlier(
  { stands, isNamed, former }: Operation,
  queue: ReturnType<typeof createQueue>,
  { credits, ledger }: CreditPorts,
): Promise<Claim | 'busy' | null> {
  while (performance.now() < queue.untilMs) {
    const open = await credits.unanswered(stands)
    const claim = open === null ? null : await ledger.find(open)
    if (isNamed) return claim ?? (await ledger.find(former))
    if (claim === null) return null
    const ageMs = (await ledger.nowMs()) - (claim.settledMs ?? 0)
    if (ageMs >= UNDER_WAY_MS) return claim
    await sleep(queue.restMs)
    queue.restMs = Math.min(2 * queue.restMs, LOOK_AGAIN_MS.most)
  }
  return 'busy'
}

/** If this fails, the spend stays open: the same question gets this answer once more, for free. */
async function answered(question: string, key: ClaimKey, { credits }: CreditPorts): Promise<void> {
  try {
    await credits.answered(question, key)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
  }
}

/** The account's figures now, as headers beside the stored answer. Empty if unavailable: the answer still goes out. */
export async function figuresOf(
  holder: CreditHolder,
  { credits }: Pick<CreditPorts, 'credits'>,
): Promise<Reply['headers']> {
  try {
    const standing = await credits.balance(holder)
    if (standing === null) return []
    return [
      [CREDIT_BALANCE_HEADER.toLowerCase(), formatUsdc(standing.freeMicro)],
      [CREDIT_HELD_HEADER.toLowerCase(), formatUsdc(standing.heldMicro)],
      ['access-control-expose-headers', `${CREDIT_BALANCE_HEADER}, ${CREDIT_HELD_HEADER}`], //  besides the usual
    ]
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return []
  }
}

/** Puts bought credit onto the holder's account where the request shows its claim code. @returns why not, or null. */
async function openLot(
  claimCode: string,
  holder: CreditHolder,
  { credits }: CreditPorts,
): Promise<'credit_refused' | 'credit_auth_mismatch' | 'credit_frozen' | null> {
  if (claimCode === '') return null
  if (!isToken(claimCode, 'credit')) return 'credit_refused'
  const opened = await credits.openLot(digestOfToken(claimCode), holder)
  if (opened === 'opened') return null
  if (opened === 'frozen') return 'credit_frozen'
  return opened === 'mismatch' ? 'credit_auth_mismatch' : 'credit_refused'
}

const termsOf = (
  { good, offer }: Sold,
  holder: CreditHolder,
  payer: string,
  asked: Asked,
  draft: Draft,
): ClaimTerms => ({
  fingerprint: fingerprintOf(good.path, asked, good.sku, offer),
  paymentHash: holder.account, //  where the money goes back to if the answer cannot be delivered
  sku: good.sku,
  path: good.path,
  purchasePath: 'credit',
  via: 'credit',
  network: CREDIT_NETWORK,
  asset: offer.asset,
  payTo: offer.payTo,
  payer,
  amountMicroUsdc: good.priceMicroUsdc,
  snapshotVersion: draft.snapshotVersion,
  creditTo: null,
  draft: JSON.stringify(draft),
})
