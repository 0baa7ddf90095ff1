import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { MINUTE } from '../../ops/units.ts'
import type { Claim, Ledger } from '../ledger/ledger.ts'
import type { SettleOutcome } from './facilitatorAnswers.ts'
import { fateOfClaim } from './fateOfClaim.ts'
import type { ChainRefusal, Payment, PaymentChain } from './port.ts'
import { verdictOfFate } from './verdictOfFate.ts'

const LOOK_EVERY_MS = 150
/** If the named transaction does not show the use, every so many looks the nonce itself is asked about. */
const SEARCH_EVERY_LOOKS = 6
/** The authorization cannot have been used much earlier than this before it was claimed. */
const LOOK_BACK_MS = 10 * MINUTE

/**
 * The chain's decision, as the ledger has it now; or undecided, with the time of the block that has the nonce unused.
 */
type Consulted = { claim: Claim | null } | { claim: undefined; unusedMs: number | null }

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
 * What the chain decides about a claim that somebody else submits, written down as soon as it is seen: now, or as soon
 * as there is a decision. A deadline is of `performance.now()`.
 */
export function createConsultation({
  ledger,
  chain,
  chainId,
  clock,
}: {
  ledger: Ledger
  chain: PaymentChain
  chainId: number
  clock: { nowMs(): number }
}) {
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

  return { consultChain, awaitChain, awaitRefusal }
}
