import { setTimeout as sleep } from 'node:timers/promises'
import { depthFor, type FinalityPolicy } from '../../ops/finalityPolicy.ts'
import { SECOND } from '../../ops/units.ts'
import type { Claim } from '../ledger/ledger.ts'
import { isOnChain, type LocateChain, locate } from './locate.ts'

/** Whether what a settled claim bought may be handed out by now. */
export type FinalityGate = {
  /** Waits a while for it. @throws UnavailableError('chain_unavailable') */
  reached(claim: Claim): Promise<boolean>
}

const LOOK_EVERY_MS = 1 * SECOND

/**
 * Confirmations by value (CHN-06): a small payment counts from its own block on, at no cost; a larger one waits for its
 * depth, and then the chain is asked once more whether the payment is still where it was.
 * @param waitMs how long `reached` may wait before it says no.
 * @param isForOnePass a node that failed once is not asked again in this pass: it must not delay a hundred claims.
 */
export function createFinalityGate({
  chain,
  chainId,
  policy,
  waitMs,
  isForOnePass = false,
}: {
  chain: LocateChain
  chainId: number
  policy: FinalityPolicy
  waitMs: number
  isForOnePass?: boolean
}): FinalityGate {
  let failure: unknown = null
  const headOf = async (which: 'latest' | 'finalized') => {
    if (failure !== null) throw failure
    try {
      return await chain.head(which)
    } catch (error) {
      if (isForOnePass) failure = error
      throw error
    }
  }
  return {
    async reached(claim) {
      const { key, settled } = claim
      const depth = depthFor(policy, claim.amountMicroUsdc)
      if (depth === 1 || settled === null || !isOnChain(key, chainId)) return true
      const deadlineMs = performance.now() + waitMs
      for (;;) {
        const { number } = await headOf(depth === 'finalized' ? depth : 'latest')
        const held = number - settled.blockNumber + 1n
        if (held >= (depth === 'finalized' ? 1n : BigInt(depth))) {
          const now = await locate(chain, { ...claim, settled })
          //  if moved to another transaction, the answer would name one that is gone, until the watch has recorded it
          return now !== null && now.tx === settled.tx && now.blockNumber <= settled.blockNumber
        }
        if (performance.now() + LOOK_EVERY_MS > deadlineMs) return false
        await sleep(LOOK_EVERY_MS)
      }
    },
  }
}
