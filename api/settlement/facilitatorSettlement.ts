import { UnavailableError } from '../../ops/errors.ts'
import type { FaultPoint } from '../../ops/faultPoint.ts'
import { SECOND } from '../../ops/units.ts'
import type { Claim, Ledger } from '../ledger/ledger.ts'
import { createConsultation } from './consultation.ts'
import type { Facilitator } from './facilitator.ts'
import type { SettleOutcome } from './facilitatorAnswers.ts'
import type { Payment, PaymentChain } from './port.ts'
import { createRefusedOften } from './refusedOften.ts'
import type { Settlement } from './settlement.ts'

/** After a facilitator says `settled`: our own node may be some blocks behind. */
const DOUBT_AFTER_MS = 5 * SECOND

type Job = Parameters<Settlement['settle']>[0]

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
  const { consultChain, awaitChain, awaitRefusal } = createConsultation({ ledger, chain, chainId, clock })
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
  const drive = async (job: Job, deadlineMs: number, heard: () => void): Promise<Claim | null> => {
    const { key, payment, offer, listing, owner, retake } = job
    const former = retake ? await ledger.find(key) : null
    if (retake) {
      const consulted = await consultChain(key, payment, former)
      if (consulted.claim !== undefined) return consulted.claim
    }
    faultPoint('CP5')
    let outcome: SettleOutcome
    try {
      outcome = await facilitator.settle({ payment, requirements: offer, listing })
    } catch (error) {
      if (!(error instanceof UnavailableError) || error.code !== 'facilitator_unavailable') throw error
      if (retake) return null
      await ledger.recordRefused(key, error.code, 'refused', '', owner) // it never heard of this payment
      return await ledger.find(key)
    }
    heard()
    faultPoint('CP7')
    if (outcome.kind !== 'refused') return await followUp(job, outcome, deadlineMs)
    //  The attempt before this one may still land, whatever is said of this one (I5).
    if (retake) return (await consultChain(key, payment, former)).claim ?? null
    return await awaitRefusal({ key, payment, owner }, outcome, deadlineMs)
  }

  /** It may be sent. A facilitator that said so is told in the end whether the chain has shown it. */
  const followUp = async (
    { key, payment }: Job,
    outcome: Exclude<SettleOutcome, { kind: 'refused' }>,
    deadlineMs: number,
  ): Promise<Claim | null> => {
    const toldMs = performance.now()
    const decided = await awaitChain(key, payment, outcome.tx, deadlineMs)
    const isShown = decided?.state === 'settled'
    if (outcome.kind === 'settled' && (isShown || performance.now() - toldMs >= doubtAfterMs))
      outcome.shown?.(isShown)
    return decided
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
