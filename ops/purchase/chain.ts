import { SECOND } from '../units.ts'
import type { SignedView } from './report.ts'

/** What the chain itself says about the transfer. Block time is ISO 8601. */
export type ChainView =
  | {
      status: 'confirmed'
      transaction: string
      block: number
      confirmations: number
      blockTime: string
      transfer: { from: string; to: string; valueAtomic: string; logIndex: number }
      sentBy: string //  who paid the gas
    }
  | { status: 'wrong'; why: string } //       the node is on this chain and shows something else
  | { status: 'unavailable'; why: string } // no node that could say

const TIMEOUT_MS = 5 * SECOND

/** Costs half a second of CPU: loaded only when the chain is asked. */
const loadViem = () => import('viem')

const connect = async (rpcUrl: string) => {
  const { createPublicClient, http } = await loadViem()
  return createPublicClient({ transport: http(rpcUrl, { timeout: TIMEOUT_MS, retryCount: 1 }) })
}

/** Looks for exactly the signed transfer in the transaction that the service names. Never throws. */
export async function confirmTransfer(
  rpcUrl: string,
  signed: SignedView,
  transaction: string,
): Promise<ChainView> {
  if (!/^0x[0-9a-fA-F]{64}$/.test(transaction))
    return { status: 'wrong', why: 'the service named no transaction' }
  try {
    const client = await connect(rpcUrl)
    if (!(await isOn(client, signed.offer.network)))
      return { status: 'unavailable', why: `the node of --rpc is not on ${signed.offer.network}` }
    const { erc20Abi, isAddressEqual, parseEventLogs } = await loadViem()
    const hash = transaction as `0x${string}`
    const receipt = await client.getTransactionReceipt({ hash }).catch(refuseNotFound)
    if (receipt === null) return { status: 'wrong', why: 'the transaction is not on chain' }
    if (receipt.status !== 'success') return { status: 'wrong', why: 'the transaction failed' }
    const transfer = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: receipt.logs }).find(
      ({ address, args }) =>
        isAddressEqual(address, signed.offer.asset as `0x${string}`) &&
        isAddressEqual(args.from, signed.from as `0x${string}`) &&
        isAddressEqual(args.to, signed.to as `0x${string}`) &&
        args.value === BigInt(signed.valueAtomic),
    )
    if (transfer === undefined)
      return { status: 'wrong', why: 'the transaction does not hold the transfer that was signed' }
    const [head, block] = await Promise.all([
      client.getBlockNumber(),
      client.getBlock({ blockHash: receipt.blockHash }),
    ])
    return {
      status: 'confirmed',
      transaction,
      block: Number(receipt.blockNumber),
      confirmations: Number(head - receipt.blockNumber) + 1,
      blockTime: new Date(Number(block.timestamp) * SECOND).toISOString(),
      transfer: {
        from: transfer.args.from,
        to: transfer.args.to,
        valueAtomic: transfer.args.value.toString(),
        logIndex: transfer.logIndex,
      },
      sentBy: receipt.from,
    }
  } catch {
    return { status: 'unavailable', why: 'the node does not answer' }
  }
}

const AUTHORIZATION_STATE = [
  {
    type: 'function',
    name: 'authorizationState',
    stateMutability: 'view',
    inputs: [{ type: 'address' }, { type: 'bytes32' }],
    outputs: [{ type: 'bool' }],
  },
] as const

/** Has the token already seen this authorization? null: nobody could say. */
export async function isAuthorizationUsed(rpcUrl: string, signed: SignedView): Promise<boolean | null> {
  try {
    const client = await connect(rpcUrl)
    if (!(await isOn(client, signed.offer.network))) return null
    const ask = () =>
      client.readContract({
        address: signed.offer.asset as `0x${string}`,
        abi: AUTHORIZATION_STATE,
        functionName: 'authorizationState',
        args: [signed.from as `0x${string}`, signed.nonce as `0x${string}`],
      })
    //  a node asked about its newest block just as another one comes may say that it has none
    return await ask().catch(ask)
  } catch {
    return null
  }
}

const isOn = async (client: Awaited<ReturnType<typeof connect>>, network: string): Promise<boolean> =>
  network === `eip155:${await client.getChainId()}`

/** A node that answers "there is none" has answered; everything else is an outage. */
function refuseNotFound(error: unknown): null {
  if (error instanceof Error && error.name === 'TransactionReceiptNotFoundError') return null
  throw error
}
