import type { Address, Hex } from 'viem'
import { assert } from '../../../ops/errors.ts'
import type { ChainView, Inflow, PaymentChain } from '../../settlement/port.ts'
import { CLASSES, classOf, type MoneyClass } from './classes.ts'
import type { LedgerView } from './ledgerView.ts'

export type BooksAsked = {
  chainId: number
  asset: Address
  receivers: readonly Address[]
  from: bigint // first block
  until: bigint // last block
}

/** Money whose reason nobody knows, or a sale whose money is not there. */
export type Unexplained = {
  why: 'unattributed' | 'not_on_chain'
  tx: string
  logIndex: number
  payer: string
  microUsdc: bigint
  ageMs: number | null // null: it is in no block
  authorized: boolean //  by EIP-3009, so that it cannot be shown again once its window is over
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
  {
    chain,
    ledger,
    nowMs,
  }: {
    chain: Pick<ChainView & PaymentChain, 'inflows' | 'authorizationOf' | 'blockAt' | 'transfers'>
    ledger: LedgerView
    nowMs: number
  },
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

  const judge = async (inflow: Inflow) => {
    const { tx, logIndex, blockNumber, from: payer, value } = inflow
    let known = await ledger.known(inflow, null)
    let used: Awaited<ReturnType<typeof chain.authorizationOf>> = null
    if (known.owner === null) {
      used = await chain.authorizationOf(asset, tx, logIndex)
      const key = used === null ? null : `auth:${chainId}:${asset}:${used.from}:${used.nonce}`
      if (key !== null) known = await ledger.known(inflow, key)
    }
    const blockMs = await timeOf(blockNumber)
    const kind = classOf(known, blockMs, nowMs)
    classes[kind].count++
    classes[kind].microUsdc += value
    if (kind === 'unattributed')
      unexplained.push({
        why: kind,
        tx,
        logIndex,
        payer,
        microUsdc: value,
        ageMs: nowMs - blockMs,
        authorized: used !== null,
      })
  }
  for (let at = 0; at < inflows.length; at += AT_ONCE)
    await Promise.all(inflows.slice(at, at + AT_ONCE).map(judge))

  //  The range ends between blocks, and blocks of one second have one time: what is just outside is looked up.
  const isElsewhere = async (tx: string, logIndex: number) => {
    const transfers = await chain.transfers(asset, tx as Hex)
    return Array.isArray(transfers) && transfers.some((one) => isAt(one, logIndex))
  }
  const there = new Set(inflows.flatMap(({ tx, ...at }) => indicesOf(at).map((index) => `${tx} ${index}`)))
  for (const { tx, logIndex, payer, microUsdc } of await ledger.sales(
    await timeOf(from),
    await timeOf(until),
  ))
    if (!there.has(`${tx} ${logIndex}`) && !(await isElsewhere(tx, logIndex)))
      unexplained.push({
        why: 'not_on_chain',
        tx,
        logIndex,
        payer,
        microUsdc,
        ageMs: null,
        authorized: false,
      })

  return {
    ...asked,
    inflowMicroUsdc: inflows.reduce((sum, { value }) => sum + value, 0n),
    classes,
    unexplained: unexplained.sort((a, b) => (b.ageMs ?? 0) - (a.ageMs ?? 0)),
  }
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
const isAt = (transfer: { logIndex: number; blockIndex: number }, index: number): boolean =>
  indicesOf(transfer).includes(index)
