import type { Address } from 'viem'
import type { Clock } from '../../../ops/clock.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { DAY, SECOND } from '../../../ops/units.ts'
import { createLogPlaces } from '../../settlement/logPlaces.ts'
import { createSpan, type Range, readRanges } from '../../settlement/logRanges.ts'
import { type BlockHead, blockAt, latestBlock } from '../../settlement/nodeReads.ts'
import { ANY_SUM_MICRO, confirmationsFor, depthOf } from '../confirmations.ts'
import type { EvmChain } from '../records.ts'
import { createAuthorizedPlaces } from './authorized.ts'
import { createBlockTimes, type ScannedTransfer, transfersBetween } from './logs.ts'
import type { EvmNetwork } from './network.ts'
import { MAX_KEPT, type Mark, type Scanned, withoutOldest, withoutReplaced, withRange } from './scanned.ts'

/** Looked through at once: the last of it, or as much of what is older. */
const AT_ONCE_MS = 1 * DAY
/** A call that has not reached the newest block by then counts as an outage; the next one resumes where it ended. */
const DEADLINE_MS = 15 * SECOND
/** The newest blocks may be replaced: read again each time (CHN-04). */
const OVERLAP: Record<EvmChain, bigint> = { base: 8n, arbitrum: 40n, polygon: 64n, ethereum: 12n }

/** A search for the block of a time begins so far behind the newest one. */
const FIRST_STEP = 64n

/** The largest depth that FINALITY can ask for. */
const DEEPEST_POLICY = 999
/** Deeper transfers have counted, whatever their value: the chain will not take them back (CHN-06). */
const deepestOf = (chain: EvmChain): bigint =>
  BigInt(Math.max(confirmationsFor(chain, ANY_SUM_MICRO), DEEPEST_POLICY))

export type Discovered = ScannedTransfer & { confirmations: number }
export type Scan = {
  /** Of the last day at most. */
  since(fromMs: number): Promise<Discovered[]>
  /** From any time on, but a day of it at most. */
  through(fromMs: number): Promise<Through>
}
type Through = { found: Discovered[]; untilMs: number }
/**
 * How far a search has come, and up to when it was to be read. One for the newest day, one for what is older: neither
 * loses its place to the other.
 */
type Walk = { scanned: Scanned | null; aimMs: number }
type Asked = {
  fromMs: number
  untilMs: number
  oldestMs: number // what is older is forgotten
  head: BlockHead
  last: bigint //     the last block that is read
  endMs: number //    when the call gives up
}

/**
 * Follows the transfers to our receivers. What was read stays known, so that asking often costs the newest blocks
 * only; the cursor advances over ranges that the node has answered and nothing else. x402 settlements are left
 * out: they are most of what arrives and pay no intent.
 */
export function createScan({
  network,
  chain,
  asset,
  receivers,
  clock,
}: {
  network: EvmNetwork
  chain: EvmChain
  asset: Address
  receivers: readonly Address[]
  clock: Clock
}): Scan {
  const times = createBlockTimes(network)
  const places = createLogPlaces()
  const authorized = createAuthorizedPlaces()
  const newest: Walk = { scanned: null, aimMs: 0 }
  const older: Walk = { scanned: null, aimMs: 0 }
  const span = createSpan()
  let turn: Promise<unknown> = Promise.resolve()

  /** What is asked for, or a day of it. @returns also where that ends. */
  async function scanFrom(askedMs: number, lookbackMs: number): Promise<Through> {
    const endMs = clock.nowMs() + DEADLINE_MS
    const head = await network.read('head', latestBlock)
    const newestMs = Math.min(clock.nowMs(), head.timeMs)
    const fromMs = Math.max(askedMs, newestMs - lookbackMs)
    const oldestMs = newestMs - AT_ONCE_MS
    if (fromMs >= oldestMs) {
      const untilMs = newestMs
      const asked = { fromMs, untilMs, oldestMs, head, last: head.number, endMs }
      return { found: await scan(newest, asked), untilMs }
    }
    const untilMs = fromMs + AT_ONCE_MS
    const last = (await firstBlockSince(network, head, untilMs)) - 1n
    return { found: await scan(older, { fromMs, untilMs, oldestMs: fromMs, head, last, endMs }), untilMs }
  }

  async function scan(walk: Walk, asked: Asked): Promise<Discovered[]> {
    const { fromMs, untilMs, oldestMs, head, last } = asked
    if (walk.aimMs < fromMs) walk.scanned = null //  nobody has asked for what lies between
    walk.aimMs = untilMs
    const { scanned } = walk
    let now: Scanned =
      scanned !== null && scanned.fromMs <= fromMs
        ? await stillThere(scanned, head)
        : { fromMs, to: await lastBlockBefore(fromMs, head), found: [], marks: [] }
    const read = (range: Range) => readRange(range, now.marks.at(-1), asked)
    for await (const [, part] of readRanges(span, { from: now.to + 1n, to: last }, read)) {
      now = withoutOldest(withRange(now, part), oldestMs)
      walk.scanned = now
    }
    if (now.fromMs > fromMs)
      throw new UnavailableError('chain_unavailable', `more than ${MAX_KEPT} transfers since then`)
    return now.found
      .filter(({ atMs }) => atMs >= fromMs)
      .map((one) => ({ ...one, confirmations: depthOf(head.number, one.blockNumber) }))
  }

  /** @param before the newest mark of what is older. */
  async function readRange({ from, to }: Range, before: Mark | undefined, { head, endMs }: Asked) {
    if (clock.nowMs() > endMs) throw new UnavailableError('chain_unavailable', 'transfers: still reading')
    const mark = await markAt(to, head) //  first: if the chain changes meanwhile, another block is there afterwards
    //  the newest block was read before all of these: the next look sees whether it was replaced
    if (to < head.number && before !== undefined && !(await stands(before, head)))
      throw new UnavailableError('chain_unavailable', 'blocks were replaced while more were read')
    const wanted = { asset, receivers, from, to, times, places, authorized }
    return { to, mark, found: await network.read('transfers since', (rpc) => transfersBetween(rpc, wanted)) }
  }

  /** @throws UnavailableError when the node has forgotten it: then it may have forgotten what came after it, too. */
  async function lastBlockBefore(fromMs: number, head: BlockHead): Promise<bigint> {
    const before = (await firstBlockSince(network, head, fromMs)) - 1n
    if (before >= 0n && (await network.read('block', (rpc) => blockAt(rpc, before))) === null)
      throw new UnavailableError('chain_unavailable', 'the node no longer has the blocks of that time')
    return before
  }

  /** @returns null when the node does not have the block. */
  async function markAt(number: bigint, head: BlockHead): Promise<Mark | null> {
    const block = number === head.number ? head : await network.read('block', (rpc) => blockAt(rpc, number))
    return block === null ? null : { number, hash: block.hash }
  }

  const stands = async (mark: Mark, head: BlockHead): Promise<boolean> =>
    (await markAt(mark.number, head))?.hash === mark.hash

  /** One read while the chain only grows. If the node steps back, only blocks up to its newest are asked for. */
  async function stillThere(before: Scanned, head: BlockHead): Promise<Scanned> {
    let newest: Mark | null = null
    for (const mark of before.marks.filter(({ number }) => number <= head.number).toReversed()) {
      newest = (await stands(mark, head)) ? mark : null
      if (newest !== null) break
    }
    const limits = { overlap: OVERLAP[chain], deepest: deepestOf(chain) }
    return withoutReplaced(before, { head: head.number, stands: newest, ...limits })
  }

  /** One at a time: two would read the same blocks. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(work)
    turn = mine.catch(() => {})
    return mine
  }

  return {
    since: async (fromMs) => (await inTurn(() => scanFrom(fromMs, AT_ONCE_MS))).found,
    through: (fromMs) => inTurn(() => scanFrom(fromMs, Number.POSITIVE_INFINITY)),
  }
}

/**
 * Some twenty reads, once: back from the newest block by doubling steps, then a binary search. A block that the node no
 * longer has counts as too old; of two nodes one may have dropped what the other one has, so nothing far older is asked for.
 */
export async function firstBlockSince(network: EvmNetwork, head: BlockHead, fromMs: number): Promise<bigint> {
  const isBefore = async (number: bigint): Promise<boolean> => {
    const block = await network.read('block', (rpc) => blockAt(rpc, number))
    return block === null || block.timeMs < fromMs
  }
  let [low, high] = [0n, head.number + 1n] //  the answer lies in low..high
  for (let back = FIRST_STEP; back <= head.number && low === 0n; back *= 2n) {
    const number = head.number - back
    if (await isBefore(number)) low = number + 1n
    else high = number
  }
  while (low < high) {
    const middle = (low + high) / 2n
    if (await isBefore(middle)) low = middle + 1n
    else high = middle
  }
  return low
}
