import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { UnavailableError } from '../../ops/errors.ts'
import type { FaultPoint } from '../../ops/faultPoint.ts'
import { MINUTE, SECOND } from '../../ops/units.ts'
import type { Claim, Ledger } from '../ledger/ledger.ts'
import type { Facilitator } from './facilitator.ts'
import type { SettleOutcome } from './facilitatorAnswers.ts'
import { fateOfClaim } from './fateOfClaim.ts'
import type { ChainRefusal, Payment, PaymentChain } from './port.ts'
import { createRefusedOften } from './refusedOften.ts'
import type { Settlement } from './settlement.ts'
import { verdictOfFate } from './verdictOfFate.ts'

const LOOK_EVERY_MS = 150
/** If the named transaction does not show the use, every so many looks the nonce itself is asked about. */
const SEARCH_EVERY_LOOKS = 6
/** The authorization cannot have been used much earlier than this before it was claimed. */
const LOOK_BACK_MS = 10 * MINUTE
/** After a facilitator says `settled`: our own node may be some blocks behind. */
const DOUBT_AFTER_MS = 5 * SECOND

/**
 * The chain's decision, as the ledger has it now; or undecided, with the time of the block that has the nonce unused.
 */
type Consulted = { claim: Claim | null } | { claim: undefined; unusedMs: number | null }

type Job = Parameters<Settlement['settle']>[0]
type Refusal = Extract<SettleOutcome, { kind: 'refused' }>

const OPEN = { claim: undefined, unusedMs: null } as const

/**
 * Refusals that somebody else's submission of this very payment would cause too: it has spent the nonce, or the payer's
 * balance. Our node may not have that block yet (RPL-13).
 */
export const MAY_BE_PAID: ReadonlySet<ChainRefusal> = new Set(['insufficient_funds', 'transfer_failed'])
/** Refusals that are not final: after the first the payment may be paid, after the second it will become good. */
const NEVER_FINAL: ReadonlySet<ChainRefusal> = new Set(['nonce_used', 'not_yet_valid'])

/**
 * Settlement through remote facilitators. Their word starts nothing and ends nothing: a claim counts as settled when
 * the chain shows the transfer to us, and as refused when its first attempt was refused and the chain shows the nonce
 * unused. A named transaction is read first, since its receipt alone is proof: two calls to the node for an ordinary
 * payment.
 */
export function createFacilitatorSettlement({
  facilitator,
  ledger,
  chain,
  chainId,
  faultPoint,
  clock,
  doubtAfterMs = DOUBT_AFTER_MS,
}: {
  facilitator: Pick<Facilitator, 'verify' | 'settle'>
  ledger: Ledger
  chain: PaymentChain
  chainId: number
  faultPoint: FaultPoint
  clock: { nowMs(): number }
  doubtAfterMs?: number
}): Settlement {
  /** Looks and records in one round trip. A restarted ledger loads the script first, so the look may come too early. */
  const recorded = async (key: string, record: Promise<unknown>): Promise<Consulted> => {
    const [claim] = await Promise.all([ledger.find(key), record])
    return { claim: claim?.state === 'settling' ? await ledger.find(key) : claim }
  }

  /** Writes down what the named transaction proves, if it proves that we are paid. */
  const consultTransaction = async (key: string, payment: Payment, tx: Hex): Promise<Consulted> => {
    const { from, nonce } = payment.authorization
    const use = await chain.fateIn(payment.asset, from, nonce, tx)
    const verdict = use === null ? null : verdictOfFate(use, payment)
    if (verdict?.kind !== 'settled') return OPEN
    return await recorded(key, ledger.recordSettled(key, verdict.settled, chainId))
  }

  /**
   * Records what the chain says about the nonce, if it is final.
   * @param former the claim under its former owner, if there was one: its money may have moved long ago (I5).
   */
  const consultChain = async (
    key: string,
    payment: Payment,
    former: Pick<Claim, 'txs' | 'createdMs'> | null = null,
  ): Promise<Consulted> => {
    const sinceMs = Math.min(clock.nowMs(), former?.createdMs ?? clock.nowMs()) - LOOK_BACK_MS
    const fate = await fateOfClaim(chain, payment, (former?.txs ?? []) as Hex[], sinceMs)
    const verdict = verdictOfFate(fate, payment)
    if (verdict.kind === 'settled')
      return await recorded(key, ledger.recordSettled(key, verdict.settled, chainId))
    if (verdict.kind === 'void')
      return await recorded(key, ledger.recordRefused(key, verdict.reason, 'refused'))
    return { claim: undefined, unusedMs: fate.kind === 'unused' ? fate.blockMs : null }
  }

  /**
   * The facilitator says it is done, or does not know: sooner or later the chain will tell. A word that comes after the
   * deadline is still worth one look.
   */
  const awaitChain = async (
    key: string,
    payment: Payment,
    tx: Hex | null,
    deadlineMs: number,
  ): Promise<Claim | null> => {
    for (let look = 1; ; look++) {
      const named = tx !== null && look % SEARCH_EVERY_LOOKS !== 0
      const consulted = named ? await consultTransaction(key, payment, tx!) : await consultChain(key, payment)
      if (consulted.claim !== undefined) return consulted.claim
      if (performance.now() >= deadlineMs) return null
      await sleep(LOOK_EVERY_MS)
    }
  }

  /**
   * A first attempt was refused: nothing was sent, says the facilitator. That becomes the outcome when the chain has
   * the nonce unused (in a block younger than the refusal, if the refusal may come from a use just now) and, if
   * something was sent all the same, shows that it failed. null: not proven, so it stays unknown.
   */
  const awaitRefusal = async (
    { key, payment, owner }: { key: string; payment: Payment; owner: string },
    { reason, isSent, tx }: Refusal,
    deadlineMs: number,
  ): Promise<Claim | null> => {
    if (NEVER_FINAL.has(reason)) return await awaitChain(key, payment, tx, deadlineMs)
    const hasFailed = async () => tx !== null && (await chain.transfers(payment.asset, tx)) === 'reverted'
    const refusedMs = MAY_BE_PAID.has(reason) ? clock.nowMs() : 0
    do {
      const consulted = await consultChain(key, payment)
      if (consulted.claim !== undefined) return consulted.claim
      const isUnused = consulted.unusedMs !== null && consulted.unusedMs >= refusedMs
      if (isUnused && (!isSent || (await hasFailed()))) {
        await ledger.recordRefused(key, reason, 'refused', '', owner)
        return await ledger.find(key)
      }
      await sleep(LOOK_EVERY_MS)
    } while (performance.now() < deadlineMs)
    return null
  }

  const refusedOften = createRefusedOften()
  /** Whether our own node sees that the money is not there. No answer, or any other refusal, decides nothing here. */
  const isUnfunded = async (payment: Payment): Promise<boolean> => {
    try {
      return (await chain.refuse(payment)) === 'insufficient_funds'
    } catch (error) {
      if (error instanceof UnavailableError) return false
      throw error
    }
  }

  /** @param heard is called when the facilitator has spoken; from then on we look ourselves, until the deadline. */
  const drive = async (
    { key, payment, offer, listing, owner, retake }: Job,
    deadlineMs: number,
    heard: () => void,
  ): Promise<Claim | null> => {
    const former = retake ? await ledger.find(key) : null
    if (retake) {
      const consulted = await consultChain(key, payment, former)
      if (consulted.claim !== undefined) return consulted.claim
    }
    faultPoint('CP5')
    try {
      const outcome = await facilitator.settle({ payment, requirements: offer, listing })
      heard()
      faultPoint('CP7')
      if (outcome.kind !== 'refused') {
        const toldMs = performance.now()
        const decided = await awaitChain(key, payment, outcome.tx, deadlineMs)
        const isShown = decided?.state === 'settled'
        if (outcome.kind === 'settled' && (isShown || performance.now() - toldMs >= doubtAfterMs))
          outcome.shown?.(isShown)
        return decided
      }
      //  The attempt before this one may still land, whatever is said of this one (I5).
      if (retake) return (await consultChain(key, payment, former)).claim ?? null
      return await awaitRefusal({ key, payment, owner }, outcome, deadlineMs)
    } catch (error) {
      if (!(error instanceof UnavailableError) || error.code !== 'facilitator_unavailable') throw error
      if (retake) return null
      await ledger.recordRefused(key, error.code, 'refused', '', owner) // it never heard of this payment
    }
    return await ledger.find(key)
  }

  return {
    via: 'facilitator',
    //  A wallet's signature is the facilitator's word only (FAC-10), unless the token itself is asked.
    async refuse(payment, requirements, listing) {
      const isKey = payment.signer === 'ecdsa'
      const refusal = isKey ? null : await chain.refuse(payment)
      if (refusal !== null) return refusal
      if (isKey && refusedOften.isSo() && (await isUnfunded(payment))) return 'insufficient_funds'
      return await refusedOften.counted(() => facilitator.verify({ payment, requirements, listing }))
    },

    //  The facilitator may take longer than a request waits: what it says then is followed up without the request.
    async settle(job, waitMs) {
      const { promise: late, resolve } = Promise.withResolvers<null>()
      const patience = setTimeout(() => resolve(null), waitMs)
      const heard = () => clearTimeout(patience)
      return await Promise.race([drive(job, performance.now() + waitMs, heard), late]).finally(heard)
    },
  }
}
