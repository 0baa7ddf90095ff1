import type { Hex } from 'viem'
import { describeError } from '../../ops/errors.ts'
import type { FaultPoint } from '../../ops/faultPoint.ts'
import type { Log } from '../../ops/log.ts'
import { MINUTE, SECOND } from '../../ops/units.ts'
import type { Ledger, ListedClaim } from '../ledger/ledger.ts'
import { fateOfClaim } from '../settlement/fateOfClaim.ts'
import type { AuthorizationFate, ChainView, Payment, PaymentChain } from '../settlement/port.ts'
import { verdictOfFate } from '../settlement/verdictOfFate.ts'

export type ReconcilePorts = {
  ledger: Pick<Ledger, 'list' | 'postpone' | 'recordSettled' | 'recordRefused'>
  chain: Pick<PaymentChain, 'fate' | 'fateIn'> & Pick<ChainView, 'head'>
  chainId: number
  log: Log
  faultPoint: FaultPoint
  /** Told at once: a pass that breaks off later must not lose it. */
  onOutcome?(outcome: keyof Reconciled): void
}

const BATCH = 100
/** The chain is asked about a claim that nobody decided within this time. */
const UNDECIDED_AFTER_MS = 10 * SECOND
/** Refused claims are looked at again from this long after the authorization has expired, until they are void. */
const WATCH_MARGIN_MS = 2 * MINUTE
/** A claim that the chain does not decide is asked about again after an eighth of its age, within these bounds. */
const AGAIN_AFTER_MS = { least: 2 * SECOND, most: 5 * MINUTE }

/** `moved`: settled although it was refused. The refusal was wrong (FAC-06), or somebody else submitted it later. */
export const RECONCILED = ['settled', 'moved', 'refused', 'voided', 'open'] as const
export type Reconciled = Record<(typeof RECONCILED)[number], number>

/** 'elsewhere': decided meanwhile by our settler, a request or another worker, and counted there. null: not decidable now. */
type Verdict = keyof Reconciled | 'elsewhere' | null

/**
 * One pass that needs no client: claims with no recorded outcome are decided by the chain, and refused ones are watched
 * until they can no longer move money. Safe to run twice, and beside everything else. A claim that cannot be decided
 * now goes behind those that are due, so that however many are stuck, each gets its turn (RPL-18).
 * @throws UnavailableError when the node does not answer at all: the other claims would wait for it in vain, one by
 *   one.
 */
export async function reconcile(ports: ReconcilePorts, nowMs: number): Promise<Reconciled> {
  const { ledger } = ports
  const count: Reconciled = { settled: 0, moved: 0, refused: 0, voided: 0, open: 0 }
  for (const [which, afterMs] of [
    ['settling', UNDECIDED_AFTER_MS],
    ['watched', WATCH_MARGIN_MS],
  ] as const)
    for (const claim of await ledger.list(which, BATCH, nowMs - afterMs)) {
      const verdict = await decide(claim, ports)
      if (verdict !== null && verdict !== 'elsewhere') {
        count[verdict]++
        ports.onOutcome?.(verdict)
      }
      if (verdict === null || verdict === 'open')
        await ledger.postpone(which, claim.key, nowMs + againAfterMs(claim, nowMs) - afterMs)
      if (verdict === null) await ports.chain.head('latest')
    }
  return count
}

const againAfterMs = ({ createdMs }: ListedClaim, nowMs: number): number =>
  Math.min(AGAIN_AFTER_MS.most, Math.max(AGAIN_AFTER_MS.least, (nowMs - createdMs) / 8))

async function decide(claim: ListedClaim, ports: ReconcilePorts): Promise<Verdict> {
  const { payment } = claim
  const { ledger, chain } = ports
  if (payment === null) return null
  try {
    const fate = await fateOfClaim(chain, payment, claim.txs as Hex[], claim.createdMs - MINUTE)
    ports.faultPoint('CP13')
    const verdict = verdictOfFate(fate, payment)
    if (verdict.kind === 'settled') {
      const outcome = await ledger.recordSettled(claim.key, verdict.settled, ports.chainId)
      if (outcome === 'taken') return 'voided'
      if (outcome !== 'recorded') return 'elsewhere'
      if (claim.state !== 'refused') return 'settled'
      ports.log.warn(
        { sku: claim.sku, tx: verdict.settled.tx },
        'a refused payment has moved money after all',
      )
      return 'moved'
    }
    if (verdict.kind !== 'void') return 'open'
    const isVoid = await isForEver(fate, payment, chain)
    if (!isVoid && claim.state === 'refused') return 'open'
    const outcome = await ledger.recordRefused(claim.key, verdict.reason, isVoid ? 'void' : 'refused')
    if (outcome !== 'recorded') return 'elsewhere'
    return isVoid ? 'voided' : 'refused'
  } catch (error) {
    ports.log.warn({ reason: describeError(error) }, 'cannot decide a claim now')
    return null
  }
}

/**
 * I10: no reorganisation can make room for it any more, and the state that was read is not older than the final block.
 */
async function isForEver(
  fate: AuthorizationFate,
  { authorization }: Payment,
  chain: Pick<ChainView, 'head'>,
): Promise<boolean> {
  const final = await chain.head('finalized')
  if ('blockNumber' in fate && fate.kind !== 'used' && fate.blockNumber < final.number) return false
  return final.timeMs >= Number(authorization.validBefore) * SECOND
}
