import type { Address, Hex } from 'viem'
import { z } from 'zod'
import { UnavailableError } from '../../ops/errors.ts'
import { SECOND } from '../../ops/units.ts'
import { createNamedBytes } from './namedBytes.ts'
import { readFoundLog, readLog } from './readLog.ts'
import { isExecutionFailure, type Rpc, RpcError } from './rpc.ts'

const HexText = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/)
  .transform((text) => text.toLowerCase() as Hex)
const Quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt)

/** A sealed block: its time is the clock that the token compares with. */
const Block = z.object({
  number: Quantity,
  hash: HexText,
  timestamp: Quantity,
  baseFeePerGas: Quantity.nullish().transform((fee) => fee ?? 0n),
})
export type BlockHead = { number: bigint; hash: Hex; timeMs: number; baseFee: bigint }

/** Lower-case throughout. */
export type ChainLog = {
  address: Hex
  topics: Hex[]
  data: Hex
  logIndex: number //   among the logs of its transaction: stays the same in another block
  blockIndex: number // among the logs of its block
  transactionHash: Hex
}
/** A log as nodes list it by blocks: without its position within the transaction, see logPlaces.ts. */
export type MinedLog = Omit<ChainLog, 'logIndex'> & { blockNumber: bigint; blockHash: Hex }

const Receipt = z.object({
  transactionHash: HexText,
  blockNumber: Quantity,
  blockHash: HexText,
  status: Quantity.nullish(),
  gasUsed: Quantity,
  logs: z.array(z.unknown()),
})
export type TxReceipt = {
  tx: Hex
  blockNumber: bigint
  blockHash: Hex
  succeeded: boolean
  gasUsed: bigint
  logs: ChainLog[]
}

/** @throws UnavailableError: a node whose answer cannot be read has not answered. */
function read<T>(schema: z.ZodType<T>, what: string, answer: unknown): T {
  const parsed = schema.safeParse(answer)
  if (parsed.success) return parsed.data
  throw new UnavailableError('chain_unavailable', `${what}: the node's answer has another shape`)
}

/** @throws UnavailableError as `read` does. */
function readEach<T>(readOne: (json: unknown) => T | null, what: string, listed: readonly unknown[]): T[] {
  return listed.map((json) => {
    const one = readOne(json)
    if (one === null) throw new UnavailableError('chain_unavailable', `${what}: a log has another shape`)
    return one
  })
}

const head = ({ number, hash, timestamp, baseFeePerGas }: z.infer<typeof Block>): BlockHead => ({
  number,
  hash,
  timeMs: Number(timestamp) * SECOND,
  baseFee: baseFeePerGas,
})

export const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`

export async function latestBlock(rpc: Rpc, which: 'latest' | 'finalized' = 'latest'): Promise<BlockHead> {
  return head(read(Block, 'eth_getBlockByNumber', await rpc.call('eth_getBlockByNumber', [which, false])))
}

/** null: the node does not have it (yet). */
export async function blockAt(rpc: Rpc, number: bigint): Promise<BlockHead | null> {
  const answer = await rpc.call('eth_getBlockByNumber', [quantity(number), false])
  return answer === null ? null : head(read(Block, 'eth_getBlockByNumber', answer))
}

const named = createNamedBytes()

/**
 * @returns null: unknown or still pending.
 * @param maxBytes for a transaction that anybody may have named: it then shares their bound, see namedBytes.ts.
 */
export async function receiptOf(
  rpc: Rpc,
  tx: Hex,
  maxBytes?: number,
  among = named,
): Promise<TxReceipt | null> {
  if (maxBytes === undefined) return await readReceipt(rpc, tx)
  const taken = among.take(maxBytes)
  const receipt = await readReceipt(rpc, tx, taken.maxBytes)
  taken.came(receipt?.logs.length ?? null)
  return receipt
}

async function readReceipt(rpc: Rpc, tx: Hex, maxBytes?: number): Promise<TxReceipt | null> {
  const answer = await rpc.call('eth_getTransactionReceipt', [tx], maxBytes)
  if (answer === null) return null
  const { transactionHash, blockNumber, blockHash, status, gasUsed, logs } = read(
    Receipt,
    'eth_getTransactionReceipt',
    answer,
  )
  const all = readEach(readLog, 'eth_getTransactionReceipt', logs)
  const first = Math.min(...all.map(({ blockIndex }) => blockIndex))
  const kept = all
    .filter(({ isRemoved }) => !isRemoved)
    .map(({ isRemoved: _, ...log }) => ({ ...log, logIndex: log.blockIndex - first }))
  return { tx: transactionHash, blockNumber, blockHash, succeeded: status === 1n, gasUsed, logs: kept }
}

/**
 * The sealed block of a receipt, if it is part of the chain as it is now; else null: a flashblock is not sealed yet,
 * and a reorganised block no longer belongs to the chain (CHN-01, CHN-02).
 */
export async function sealedBlock(
  rpc: Rpc,
  receipt: Pick<TxReceipt, 'blockNumber' | 'blockHash'>,
): Promise<BlockHead | null> {
  const block = await blockAt(rpc, receipt.blockNumber)
  return block !== null && block.hash === receipt.blockHash ? block : null
}

type Filter = { address: Address; topics: (Hex | Hex[] | null)[] }

/** One question to the node; for ranges of any length see logRanges.ts. */
export async function logsBetween(
  rpc: Rpc,
  { from, to, ...filter }: Filter & { from: bigint; to: bigint },
): Promise<MinedLog[]> {
  const logs = await logsOf(rpc, filter, { fromBlock: quantity(from), toBlock: quantity(to) })
  return logs.filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to)
}

/** @throws RpcError when the node has no such block, where a range beyond its newest one would just be empty. */
export async function logsOfBlock(
  rpc: Rpc,
  { hash, ...filter }: Filter & { hash: Hex },
): Promise<MinedLog[]> {
  return await logsOf(rpc, filter, { blockHash: hash })
}

/** Only logs that were asked for, whatever else the node lists (CLS-12): other contracts' or payers' decide nothing. */
async function logsOf(rpc: Rpc, { address, topics }: Filter, blocks: object): Promise<MinedLog[]> {
  const asked = { address, topics, ...blocks }
  const listed = read(z.array(z.unknown()), 'eth_getLogs', await rpc.call('eth_getLogs', [asked]))
  const logs = readEach(readFoundLog, 'eth_getLogs', listed)
  const wanted = topics.map((any) => (any === null ? null : [any].flat().map(lower)))
  return logs
    .filter(
      (log) =>
        !log.isRemoved &&
        log.address === lower(address) &&
        wanted.every((any, at) => any === null || any.includes(log.topics[at] as Hex)),
    )
    .map(({ isRemoved: _, ...log }) => log)
}

/**
 * @param block a number, or the newest. Asked for the newest, a node that moves on in that moment may say that it
 * has no such block any more: it gets a second chance.
 */
export async function ethCall(
  rpc: Rpc,
  request: { to?: Address; data: Hex; from?: Address; gas?: bigint; gasPrice?: bigint },
  block: bigint | 'latest' = 'latest',
): Promise<Hex> {
  const { gas, gasPrice, ...rest } = request
  const transaction = {
    ...rest,
    ...(gas === undefined ? {} : { gas: quantity(gas) }),
    ...(gasPrice === undefined ? {} : { gasPrice: quantity(gasPrice) }),
  }
  const ask = () => rpc.call('eth_call', [transaction, block === 'latest' ? block : quantity(block)])
  const answer = await ask().catch((error: unknown) => {
    if (block === 'latest' && error instanceof RpcError && !isExecutionFailure(error)) return ask()
    throw error
  })
  return read(HexText, 'eth_call', answer)
}

/** The single quantity that a method answers with: counts, balances, prices, the chain id. */
export async function quantityOf(rpc: Rpc, method: string, params: readonly unknown[]): Promise<bigint> {
  return read(Quantity, method, await rpc.call(method, params))
}

const lower = <Text extends Hex>(hex: Text): Text => hex.toLowerCase() as Text
