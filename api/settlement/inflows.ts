import type { Address } from 'viem'
import type { LogPlaces } from './logPlaces.ts'
import { type Range, readRanges, type Span } from './logRanges.ts'
import { logsBetween } from './nodeReads.ts'
import type { Inflow } from './port.ts'
import type { Rpc } from './rpc.ts'
import { addressTopic, TRANSFER } from './tokenCalls.ts'
import { transferLogs } from './tokenLogs.ts'

/**
 * Every transfer of the token to one receiver, oldest first. The range is covered without a gap or not at all: a part
 * that the node refuses even block by block is thrown (CHN-04).
 */
export async function readInflows(
  rpc: Rpc,
  { places, span }: { places: LogPlaces; span: Span },
  { asset, to, from, until }: { asset: Address; to: Address; from: bigint; until: bigint },
): Promise<Inflow[]> {
  const topics = [TRANSFER, null, addressTopic(to)]
  const inflows: Inflow[] = []
  const list = (range: Range) => logsBetween(rpc, { address: asset, topics, ...range })
  for await (const [, listed] of readRanges(span, { from, to: until }, list))
    for (const log of await places(rpc, listed))
      for (const { from: payer, value, logIndex, blockIndex } of transferLogs([log], asset))
        inflows.push({
          ...{ tx: log.transactionHash, logIndex, blockIndex, blockNumber: log.blockNumber },
          ...{ from: payer, value },
        })
  return inflows.sort((a, b) => Number(a.blockNumber - b.blockNumber) || a.blockIndex - b.blockIndex)
}
