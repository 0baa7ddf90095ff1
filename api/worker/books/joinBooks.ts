import type { Address, Hex } from 'viem'
import { UnavailableError } from '../../../ops/errors.ts'
import { HOUR } from '../../../ops/units.ts'
import type { ClaimKey } from '../../ledger/ledger.ts'
import type { ChainHead, ChainView, Inflow, PaymentChain } from '../../settlement/port.ts'
import { blockOf } from './blockSince.ts'
import {
  CLASSES,
  classOf,
  isUnexplainedClass,
  type Known,
  type MoneyClass,
  type UnexplainedClass,
} from './classes.ts'
import type { BookedSale, LedgerView, TimeSpan } from './ledgerView.ts'

export type BooksAsked = {
  chainId: number
  asset: Address
  receivers: readonly Address[]
  from: bigint // first block
  until: bigint // last block
}
export type PartsAsked = BooksAsked & {
  after?: ChainHead | null //  the last block that is joined already, as the chain had it then
  partBlocks?: bigint
}

/** Money whose reason nobody knows, or a sale whose money is not there. */
export type Unexplained = {
  tx: Hex
  logIndex: number
  payer: string
  microUsdc: bigint
} & (
  | {
      why: UnexplainedClass
      blockIndex: number
      atMs: number //                   its block's time
      authorization: ClaimKey | null // by EIP-3009: it cannot be shown again once its window is over
    }
  | { why: 'not_on_chain'; receipt: string; atMs: null }
)

export type BooksPorts = {
  chain: Pick<ChainView & PaymentChain, 'arrivals' | 'authorizationOf' | 'blockAt' | 'transfers'>
  ledger: LedgerView
}

export type Books = BooksAsked & {
  inflowMicroUsdc: bigint
  classes: Record<MoneyClass, { count: number; microUsdc: bigint }>
  unexplained: Unexplained[] // oldest first
}
/** Books of one part, with its last block. */
export type Part = Books & { end: ChainHead }

/**
 * The most blocks of a part; one with many transfers is shorter. A part that fails is read again from its first block.
 */
const PART_BLOCKS = 2_000n
const AT_ONCE = 16

/** A sale is dated by its block, and written down by the ledger's clock. */
const CLOCKS_DIFFER_MS = 1 * HOUR

/**
 * Joins chain and ledger over a range of blocks (I1, I3): every transfer to our receivers gets one class, every booked
 * sale must have its transfer. Reads only, part by part, oldest first, and holds one part at a time. A part is yielded
 * once it is complete and the chain still has its last block and the previous part's: so everything up to there is
 * joined.
 * @throws UnavailableError when either side does not answer in full, or the chain is another than it was (CHN-04).
 */
export async function* joinBooks(
  asked: PartsAsked,
  ports: BooksPorts & { nowMs: number },
): AsyncGenerator<Part> {
  const { from, until, after: joined = null } = asked
  if (from > until) return
  const paid = {
    fromMs: (await blockOf(ports.chain, from)).timeMs,
    untilMs: (await blockOf(ports.chain, until)).timeMs,
  }
  let before = joined
  while (before === null || before.number < until) {
    const part = await joinPart(
      { ...asked, from: before === null ? from : before.number + 1n },
      { before, paid },
      ports,
    )
    yield part
    before = part.end
  }
}

export const noClasses = () =>
  Object.fromEntries(CLASSES.map((name) => [name, { count: 0, microUsdc: 0n }])) as Books['classes']

async function joinPart(
  asked: PartsAsked,
  { before, paid }: { before: ChainHead | null; paid: TimeSpan },
  { chain, ledger, nowMs }: BooksPorts & { nowMs: number },
): Promise<Part> {
  const { chainId, asset, receivers, from, partBlocks = PART_BLOCKS } = asked
  const most = from + partBlocks < asked.until ? from + partBlocks - 1n : asked.until
  const last = await blockOf(chain, most) //  first: if the chain changes meanwhile, another block is there afterwards
  const { until, inflows } = await chain.arrivals(asset, receivers, from, most)
  const end = until === most ? last : await blockOf(chain, until)
  const timeOf = createTimes(chain)
  const classes = noClasses()
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

  //  Each sale is checked in the part in which it was recorded. If its transfer is in another part, or outside, it is
  //  looked up.
  const there = new Set(inflows.flatMap(({ tx, ...at }) => indicesOf(at).map((index) => `${tx} ${index}`)))
  const written = {
    fromMs: before === null ? paid.fromMs - CLOCKS_DIFFER_MS : before.timeMs + 1,
    untilMs: until === asked.until ? Number.POSITIVE_INFINITY : end.timeMs,
  }
  for (const sale of await ledger.sales(paid, written)) {
    const entry = { why: 'not_on_chain', ...sale, atMs: null } as const
    if (
      !there.has(`${sale.tx} ${sale.logIndex}`) &&
      (await isUnexplained(entry, asked, { chain, ledger, nowMs }))
    )
      unexplained.push(entry)
  }
  for (const mark of before === null ? [last] : [before, last]) //  in this order: the later builds on the earlier
    if ((await blockOf(chain, mark.number)).hash !== mark.hash)
      throw new UnavailableError('chain_unavailable', `block ${mark.number} was replaced while it was joined`)

  return {
    chainId,
    asset,
    receivers,
    from,
    until,
    end,
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

/** Whether an entry that was unexplained still is. */
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
    const asking = blockOf(chain, number).then(({ timeMs }) => timeMs)
    times.set(number, asking)
    return asking
  }
}

/** Sales were once booked with the index within the block. */
const indicesOf = ({ logIndex, blockIndex }: { logIndex: number; blockIndex: number }) => [
  logIndex,
  blockIndex,
]
