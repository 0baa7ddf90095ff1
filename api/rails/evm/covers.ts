import { z } from 'zod'
import { UnavailableError } from '../../../ops/errors.ts'
import { latestBlock, quantity, receiptOf } from '../../settlement/nodeReads.ts'
import type { Rpc } from '../../settlement/rpc.ts'
import type { EvmNetwork } from './network.ts'
import { firstBlockSince } from './scan.ts'

const Body = z.object({ transactions: z.array(z.string().regex(/^0x[0-9a-fA-F]{64}$/)) }).nullable()

/** Blocks that are looked through for one with a transaction: most chains have one in every block. */
const MAX_BLOCKS = 16n

/**
 * Whether the node can tell what was mined at that time: its newest block is not older, and it has the receipt of
 * another transaction of that time. A node that lags or dropped its history does not. Some twenty reads.
 */
export async function coversTime(network: EvmNetwork, atMs: number): Promise<boolean> {
  const head = await network.read('head', latestBlock)
  if (head.timeMs < atMs) return false
  const first = await firstBlockSince(network, head, atMs)
  if (first > head.number) return false //  it has heads that it does not show
  for (let number = first; number <= head.number && number < first + MAX_BLOCKS; number++) {
    const hashes = await network.read('block', (rpc) => transactionsIn(rpc, number))
    if (hashes === null) return false
    const [tx] = hashes
    if (tx !== undefined) return (await network.read('receipt', (rpc) => receiptOf(rpc, tx))) !== null
  }
  return true //  blocks without transactions hold none of ours
}

/** null: the node does not have the block. */
async function transactionsIn(rpc: Rpc, number: bigint): Promise<`0x${string}`[] | null> {
  const block = Body.safeParse(await rpc.call('eth_getBlockByNumber', [quantity(number), false]))
  if (!block.success)
    throw new UnavailableError('chain_unavailable', 'eth_getBlockByNumber: the answer has another shape')
  return block.data === null ? null : (block.data.transactions as `0x${string}`[])
}
