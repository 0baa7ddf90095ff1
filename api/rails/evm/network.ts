import type { Hex } from 'viem'
import { UnavailableError } from '../../../ops/errors.ts'
import type { Log } from '../../../ops/log.ts'
import { quantityOf } from '../../settlement/nodeReads.ts'
import { type Rpc, RpcError } from '../../settlement/rpc.ts'
import { openNodes } from '../../settlement/twoNodes.ts'

/** One EVM chain as all rails on it read it. */
export type EvmNetwork = {
  chainId: number
  /**
   * Plain reads. Before the first one the node is asked which chain it serves: money of another chain is never
   * taken for ours (CLS-15, RAIL-04).
   * @throws UnavailableError for an outage, a refusal, and a node of another chain.
   */
  read<T>(what: string, ask: (rpc: Rpc) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export function createEvmNetwork({
  rpcUrl,
  chainId,
  log,
  timeoutMs,
  onContradiction,
}: {
  rpcUrl: string
  chainId: number
  log: Log
  timeoutMs?: number
  onContradiction?: ((method: string) => void) | undefined //  of two nodes
}): EvmNetwork {
  const rpc = openNodes(rpcUrl, { ...(timeoutMs === undefined ? {} : { timeoutMs }), onContradiction })
  let known: Promise<bigint> | null = null

  async function refuseOtherChain(): Promise<void> {
    known ??= quantityOf(rpc, 'eth_chainId', []).catch((error: unknown) => {
      known = null
      throw error
    })
    const found = await known
    if (found === BigInt(chainId)) return
    known = null //  the node's operator may correct it
    log.error({ wanted: chainId, found: String(found) }, 'the node serves another chain')
    throw new UnavailableError('chain_unavailable', `the node serves chain ${found}, not ${chainId}`)
  }

  return {
    chainId,
    async read(what, ask) {
      try {
        await refuseOtherChain()
        return await ask(rpc)
      } catch (error) {
        if (!(error instanceof RpcError)) throw error
        log.warn({ what, chainId, rpcCode: error.rpcCode }, 'the node refused a read')
        throw new UnavailableError('chain_unavailable', `${what}: refused by the node`, error)
      }
    },
    close: () => rpc.close(),
  }
}

/** `0X`, upper case, no prefix and blanks around it all name one transaction (CLS-02). null: no hash. */
export function canonicalHash(tx: string): Hex | null {
  const match = /^(?:0[xX])?([0-9a-fA-F]{64})$/.exec(tx.trim())
  return match === null ? null : `0x${match[1]!.toLowerCase()}`
}
