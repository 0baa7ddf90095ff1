import { describe, expect, test } from 'vitest'
import { coversTime } from '../../../api/rails/evm/covers.ts'
import type { EvmNetwork } from '../../../api/rails/evm/network.ts'

const TX = `0x${'ab'.repeat(32)}`
const HASH = `0x${'cd'.repeat(32)}`
const hex = (value: number) => `0x${value.toString(16)}`
/** At most so many blocks are searched for one with a transaction. */
const MOST = 16
/** A block takes a second; the time that is asked about is that of this block. */
const AT = 3

/**
 * A node that dropped every receipt; from block AT on, its blocks have these numbers of transactions.
 * @param over answers in place of a block, given its number and how often it was asked for.
 */
function pruned(counts: readonly number[], over: (number: number, nth: number) => unknown = () => undefined) {
  const head = AT + counts.length - 1
  const shown = new Map<number, number>() //  how often each was asked for
  const block = (number: number) => ({
    number: hex(number),
    hash: HASH,
    timestamp: hex(number),
    transactions: Array(counts[number - AT] ?? 1).fill(TX),
  })
  const network: EvmNetwork = {
    chainId: 8453,
    read: (_, ask) =>
      ask({
        async call(method: string, [which]: readonly unknown[]) {
          if (method === 'eth_getTransactionReceipt') return null
          if (which === 'latest') return block(head)
          const nth = (shown.get(Number(which)) ?? 0) + 1
          shown.set(Number(which), nth)
          const answer = over(Number(which), nth)
          return answer === undefined ? block(Number(which)) : answer
        },
      } as never),
    close: async () => {},
  }
  return coversTime(network, AT * 1_000)
}
const empty = (count: number): number[] => Array(count).fill(0)

describe('I5 a node that may have dropped what was mined then does not say that a transfer is gone', () => {
  test.each([
    ['a transaction in the block of that time has no receipt', [1, 0, 0], false],
    ['one in the last block that is looked at has none', [...empty(MOST - 1), 1], false],
    ['there is no transaction up to the newest block', empty(MOST - 3), true],
    ['nor in as many as are looked at: what comes later says nothing', [...empty(MOST), 1], true],
  ])('%s: %s', async (_, counts, covers) => {
    expect(await pruned(counts)).toBe(covers)
  })

  test('a block that it showed and no longer has', async () => {
    const second = (number: number, nth: number) => (number === AT && nth > 1 ? null : undefined)
    expect(await pruned([0, 0, 0], second)).toBe(false)
  })

  test('a block without a list of transactions is no answer', async () => {
    const bare = (number: number, nth: number) =>
      number === AT && nth > 1 ? { number: hex(number) } : undefined
    await expect(pruned([0, 0, 0], bare)).rejects.toMatchObject({ code: 'chain_unavailable' })
  })
})
