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

/** Older transfers than this are found by their hash only. */
const MAX_LOOKBACK_MS = 1 * DAY
/** A call that has not reached the newest block by then counts as an outage; the next one resumes where it ended. */
const DEADLINE_MS = 15 * SECOND
/** The newest blocks may be replaced: read again each time (CHN-04). */
const OVERLAP: Record<EvmChain, bigint> = { base: 8n, arbitrum: 40n, polygon: 64n, ethereum: 12n }

/** The largest depth that FINALITY can ask for. */
const DEEPEST_POLICY = 999
/** Deeper transfers have counted, whatever their value: the chain will not take them back (CHN-06). */
const deepestOf = (chain: EvmChain): bigint =>
  BigInt(Math.max(confirmationsFor(chain, ANY_SUM_MICRO), DEEPEST_POLICY))

export type Discovered = ScannedTransfer & { confirmations: number }
export type Scan = { since(fromMs: number): Promise<Discovered[]> }

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
  let scanned: Scanned | null = null
  const span = createSpan()
  let turn: Promise<unknown> = Promise.resolve()

  async function scan(askedMs: number): Promise<Discovered[]> {
    const endMs = clock.nowMs() + DEADLINE_MS
    const head = await network.read('head', latestBlock)
    const lookbackMs = Math.min(clock.nowMs(), head.timeMs) - MAX_LOOKBACK_MS
    const fromMs = Math.max(askedMs, lookbackMs)
    let now: Scanned =
      scanned !== null && scanned.fromMs <= fromMs
        ? await stillThere(scanned, head)
        : { fromMs, to: (await firstBlockSince(network, head, fromMs)) - 1n, found: [], marks: [] }
    const read = async ({ from, to }: Range) => {
      if (clock.nowMs() > endMs) throw new UnavailableError('chain_unavailable', 'transfers: still reading')
      const mark = await markAt(to, head) //  first: if the chain changes meanwhile, another block is there afterwards
      const before = now.marks.at(-1)
      //  the newest block was read before all of these: the next look sees whether it was replaced
      if (to < head.number && before !== undefined && !(await stands(before, head)))
        throw new UnavailableError('chain_unavailable', 'blocks were replaced while more were read')
      const asked = { asset, receivers, from, to, times, places, authorized }
      return { to, mark, found: await network.read('transfers since', (rpc) => transfersBetween(rpc, asked)) }
    }
    for await (const [, part] of readRanges(span, { from: now.to + 1n, to: head.number }, read)) {
      now = withoutOldest(withRange(now, part), lookbackMs)
      scanned = now
    }
    if (now.fromMs > fromMs)
      throw new UnavailableError('chain_unavailable', `more than ${MAX_KEPT} transfers since then`)
    return now.found
      .filter(({ atMs }) => atMs >= fromMs)
      .map((one) => ({ ...one, confirmations: depthOf(head.number, one.blockNumber) }))
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

  return {
    /** One at a time: two would read the same blocks. */
    since(fromMs) {
      const mine = turn.then(() => scan(fromMs))
      turn = mine.catch(() => {})
      return mine
    },
  }
}

/** Binary search: some twenty reads, once. A block that the node no longer has counts as too old. */
export async function firstBlockSince(network: EvmNetwork, head: BlockHead, fromMs: number): Promise<bigint> {
  let [low, high] = [0n, head.number + 1n] //  the answer lies in low..high
  while (low < high) {
    const middle = (low + high) / 2n
    const block = await network.read('block', (rpc) => blockAt(rpc, middle))
    if (block === null || block.timeMs < fromMs) low = middle + 1n
    else high = middle
  }
  return low
}
