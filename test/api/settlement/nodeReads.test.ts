import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { logsBetween, logsOfBlock, receiptOf } from '../../../api/settlement/nodeReads.ts'
import type { Rpc } from '../../../api/settlement/rpc.ts'
import { USDC } from './vectors.ts'

const HASH = `0x${'11'.repeat(32)}` as const
const node = (answer: unknown): Rpc => ({ call: async () => answer, close: async () => {} })
const log = (index: number, removed?: boolean) => ({
  address: USDC,
  topics: [],
  data: '0x',
  logIndex: `0x${index.toString(16)}`,
  removed,
  transactionHash: HASH,
  blockNumber: '0x5',
  blockHash: HASH,
})
const receipt = (logs: object[]) => ({
  transactionHash: HASH,
  blockNumber: '0x5',
  blockHash: HASH,
  status: '0x1',
  gasUsed: '0x1',
  logs,
})

test('CHN-04 a log that the node calls removed is no money, in a list and in a receipt', async () => {
  const logs = [log(7), log(8, true), log(9, false)]
  const listed = await logsBetween(node(logs), { address: USDC, topics: [], from: 5n, to: 5n })
  expect(listed.map(({ blockIndex }) => blockIndex)).toEqual([7, 9])
  expect((await receiptOf(node(receipt(logs)), HASH))!.logs.map(({ logIndex }) => logIndex)).toEqual([0, 2])
})

test('CLS-12 only what was asked for is listed, whatever a node that passes over the filter tells besides', async () => {
  const [used, cancelled, from, nonce, other] = [1, 2, 3, 4, 5].map(
    (byte): Hex => `0x${'0'.repeat(63)}${byte}`,
  )
  const told = (index: number, topics: (Hex | undefined)[], change: object = {}) => ({
    ...log(index),
    topics,
    ...change,
  })
  const logs = [
    told(1, [cancelled, from, other]),
    told(2, [cancelled, other, nonce]),
    told(3, [other, from, nonce]),
    told(4, [used, from]),
    told(5, [used, from, nonce], { address: `0x${'99'.repeat(20)}` }),
    told(6, [used, from, nonce]),
    told(7, [cancelled, from, nonce, other]),
  ]
  const filter = { address: USDC, topics: [[used!, cancelled!], from!, nonce!] }
  const any = { address: USDC, topics: [null, from!] }
  const found = [
    await logsBetween(node(logs), { ...filter, from: 5n, to: 5n }),
    await logsOfBlock(node(logs), { ...filter, hash: HASH }),
    await logsBetween(node(logs), { ...any, from: 5n, to: 5n }),
  ]
  expect(found.map((list) => list.map(({ blockIndex }) => blockIndex))).toEqual([
    [6, 7],
    [6, 7],
    [1, 3, 4, 6, 7],
  ])
})
