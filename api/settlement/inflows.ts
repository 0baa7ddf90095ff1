import type { Address } from 'viem'
import type { LogPlaces } from './logPlaces.ts'
import { type Range, readRanges, type Span } from './logRanges.ts'
import { logsBetween } from './nodeReads.ts'
import type { Inflow } from './port.ts'
import type { Rpc } from './rpc.ts'
import { addressTopic, TRANSFER } from './tokenCalls.ts'
import { transferLogs } from './tokenLogs.ts'

/**
 * Every transfer of the token to these receivers from block `from` to the returned `until`, oldest first: the one asked
 * for, or an earlier one if there are `enough` of them. The range is covered without a gap or not at all: if the node
 * refuses a part even block by block, this throws (CHN-04).
 */
export async function readInflows(
  rpc: Rpc,
  { places, span }: { places: LogPlaces; span: Span },
  {
    asset,
    receivers,
    from,
    until,
    enough = Number.POSITIVE_INFINITY,
  }: {
    asset: Address
    receivers: readonly Address[]
    from: bigint
    until: bigint
    enough?: number
  },
): Promise<{ until: bigint; inflows: Inflow[] }> {
  const topics = [TRANSFER, null, receivers.map(addressTopic)]
  const inflows: Inflow[] = []
  let reached = from - 1n
  const list = (range: Range) => logsBetween(rpc, { address: asset, topics, ...range })
  for await (const [{ to }, listed] of readRanges(span, { from, to: until }, list)) {
    for (const log of await places(rpc, listed))
      for (const { from: payer, value, logIndex, blockIndex } of transferLogs([log], asset))
        inflows.push({
          tx: log.transactionHash,
          logIndex,
          blockIndex,
          blockNumber: log.blockNumber,
          from: payer,
          value,
        })
    reached = to
    if (inflows.length >= enough) break
  }
  inflows.sort((a, b) => Number(a.blockNumber - b.blockNumber) || a.blockIndex - b.blockIndex)
  return { until: reached, inflows }
}
