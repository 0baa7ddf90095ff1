import { aggregate3, MULTICALL3 } from './multicall.ts'
import type { SettleJob } from './port.ts'
import type { LoneCall } from './simulate.ts'
import { transferByKey } from './tokenCalls.ts'

/**
 * Gas budget of one key-signed transfer inside a batch: 51,000 was measured with the sandbox token, call data and
 * packing included, and the real token sits behind a proxy. Unused gas is not paid for; too little would only
 * make the last transfers of a batch fail, and they would be sent again.
 */
export const TRANSFER_GAS = 75_000n
const BATCH_GAS = 60_000n
/** Below the 2^24 that EIP-7825 allows one transaction; several transactions share a block anyway. */
const MAX_BATCH_GAS = 16_700_000n
export const MAX_BATCH = Math.min(1_000, Number((MAX_BATCH_GAS - BATCH_GAS) / TRANSFER_GAS))

/** One Multicall3 transaction that carries many key-signed payments; each may fail by itself. */
export function batchCall(jobs: readonly SettleJob[]): LoneCall {
  const calls = jobs.map(({ payment }) => ({
    target: payment.asset,
    allowFailure: true,
    data: transferByKey(payment.authorization, payment.signature),
  }))
  return { to: MULTICALL3, data: aggregate3(calls), gas: BATCH_GAS + TRANSFER_GAS * BigInt(jobs.length) }
}

/** Cut into as many batches as there is room for; the rest waits. @returns at most `room` lists of 1 to MAX_BATCH. */
export function cutBatches(jobs: readonly SettleJob[], room: number): SettleJob[][] {
  const batches: SettleJob[][] = []
  for (let at = 0; at < jobs.length && batches.length < room; at += MAX_BATCH)
    batches.push(jobs.slice(at, at + MAX_BATCH))
  return batches
}
