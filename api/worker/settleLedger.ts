import { ServiceError } from '../../ops/errors.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { SettleJob, SettleLedger } from '../settlement/port.ts'

/** Another settler leads now; whatever this one was about to write is not written. */
export class FencedError extends ServiceError {
  readonly code = 'fenced'
}

/**
 * The settler's view of the ledger under the fence of one term: every open payment, including those claimed for a
 * facilitator before the operator switched to our own settler. The token spends a nonce once, so sending those too
 * moves nothing twice.
 */
export function settleLedgerOf(ledger: Ledger, chainId: number, fence: string): SettleLedger {
  const refuseStale = (stale: boolean) => {
    if (stale) throw new FencedError(`term ${fence} is over`)
  }
  return {
    pending: async (max) => {
      const jobs: SettleJob[] = []
      for (const claim of await ledger.list('settling', max)) {
        if (claim.payment === null || claim.state !== 'settling') continue
        jobs.push({
          key: claim.key,
          payment: claim.payment,
          createdMs: claim.createdMs,
          txs: claim.txs as SettleJob['txs'],
          elsewhere: claim.via !== 'self',
        })
      }
      return jobs
    },
    recordBroadcast: async (keys, tx, which) =>
      refuseStale(!(await ledger.recordBroadcast(keys, tx, fence, which))),
    recordSettled: async (key, settled) => {
      const outcome = await ledger.recordSettled(key, settled, chainId)
      return outcome === 'unknown' ? 'already' : outcome
    },
    recordRefused: async (key, reason) =>
      refuseStale((await ledger.recordRefused(key, reason, 'refused', fence)) === 'fenced'),
  }
}
