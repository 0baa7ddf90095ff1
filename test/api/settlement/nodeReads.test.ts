import { expect, test } from 'vitest'
import { logsBetween, receiptOf } from '../../../api/settlement/nodeReads.ts'
import type { Rpc } from '../../../api/settlement/rpc.ts'
import { USDC } from './vectors.ts'

const HASH = `0x${'11'.repeat(32)}` as const
const node = (answer: unknown): Rpc => ({ call: async () => answer, close: async () => {} })
const log = (index: number, removed?: boolean) => ({
  ...{ address: USDC, topics: [], data: '0x', logIndex: `0x${index.toString(16)}`, removed },
  ...{ transactionHash: HASH, blockNumber: '0x5', blockHash: HASH },
})
const receipt = (logs: object[]) => ({
  ...{ transactionHash: HASH, blockNumber: '0x5', blockHash: HASH, status: '0x1', gasUsed: '0x1', logs },
})

test('CHN-04 a log that the node calls removed is no money, in a list and in a receipt', async () => {
  const logs = [log(7), log(8, true), log(9, false)]
  const listed = await logsBetween(node(logs), { address: USDC, topics: [], from: 5n, to: 5n })
  expect(listed.map(({ blockIndex }) => blockIndex)).toEqual([7, 9])
  expect((await receiptOf(node(receipt(logs)), HASH))!.logs.map(({ logIndex }) => logIndex)).toEqual([0, 2])
})
