import type { Chain } from './chain.ts'
import { decide } from './keep.ts'

/** Looks at most this far back for transactions; a longer stretch counts as busy. */
const LOOK_BACK_BLOCKS = 64

/** Follows one running chain. Each `look` asks the node, saves when due, and says whether to go on. */
export async function watchChain(chain: Chain): Promise<{ look(): Promise<'goOn' | 'restart'> }> {
  const { reads, node } = chain.clients
  const newest = async () => Number(await reads.getBlockNumber({ cacheTime: 0 }))
  const startHead = await newest()
  let seenHead = startHead
  let savedHead = startHead
  let busyHead = startHead
  return {
    async look() {
      const head = await newest()
      if (head - seenHead > LOOK_BACK_BLOCKS) busyHead = head
      else
        for (let number = seenHead + 1; number <= head; number++) {
          const block = await reads.getBlock({ blockNumber: BigInt(number) })
          if (block.transactions.length > 0) busyHead = number
        }
      seenHead = head
      const { pending } = await node.getTxpoolStatus()
      const next = decide({ head, savedHead, startHead, busyHead, pending })
      if (next === 'save') {
        await chain.save()
        savedHead = head //  the dump may be newer than `head`; it is saved once more then
      }
      return next === 'restart' ? 'restart' : 'goOn'
    },
  }
}
