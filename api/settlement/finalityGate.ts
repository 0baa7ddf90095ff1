import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND } from '../../ops/units.ts'
import type { Claim } from '../ledger/ledger.ts'
import { depthFor, type FinalityPolicy } from './finalityPolicy.ts'
import { isOnChain, locate } from './locate.ts'
import type { ChainHead, PaymentChain } from './port.ts'

/** Whether what a settled claim bought may be handed out by now. */
export type FinalityGate = {
  /** Waits a while for it. @throws UnavailableError('chain_unavailable') */
  reached(claim: Claim): Promise<boolean>
}

const LOOK_EVERY_MS = 1 * SECOND

/**
 * Confirmations by value (CHN-06): a small payment counts from its own block on, at no cost; a larger one waits for
 * its depth, and the chain is then asked once more whether it is still where it was.
 * @param waitMs how long `reached` may wait before it says no.
 */
export function createFinalityGate({
  chain,
  head,
  chainId,
  policy,
  waitMs,
}: {
  chain: PaymentChain
  head: (which: 'latest' | 'finalized') => Promise<ChainHead>
  chainId: number
  policy: FinalityPolicy
  waitMs: number
}): FinalityGate {
  return {
    async reached(claim) {
      const { key, settled } = claim
      const depth = depthFor(policy, claim.amountMicroUsdc)
      if (depth === 1 || settled === null || !isOnChain(key, chainId)) return true
      const deadlineMs = performance.now() + waitMs
      for (;;) {
        const { number } = await head(depth === 'finalized' ? depth : 'latest')
        const held = number - settled.blockNumber + 1n
        if (held >= (depth === 'finalized' ? 1n : BigInt(depth))) {
          const now = await locate(chain, { ...claim, settled })
          return now !== null && now.blockNumber <= settled.blockNumber
        }
        if (performance.now() + LOOK_EVERY_MS > deadlineMs) return false
        await sleep(LOOK_EVERY_MS)
      }
    },
  }
}
