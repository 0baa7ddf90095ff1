import type { ChainHead, ChainView } from '../../settlement/port.ts'

/**
 * The first block from `lowest` on that is not older than `sinceMs` and that the node still has; the one after `head` when
 * there is none. By halving: some twenty reads, or one.
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
