import type { Address } from 'viem'
import type { LogPlaces } from './logPlaces.ts'
import { logsBetween } from './nodeReads.ts'
import type { Inflow } from './port.ts'
import { type Rpc, RpcError } from './rpc.ts'
import { addressTopic, TRANSFER } from './tokenCalls.ts'
import { transferLogs } from './tokenLogs.ts'

/** Blocks asked for at once; halved when the node refuses the range, down to one. */
const RANGE = 2_000n

/**
 * Every transfer of the token to one receiver, oldest first. The range is covered without a gap or not at all: a part
 * that the node refuses even block by block is thrown (CHN-04).
 */
export async function readInflows(
  rpc: Rpc,
  places: LogPlaces,
  { asset, to, from, until }: { asset: Address; to: Address; from: bigint; until: bigint },
): Promise<Inflow[]> {
  const topics = [TRANSFER, null, addressTopic(to)]
  const inflows: Inflow[] = []
  let range = RANGE
  let next = from
  while (next <= until) {
    const end = next + range - 1n < until ? next + range - 1n : until
    try {
      const listed = await logsBetween(rpc, { address: asset, topics, from: next, to: end })
      for (const log of await places(rpc, listed))
        for (const { from: payer, value, logIndex, blockIndex } of transferLogs([log], asset))
          inflows.push({
            ...{ tx: log.transactionHash, logIndex, blockIndex, blockNumber: log.blockNumber },
            ...{ from: payer, value },
          })
    } catch (error) {
      if (!(error instanceof RpcError) || range === 1n) throw error
      range = range / 2n || 1n
      continue
    }
    next = end + 1n
  }
  return inflows.sort((a, b) => Number(a.blockNumber - b.blockNumber) || a.blockIndex - b.blockIndex)
}
