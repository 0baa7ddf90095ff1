import { MINUTE } from '../../../ops/units.ts'
import { BY_HAND } from '../../ledger/byHand.ts'
import type { Claim } from '../../ledger/ledger.ts'
import { isRefund } from '../../payment/refundMark.ts'

/**
 * What became of money that arrived (I1); every transfer is in exactly one class. delivered: answered, and the whole
 * transfer that overpaid a classic purchase with it, although its surplus is store credit. refunded: it became store
 * credit, as an answer or because its classic purchase was paid without it. redeemable: known, and its buyer can still
 * fetch what it bought. refund_due: settled, not answered, and late. rebuilt: an ordinary transfer from before the
 * ledger was rebuilt, which buys nothing any more. void: from a payment that was proven never to move (I10).
 * unattributed: the ledger knows nothing about it. broken: what the ledger knows about it cannot be read.
 */
export const CLASSES = [
  'delivered',
  'refunded',
  'redeemable',
  'refund_due',
  'rebuilt',
  'void',
  'unattributed',
  'broken',
] as const
/** Money of which nobody can tell that something was given or is owed: a person has to look. */
const UNEXPLAINED = ['void', 'unattributed', 'broken'] as const
export type UnexplainedClass = (typeof UNEXPLAINED)[number]
/** Registry rows written by a rebuild hold this. */
export const REBUILT = 'rebuilt'
export type MoneyClass = (typeof CLASSES)[number]

export const isUnexplainedClass = (name: MoneyClass): name is UnexplainedClass =>
  (UNEXPLAINED as readonly MoneyClass[]).includes(name)

/** What the ledger says of one transfer. */
export type Known = {
  owner: string | null //   what its registry row holds: a claim's key
  claim: Claim | null //    the claim of that key, else of the authorization that made the transfer
  intentState: string | null // of the classic purchase that took it
  isCredit?: boolean //        that purchase gave store credit for all of it
  isBroken?: boolean //        one of the two is there and cannot be read
}

/** A claim is answered or refunded within this; see answerClaims.ts. */
const LATE_MS = 2 * MINUTE

/** Pure. @param nowMs compared with the time of the block. */
export function classOf(known: Known, blockMs: number, nowMs: number): MoneyClass {
  const { owner, claim, intentState, isCredit = false, isBroken = false } = known
  if (isBroken) return 'broken'
  if (isCredit) return 'refunded' //  whatever the purchase answered for its other money
  if (claim?.answer != null) return isRefund(claim.answer.body) ? 'refunded' : 'delivered'
  if (claim?.state === 'settled') return nowMs - blockMs > LATE_MS ? 'refund_due' : 'redeemable'
  if (owner === REBUILT) return 'rebuilt'
  if (owner?.startsWith(BY_HAND)) return 'refunded'
  //  a void claim with a registry row was answered, forgotten, and shown again (RPL-12)
  if (claim?.state === 'void') return owner === null ? 'void' : 'delivered'
  if (claim !== null) return 'redeemable' //  the chain decides it at the next look
  if (intentState !== null) return OF_INTENT[intentState] ?? 'redeemable'
  return owner === null ? 'unattributed' : 'delivered' //  a claim is only forgotten once it was answered
}

const OF_INTENT: Record<string, MoneyClass> = {
  Delivered: 'delivered',
  Refunded: 'refunded',
  Late: 'refunded',
  Expired: 'refunded', //  parts of its price that came are store credit
}
