import type { Address } from 'viem'
import { aggregate3 } from './multicall.ts'
import type { ChainRefusal } from './port.ts'
import { readRevert } from './revert.ts'
import type { Rpc } from './rpc.ts'
import { lastResult } from './simulate.ts'
import { transfer } from './tokenCalls.ts'

const GAS = 200_000n

/**
 * Why the token lets nobody pay this account, or null. The refusal of a payment only says that one of its two accounts
 * is blocked, and only its payer sees it; if it is our own account, an operator must know (SIG-09). Tries a zero
 * transfer.
 */
export async function refuseReceiver(
  rpc: Rpc,
  asset: Address,
  receiver: Address,
): Promise<ChainRefusal | null> {
  const call = { target: asset, allowFailure: true, data: transfer(receiver, 0n) }
  const result = await lastResult(rpc, { data: aggregate3([call]), gas: GAS, count: 1 })
  return result === null || result.success ? null : readRevert(result.returnData)
}
