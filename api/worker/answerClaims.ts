import { describeError, ServiceError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { MINUTE, SECOND } from '../../ops/units.ts'
import type { Claim } from '../ledger/ledger.ts'
import { brokenOrThrow } from '../ledger/scripts.ts'
import { type DeliverPorts, deliverClaim } from '../payment/deliver.ts'
import { OutdatedError } from '../payment/outdated.ts'
import { refundClaim } from '../payment/refund.ts'
import { isRefundedHere } from '../payment/refundMark.ts'

export type AnswerClaimsPorts = DeliverPorts & { log: Log }

const BATCH = 100
/** A request that settled its claim answers it within this; afterwards the worker does, from the draft. */
const UNDELIVERED_AFTER_MS = 3 * SECOND
/** A settled claim that cannot be answered for this long is answered with its price in store credit (design 4). */
const REFUND_AFTER_MS = 60 * SECOND
const BROKEN_AGAIN_MS = 1 * MINUTE

export const ANSWERED = ['delivered', 'refunded'] as const
export type Answered = Record<(typeof ANSWERED)[number], number>

/**
 * One pass that needs no client: settled claims without an answer are answered or refunded, and credit held for
 * purchases that nobody completed is released. Separate from what the chain decides, since most of it needs no chain
 * (DATA-11). Safe to run twice, and beside everything else. A claim that cannot be answered goes behind those that are
 * due (RPL-18).
 */
export async function answerClaims(ports: AnswerClaimsPorts, nowMs: number): Promise<Answered> {
  const { ledger, credits, log } = ports
  const count: Answered = { delivered: 0, refunded: 0 }
  for (const { key } of await ledger.list('undelivered', BATCH, nowMs - UNDELIVERED_AFTER_MS)) {
    const claim = await ledger.find(key).catch(brokenOrThrow)
    if (claim === 'broken') {
      log.error({ claim: key }, 'a paid claim waits until an operator repairs its row')
      await ledger.postpone('undelivered', key, nowMs + BROKEN_AGAIN_MS)
    }
    if (claim === null || claim === 'broken' || claim.settled === null) continue
    const isLate = (claim.settledMs ?? 0) <= nowMs - REFUND_AFTER_MS
    const outcome =
      (await attempt('delivered', claim, ports, () => deliverClaim(claim, null, ports))) ??
      (isLate && isRefundedHere(claim)
        ? await attempt('refunded', claim, ports, () => refundClaim(claim, ports))
        : null)
    if (outcome === 'delivered' || outcome === 'refunded') count[outcome]++
    else await ledger.postpone('undelivered', claim.key, nowMs - UNDELIVERED_AFTER_MS)
  }
  for (const { purchase, account } of await credits.expiredHolds(nowMs, BATCH)) {
    const ended = await credits.endHold(purchase, account, 'released', nowMs).catch(brokenOrThrow)
    if (ended !== 'broken') continue
    log.error({ purchase }, 'credit is held until an operator repairs its rows')
    await credits.postponeHold(purchase, nowMs + BROKEN_AGAIN_MS)
  }
  return count
}

/** 'later': a retry may succeed, so nothing else is done. null: it never will, since old data only gets older. */
async function attempt<Outcome>(
  outcome: Outcome,
  { sku }: Claim,
  { log }: AnswerClaimsPorts,
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
