import { hashMessage } from 'viem'
import { UnavailableError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import type { Metrics } from '../../ops/metrics.ts'
import { describeToken, type TokenDescription } from './describeToken.ts'
import { readFate, readState, readUseIn } from './fate.ts'
import { readInflows } from './inflows.ts'
import { createLogPlaces } from './logPlaces.ts'
import { createSpan } from './logRanges.ts'
import { blockAt, latestBlock, receiptOf, sealedBlock } from './nodeReads.ts'
import { type Patience, patientRpc } from './patientRpc.ts'
import type { ChainRefusal, ChainView, PaymentChain, TokenTransfer } from './port.ts'
import { refuseReceiver } from './refuseReceiver.ts'
import { RpcError } from './rpc.ts'
import { isSigned, isSignedByWallet } from './signed.ts'
import { createSimulator } from './simulator.ts'
import { authorizationUses, transferLogs } from './tokenLogs.ts'
import { openNodes } from './twoNodes.ts'

/** A list of arrivals ends after this many; the node's last answer may exceed it: 16 MiB are some 25,000 transfers. */
const ENOUGH_ARRIVALS = 5_000

export type ClosableChain = PaymentChain &
  ChainView & {
    /** What the chain says about the token, for the boot check. */
    describeToken(asset: `0x${string}`): Promise<TokenDescription>
    /** Why the token lets nobody pay this account now, or null. */
    refuseReceiver(asset: `0x${string}`, receiver: `0x${string}`): Promise<ChainRefusal | null>
    close(): Promise<void>
  }

/**
 * The payment chain over JSON-RPC. An outage is always an UnavailableError and never a refusal: a buyer's good
 * payment must not look bad because our node is down.
 */
export function createPaymentChain({
  rpcUrl,
  log,
  metrics,
  timeoutMs,
  patience,
  onContradiction,
}: {
  rpcUrl: string
  log: Log
  metrics?: Metrics
  timeoutMs?: number
  patience?: Patience //  for reads only
  onContradiction?: (method: string) => void //  of two nodes
}): ClosableChain {
  const direct = openNodes(rpcUrl, { ...(timeoutMs === undefined ? {} : { timeoutMs }), onContradiction })
  const rpc = patience === undefined ? direct : patientRpc(direct, patience)
  const simulator = createSimulator({ rpc })
  const uses = createSpan()
  const arriving = { places: createLogPlaces(), span: createSpan() }
  const outcomes = metrics?.counter('chain_simulations_total', 'Simulated payments by outcome', ['outcome'])

  /** A node that refuses to answer a plain read has not answered. */
  async function guarded<T>(what: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      if (error instanceof RpcError) {
        log.warn({ what, rpcCode: error.rpcCode }, 'the node refused a read')
        throw new UnavailableError('chain_unavailable', `${what}: refused by the node`, error)
      }
      throw error
    }
  }

  return {
    async refuse(payment) {
      try {
        const { refusal } = await guarded('simulation', () => simulator.simulate(payment))
        outcomes?.inc({ outcome: refusal ?? 'passes' })
        return refusal
      } catch (error) {
        outcomes?.inc({ outcome: 'unavailable' })
        throw error
      }
    },
    isSigned: (payment) => guarded('signature', () => isSigned(rpc, payment)),
    isSignedByWallet: (wallet, text, signature) =>
      guarded('signature', () => isSignedByWallet(rpc, wallet, hashMessage(text).slice(2), signature)),
    fate: (asset, from, nonce, sinceMs, maxBytes) =>
      guarded('fate', () => readFate(rpc, uses, asset, from, nonce, sinceMs, maxBytes)),
    isUsed: (asset, from, nonce) =>
      guarded('state', async () => (await readState(rpc, asset, from, nonce)).used),
    fateIn: (asset, from, nonce, tx) =>
      guarded('fate in a transaction', () => readUseIn(rpc, asset, from, nonce, tx)),
    transfers: (asset, tx, maxBytes) =>
      guarded('transfers', async () => {
        const receipt = await receiptOf(rpc, tx, maxBytes)
        const block = receipt === null ? null : await sealedBlock(rpc, receipt)
        if (receipt === null || block === null) return null //  not in a sealed block
        if (!receipt.succeeded) return 'reverted'
        const uses = authorizationUses(receipt.logs, asset)
        const authorized = new Set(uses.map(({ transfer }) => transfer?.logIndex))
        return transferLogs(receipt.logs, asset).map(
          (transfer): TokenTransfer => ({
            ...transfer,
            byAuthorization: authorized.has(transfer.logIndex),
            tx,
            blockNumber: block.number,
            blockMs: block.timeMs,
          }),
        )
      }),
    head: (which) => guarded('head', () => latestBlock(rpc, which)),
    blockAt: (number) => guarded('block', () => blockAt(rpc, number)),
    inflows: (asset, to, from, until) =>
      guarded(
        'inflows',
        async () => (await readInflows(rpc, arriving, { asset, receivers: [to], from, until })).inflows,
      ),
    arrivals: (asset, receivers, from, until) =>
      guarded('arrivals', () =>
        readInflows(rpc, arriving, { asset, receivers, from, until, enough: ENOUGH_ARRIVALS }),
      ),
    authorizationOf: (asset, tx, logIndex) =>
      guarded('authorization', async () => {
        const receipt = await receiptOf(rpc, tx)
        if (receipt === null) throw new UnavailableError('chain_unavailable', 'a transaction is not there')
        const use = authorizationUses(receipt.logs, asset).find(
          ({ transfer }) => transfer?.logIndex === logIndex,
        )
        return use === undefined ? null : { from: use.from, nonce: use.nonce }
      }),
    describeToken: (asset) => guarded('token', () => describeToken(rpc, asset)),
    refuseReceiver: (asset, receiver) => guarded('receiver', () => refuseReceiver(rpc, asset, receiver)),
    close: () => rpc.close(),
  }
}
