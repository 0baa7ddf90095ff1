import type { Hex } from 'viem'
import { fateOfClaim } from './fateOfClaim.ts'
import { receiptOf, sealedBlock } from './nodeReads.ts'
import type { ChainRefusal, PaymentChain, SettleJob, SettleLedger } from './port.ts'
import { type Rpc, RpcError } from './rpc.ts'
import { verdictOfFate } from './verdictOfFate.ts'

export type Decision = 'settled' | 'taken' | 'refused' | 'later'

/**
 * Ends a job that would not go through now. The simulation's word is a reason, never a proof: the chain is asked
 * what became of the nonce (RPL-13: somebody else may have paid us with it), and nothing is refused while
 * a transaction of ours could still carry it.
 */
export async function decide(
  job: SettleJob,
  reason: ChainRefusal,
  {
    rpc,
    chain,
    ledger,
    isSpent,
  }: { rpc: Rpc; chain: PaymentChain; ledger: SettleLedger; isSpent(tx: Hex): boolean },
): Promise<Decision> {
  const fate = await fateOfClaim(chain, job.payment, job.txs, job.createdMs)
  const verdict = verdictOfFate(fate, job.payment)
  if (verdict.kind === 'settled')
    return (await ledger.recordSettled(job.key, verdict.settled)) === 'taken' ? 'taken' : 'settled'
  if (verdict.kind === 'void') {
    await ledger.recordRefused(job.key, verdict.reason)
    return 'refused'
  }
  if (verdict.kind === 'unknown') return 'later'
  //  Unused. A used nonce was seen in a block that is gone again; a window that is not open yet will open.
  if (reason === 'nonce_used' || reason === 'not_yet_valid') return 'later'
  if (fate.kind !== 'unused' || job.elsewhere) return 'later'
  if (await mayStillLand(rpc, job, fate.blockNumber, isSpent)) return 'later'
  await ledger.recordRefused(job.key, reason)
  return 'refused'
}

/**
 * A former process's transaction counts as able to land until it is seen mined, since its nonce is not known here. In a
 * block that is not sealed yet it is about to land, and the state that was read is older (CHN-01); likewise if its
 * block is newer than that state.
 * @param asked block whose state says that the payment is unused.
 */
async function mayStillLand(
  rpc: Rpc,
  { txs }: SettleJob,
  asked: bigint,
  isSpent: (tx: Hex) => boolean,
): Promise<boolean> {
  for (const tx of txs) {
    if (isSpent(tx)) continue
    try {
      const receipt = await receiptOf(rpc, tx)
      if (receipt === null || receipt.blockNumber > asked) return true
      if ((await sealedBlock(rpc, receipt)) === null) return true
    } catch (error) {
      if (error instanceof RpcError) return true
      throw error
    }
  }
  return false
}
