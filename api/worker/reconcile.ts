import { describeError } from '../../ops/errors.ts'
import type { FaultPoint } from '../../ops/faultPoint.ts'
import type { Log } from '../../ops/log.ts'
import { MINUTE, SECOND } from '../../ops/units.ts'
import type { CreditLedger } from '../ledger/credits.ts'
import type { Claim, Ledger } from '../ledger/ledger.ts'
import type { AnswerPorts } from '../payment/answer.ts'
import { deliverClaim } from '../payment/deliver.ts'
import type { PaymentChain } from '../settlement/port.ts'
import { verdictOfFate } from '../settlement/verdictOfFate.ts'

export type ReconcilePorts = {
  ledger: Ledger
  credits: CreditLedger
  chain: PaymentChain
  answers: AnswerPorts
  chainId: number
  log: Log
  faultPoint: FaultPoint
}

const BATCH = 100
/** A request that settled its claim answers it within this; afterwards the worker does, from the draft. */
const UNDELIVERED_AFTER_MS = 3 * SECOND
/** A claim that nobody decided this long after it was made: ask the chain. */
const UNDECIDED_AFTER_MS = 10 * SECOND
/** Refused claims are looked at once more after the authorization has expired. */
const WATCH_MARGIN_MS = 2 * MINUTE

export type Reconciled = { settled: number; voided: number; delivered: number; open: number }

/**
 * One pass that needs no client: claims whose outcome nobody wrote down are decided by the chain, settled
 * claims without an answer are answered, refused ones are watched until they can no longer move money.
 * Safe to run twice, and at the same time as everything else.
 */
export async function reconcile(ports: ReconcilePorts, nowMs: number): Promise<Reconciled> {
  const { ledger } = ports
  const count: Reconciled = { settled: 0, voided: 0, delivered: 0, open: 0 }
  const undecided = await ledger.list('settling', BATCH, nowMs - UNDECIDED_AFTER_MS)
  const expired = await ledger.list('watched', BATCH, nowMs - WATCH_MARGIN_MS)
  for (const claim of [...undecided, ...expired]) {
    const verdict = await decide(claim, ports)
    if (verdict !== null) count[verdict]++
  }
  for (const claim of await ledger.list('undelivered', BATCH, nowMs - UNDELIVERED_AFTER_MS)) {
    try {
      await deliverClaim(claim, null, ports)
      count.delivered++
    } catch (error) {
      //  one that cannot be answered must not keep the others waiting
      ports.log.error({ sku: claim.sku, reason: describeError(error) }, 'a paid claim cannot be answered')
    }
  }
  await releaseExpiredHolds(ports, nowMs)
  return count
}

/** Credit that was held for purchases which nobody completed can be spent again. */
async function releaseExpiredHolds({ credits }: ReconcilePorts, nowMs: number): Promise<void> {
  for (const { purchase, account } of await credits.expiredHolds(nowMs, BATCH))
    await credits.endHold(purchase, account, 'released')
}

async function decide(claim: Claim, ports: ReconcilePorts): Promise<'settled' | 'voided' | 'open' | null> {
  const { payment } = claim
  if (payment === null) return null
  try {
    const { from, nonce } = payment.authorization
    const fate = await ports.chain.fate(payment.asset, from, nonce, claim.createdMs - MINUTE)
    ports.faultPoint('CP13')
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
