import type { Hex } from 'viem'
import { describeError, ServiceError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { MINUTE, SECOND } from '../../ops/units.ts'
import type { Claim } from '../ledger/ledger.ts'
import { type DeliverPorts, deliverClaim } from '../payment/deliver.ts'
import { OutdatedError } from '../payment/outdated.ts'
import { refundClaim } from '../payment/refund.ts'
import { isRefundedHere } from '../payment/refundMark.ts'
import type { PaymentChain } from '../settlement/port.ts'
import { verdictOfFate } from '../settlement/verdictOfFate.ts'

export type ReconcilePorts = DeliverPorts & {
  chain: PaymentChain
  chainId: number
  log: Log
}

const BATCH = 100
/** A request that settled its claim answers it within this; afterwards the worker does, from the draft. */
const UNDELIVERED_AFTER_MS = 3 * SECOND
/** A settled claim that cannot be answered for so long is answered with its price in store credit (design 4). */
const REFUND_AFTER_MS = 60 * SECOND
/** A claim that nobody decided this long after it was made: ask the chain. */
const UNDECIDED_AFTER_MS = 10 * SECOND
/** Refused claims are looked at once more after the authorization has expired. */
const WATCH_MARGIN_MS = 2 * MINUTE
/** One that the chain does not decide is asked about again after an eighth of its age, within these. */
const AGAIN_AFTER_MS = { least: 2 * SECOND, most: 5 * MINUTE }

export type Reconciled = Record<'settled' | 'voided' | 'delivered' | 'refunded' | 'open', number>

/**
 * One pass that needs no client: claims whose outcome nobody wrote down are decided by the chain, settled
 * claims without an answer are answered or refunded, refused ones are watched until they can no longer move money.
 * Safe to run twice, and at the same time as everything else. What cannot be done now goes behind what is due, so that
 * however much is stuck, everything gets its turn (RPL-18).
 */
export async function reconcile(ports: ReconcilePorts, nowMs: number): Promise<Reconciled> {
  const { ledger } = ports
  const count: Reconciled = { settled: 0, voided: 0, delivered: 0, refunded: 0, open: 0 }
  for (const [which, afterMs] of [
    ['settling', UNDECIDED_AFTER_MS],
    ['watched', WATCH_MARGIN_MS],
  ] as const)
    for (const claim of await ledger.list(which, BATCH, nowMs - afterMs)) {
      const verdict = await decide(claim, ports)
      if (verdict !== null) count[verdict]++
      if (verdict === null || verdict === 'open')
        await ledger.postpone(which, claim.key, nowMs + againAfterMs(claim, nowMs) - afterMs)
    }
  await answerUndelivered(ports, nowMs, count)
  await releaseExpiredHolds(ports, nowMs)
  return count
}

/** One that cannot be answered keeps nobody waiting. */
async function answerUndelivered(ports: ReconcilePorts, nowMs: number, count: Reconciled): Promise<void> {
  const { ledger } = ports
  const late = new Set(
    (await ledger.list('undelivered', BATCH, nowMs - REFUND_AFTER_MS)).map(({ key }) => key),
  )
  for (const claim of await ledger.list('undelivered', BATCH, nowMs - UNDELIVERED_AFTER_MS)) {
    const isLate = late.has(claim.key) || (claim.settledMs ?? nowMs) <= nowMs - REFUND_AFTER_MS
    const outcome =
      (await attempt('delivered', claim, ports, () => deliverClaim(claim, null, ports))) ??
      (isLate && isRefundedHere(claim)
        ? await attempt('refunded', claim, ports, () => refundClaim(claim, ports))
        : null)
    if (outcome === 'delivered' || outcome === 'refunded') count[outcome]++
    else await ledger.postpone('undelivered', claim.key, nowMs - UNDELIVERED_AFTER_MS)
  }
}

/** 'later': it may succeed by itself, so nothing else is done about it. null: it never will; old data grows only older. */
async function attempt<Outcome>(
  outcome: Outcome,
  { sku }: Claim,
  { log }: ReconcilePorts,
  work: () => Promise<unknown>,
): Promise<Outcome | 'later' | null> {
  try {
    await work()
    return outcome
  } catch (error) {
    const reason = describeError(error)
    if (error instanceof ServiceError && error.retryable && !(error instanceof OutdatedError)) {
      log.info({ sku, reason }, 'a paid claim is answered later')
      return 'later'
    }
    log.error({ sku, reason }, 'a paid claim cannot be answered')
    return null
  }
}

/** Credit that was held for purchases which nobody completed can be spent again. */
async function releaseExpiredHolds({ credits }: ReconcilePorts, nowMs: number): Promise<void> {
  for (const { purchase, account } of await credits.expiredHolds(nowMs, BATCH))
    await credits.endHold(purchase, account, 'released')
}

const againAfterMs = ({ createdMs }: Claim, nowMs: number): number =>
  Math.min(AGAIN_AFTER_MS.most, Math.max(AGAIN_AFTER_MS.least, (nowMs - createdMs) / 8))

async function decide(claim: Claim, ports: ReconcilePorts): Promise<'settled' | 'voided' | 'open' | null> {
  const { payment } = claim
  if (payment === null) return null
  try {
    const { from, nonce } = payment.authorization
    let fate = await ports.chain.fate(payment.asset, from, nonce, claim.createdMs - MINUTE)
    ports.faultPoint('CP13')
    //  Logs and receipts are found in different ways: what was sent for this claim is looked up before it is given up.
    if (fate.kind === 'earlier')
      for (const tx of claim.txs)
        fate = (await ports.chain.fateIn(payment.asset, from, nonce, tx as Hex)) ?? fate
    const verdict = verdictOfFate(fate, payment)
    if (verdict.kind === 'settled') {
      await ports.ledger.recordSettled(claim.key, verdict.settled, ports.chainId)
      if (claim.state === 'refused')
        ports.log.warn(
          { sku: claim.sku, tx: verdict.settled.tx },
          'a refused payment has moved money after all',
        )
      return 'settled'
    }
    if (verdict.kind === 'void') {
      await ports.ledger.recordRefused(claim.key, verdict.reason, 'void')
      return 'voided'
    }
    return 'open'
  } catch (error) {
    ports.log.warn({ reason: describeError(error) }, 'cannot decide a claim now')
    return null
  }
}
