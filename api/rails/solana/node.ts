import { base58 } from '@scure/base'
import { UnavailableError } from '../../../ops/errors.ts'
import type { Log } from '../../../ops/log.ts'
import { SECOND } from '../../../ops/units.ts'
import { createRpc, RpcError } from '../../settlement/rpc.ts'
import {
  readSignatures,
  readTransaction,
  readWhole,
  type SolanaSignature,
  type SolanaTransaction,
} from './wire.ts'

const MAINNET_GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'
/** Only finalised transactions are looked at (RAIL-07): no fork can drop them. */
const FINALIZED = { commitment: 'finalized' } as const

/** @throws UnavailableError for an outage, a refusal, and in live mode for a node of another cluster. */
export type SolanaNode = {
  /** null: not finalised, or unknown. */
  transaction(signature: string): Promise<SolanaTransaction | null>
  /** Newest first, those before `before` when it is given. At most 1,000. */
  signatures(address: string, before: string | null): Promise<SolanaSignature[]>
  /** The time of the oldest block that it still has: of what was before, it names nothing. */
  oldestMs(): Promise<number>
  close(): Promise<void>
}

export const SIGNATURES_AT_ONCE = 1_000

export function createSolanaNode({
  rpcUrl,
  mainnet,
  log,
}: {
  rpcUrl: string
  mainnet: boolean
  log: Log
}): SolanaNode {
  const rpc = createRpc(rpcUrl)
  let known: Promise<unknown> | null = null

  async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
    try {
      if (mainnet) await refuseOtherCluster()
      return await rpc.call(method, params)
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      log.warn({ method, rpcCode: error.rpcCode }, 'the Solana node refused a read')
      throw new UnavailableError('chain_unavailable', `${method}: refused by the node`, error)
    }
  }

  async function refuseOtherCluster(): Promise<void> {
    known ??= rpc.call('getGenesisHash', []).catch((error: unknown) => {
      known = null
      throw error
    })
    if ((await known) === MAINNET_GENESIS) return
    known = null
    throw new UnavailableError('chain_unavailable', 'the Solana node serves another cluster')
  }

  return {
    async transaction(signature) {
      const options = { ...FINALIZED, encoding: 'json', maxSupportedTransactionVersion: 0 }
      const answer = await ask('getTransaction', [signature, options])
      return answer === null ? null : readTransaction(answer)
    },
    async signatures(address, before) {
      const options = { ...FINALIZED, limit: SIGNATURES_AT_ONCE, ...(before === null ? {} : { before }) }
      return readSignatures(await ask('getSignaturesForAddress', [address, options]))
    },
    async oldestMs() {
      const slot = readWhole(await ask('getFirstAvailableBlock', []))
      return slot === 0 ? 0 : readWhole(await ask('getBlockTime', [slot])) * SECOND
    },
    close: () => rpc.close(),
  }
}

/** One spelling of a signature (CLS-02): base58 has one for each 64 bytes. null: no signature. */
export function canonicalSignature(text: string): string | null {
  try {
    const bytes = base58.decode(text.trim())
    return bytes.length === 64 ? base58.encode(bytes) : null
  } catch {
    return null
  }
}
