import type { Hex } from 'viem'
import { NAMED_MAX_BYTES } from '../../settlement/namedBytes.ts'
import { type BlockHead, receiptOf, sealedBlock, type TxReceipt } from '../../settlement/nodeReads.ts'
import type { Rpc } from '../../settlement/rpc.ts'
import type { Rail } from '../rail.ts'
import { canonicalHash, type EvmNetwork } from './network.ts'

type Found = Awaited<ReturnType<Rail['byHash']>>

/** A transaction that succeeded, in its sealed block. */
export type Named = { hash: Hex; receipt: TxReceipt; block: BlockHead }

/**
 * What a named transaction paid. Anybody may name any hash, so the size of the receipt read is bounded.
 * @param read reads the transfers of a successful one; all other outcomes are the same for every asset of the chain.
 */
export async function readNamed(
  network: EvmNetwork,
  tx: string,
  read: (rpc: Rpc, named: Named) => Promise<Found>,
): Promise<Found> {
  const hash = canonicalHash(tx)
  if (hash === null) return 'failed'
  return network.read('transfers', async (rpc) => {
    const receipt = await receiptOf(rpc, hash, NAMED_MAX_BYTES)
    const block = receipt === null ? null : await sealedBlock(rpc, receipt)
    if (receipt === null || block === null) return 'unknown'
    return receipt.succeeded ? read(rpc, { hash, receipt, block }) : 'failed'
  })
}
