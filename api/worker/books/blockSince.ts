import { UnavailableError } from '../../../ops/errors.ts'
import { MINUTE } from '../../../ops/units.ts'
import type { ChainHead, ChainView } from '../../settlement/port.ts'

/** A node whose newest block is older has not seen what came since (CHN-04). */
const BEHIND_MS = 2 * MINUTE

/** The newest block. @throws UnavailableError from a node that lags. */
export async function headNow(chain: Pick<ChainView, 'head'>, nowMs: number): Promise<ChainHead> {
  const head = await chain.head('latest')
  if (nowMs - head.timeMs > BEHIND_MS) throw lacking(`its newest block is of ${iso(head.timeMs)}`)
  return head
}

/** @throws UnavailableError from a node that does not have it. */
export async function blockOf(chain: Pick<ChainView, 'blockAt'>, number: bigint): Promise<ChainHead> {
  const block = await chain.blockAt(number)
  if (block === null) throw lacking(`it has no block ${number}`)
  return block
}

/**
 * Like blockSince.
 * @throws UnavailableError if the node lacks a block since then: missing ones would count as empty.
 */
export async function everyBlockSince(
  chain: Pick<ChainView, 'blockAt'>,
  head: ChainHead,
  sinceMs: number,
): Promise<bigint> {
  const from = await blockSince(chain, head, { sinceMs })
  if (from > head.number) throw lacking(`it has no block since ${iso(sinceMs)}`)
  if (from > 0n && (await chain.blockAt(from - 1n)) === null)
    throw lacking(`its oldest block is ${from}, and what is asked about began at ${iso(sinceMs)}`)
  return from
}

const lacking = (what: string) => new UnavailableError('chain_unavailable', `the node cannot tell: ${what}`)
const iso = (ms: number) => new Date(ms).toISOString()

/**
 * The first block, from `lowest` on, that is not older than `sinceMs` and that the node still has; the one after `head`
 * if there is none. Binary search: some twenty reads, or one.
 */
export async function blockSince(
  chain: Pick<ChainView, 'blockAt'>,
  head: ChainHead,
  { lowest = 0n, sinceMs = 0 }: { lowest?: bigint; sinceMs?: number },
): Promise<bigint> {
  const isIn = async (number: bigint) => {
    const block = number === head.number ? head : await chain.blockAt(number)
    return block !== null && block.timeMs >= sinceMs
  }
  let [low, high] = [lowest, head.number + 1n] //  the answer lies in low..high
  if (low < high && (await isIn(low))) return low
  while (low < high) {
    const middle = (low + high) / 2n
    if (await isIn(middle)) high = middle
    else low = middle + 1n
  }
  return low
}
