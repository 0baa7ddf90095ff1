import type { Address, Hex } from 'viem'
import { assert } from '../../../ops/errors.ts'
import type { ClaimKey } from '../../ledger/ledger.ts'
import type { ChainView, Inflow, PaymentChain } from '../../settlement/port.ts'
import { CLASSES, classOf, isUnexplainedClass, type Known, type MoneyClass } from './classes.ts'
import type { BookedSale, LedgerView } from './ledgerView.ts'

export type BooksAsked = {
  chainId: number
  asset: Address
  receivers: readonly Address[]
  from: bigint // first block
  until: bigint // last block
}

/** Money whose reason nobody knows, or a sale whose money is not there. */
export type Unexplained = {
  tx: Hex
  logIndex: number
  payer: string
  microUsdc: bigint
} & (
  | {
      why: 'unattributed' | 'void'
      blockIndex: number
      atMs: number //                   its block's time
      authorization: ClaimKey | null // by EIP-3009: it cannot be shown again once its window is over
    }
  | { why: 'not_on_chain'; receipt: string; atMs: null }
)

export type BooksPorts = {
  chain: Pick<ChainView & PaymentChain, 'inflows' | 'authorizationOf' | 'blockAt' | 'transfers'>
  ledger: LedgerView
}

export type Books = BooksAsked & {
  inflowMicroUsdc: bigint
  classes: Record<MoneyClass, { count: number; microUsdc: bigint }>
  unexplained: Unexplained[] // oldest first
}

const AT_ONCE = 16

/**
 * Joins chain and ledger over a range of blocks (I1, I3): every transfer to our receivers gets one class, every
 * booked sale must have its transfer. Reads only. @throws UnavailableError when either side does not answer in full.
 */
export async function joinBooks(
  asked: BooksAsked,
  { chain, ledger, nowMs }: BooksPorts & { nowMs: number },
): Promise<Books> {
  const { chainId, asset, receivers, from, until } = asked
  const timeOf = createTimes(chain)
  const inflows = (
    await Promise.all(receivers.map((receiver) => chain.inflows(asset, receiver, from, until)))
  ).flat()
  const classes = Object.fromEntries(
    CLASSES.map((name) => [name, { count: 0, microUsdc: 0n }]),
  ) as Books['classes']
  const unexplained: Unexplained[] = []

  const judge = async (inflow: Inflow): Promise<Unexplained[]> => {
    const { tx, logIndex, blockIndex, blockNumber, from: payer, value } = inflow
    const { known, authorization } = await knownOf(inflow, asked, { chain, ledger })
    const atMs = await timeOf(blockNumber)
    const kind = classOf(known, atMs, nowMs)
    classes[kind].count++
    classes[kind].microUsdc += value
    const entry = { tx, logIndex, payer, microUsdc: value, blockIndex, atMs, authorization }
    return isUnexplainedClass(kind) ? [{ why: kind, ...entry }] : []
  }
  for (let at = 0; at < inflows.length; at += AT_ONCE)
    unexplained.push(...(await Promise.all(inflows.slice(at, at + AT_ONCE).map(judge))).flat())

  //  The range ends between blocks, and blocks of one second have one time: what is just outside is looked up.
  const there = new Set(inflows.flatMap(({ tx, ...at }) => indicesOf(at).map((index) => `${tx} ${index}`)))
  for (const sale of await ledger.sales(await timeOf(from), await timeOf(until)))
    if (!there.has(`${sale.tx} ${sale.logIndex}`) && !(await isOnChain(sale, asset, chain)))
      unexplained.push({ why: 'not_on_chain', ...sale, atMs: null })

  return {
    ...{ chainId, asset, receivers, from, until },
    inflowMicroUsdc: inflows.reduce((sum, { value }) => sum + value, 0n),
    classes,
    unexplained: unexplained.sort((a, b) => (a.atMs ?? nowMs) - (b.atMs ?? nowMs)),
  }
}

/** What the ledger says of a transfer, by its own name or by the authorization that made it. */
export async function knownOf(
  transfer: Pick<Inflow, 'tx' | 'logIndex' | 'blockIndex'>,
  { chainId, asset }: Pick<BooksAsked, 'chainId' | 'asset'>,
  { chain, ledger }: BooksPorts,
): Promise<{ known: Known; authorization: ClaimKey | null }> {
  const known = await ledger.known(transfer, null)
  if (known.owner !== null) return { known, authorization: null }
  const used = await chain.authorizationOf(asset, transfer.tx, transfer.logIndex)
  if (used === null) return { known, authorization: null }
  const authorization = `auth:${chainId}:${asset}:${used.from}:${used.nonce}`
  return { known: await ledger.known(transfer, authorization), authorization }
}

/** Whether what could not be explained before still cannot. */
export async function isUnexplained(
  entry: Unexplained,
  { asset }: Pick<BooksAsked, 'asset'>,
  { chain, ledger, nowMs }: BooksPorts & { nowMs: number },
): Promise<boolean> {
  if (entry.why === 'not_on_chain')
    return !(await ledger.isReversed(entry.receipt)) && !(await isOnChain(entry, asset, chain))
  return isUnexplainedClass(classOf(await ledger.known(entry, entry.authorization), entry.atMs, nowMs))
}

async function isOnChain(
  { tx, logIndex }: Pick<BookedSale, 'tx' | 'logIndex'>,
  asset: Address,
  chain: BooksPorts['chain'],
): Promise<boolean> {
  const transfers = await chain.transfers(asset, tx)
  return Array.isArray(transfers) && transfers.some((one) => indicesOf(one).includes(logIndex))
}

/** Times of blocks, each asked for once. */
function createTimes(chain: Pick<ChainView, 'blockAt'>): (block: bigint) => Promise<number> {
  const times = new Map<bigint, Promise<number>>()
  return (number) => {
    const known = times.get(number)
    if (known !== undefined) return known
    const asking = chain.blockAt(number).then((block) => {
      assert(block !== null, 'a block of the range is there')
      return block.timeMs
    })
    times.set(number, asking)
    return asking
  }
}

/** Sales were once booked with the index within the block. */
const indicesOf = ({ logIndex, blockIndex }: { logIndex: number; blockIndex: number }) => [
  logIndex,
  blockIndex,
]
