import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { readUseIn } from '../../../api/settlement/fate.ts'
import { logsBetween, logsOfBlock, receiptOf } from '../../../api/settlement/nodeReads.ts'
import type { Rpc } from '../../../api/settlement/rpc.ts'
import { AUTHORIZATION_USED, addressTopic, TRANSFER, word } from '../../../api/settlement/tokenCalls.ts'
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

test('CHN-04 a log of other blocks than were asked for is not listed: it would be read again with its own', async () => {
  const logs = [3, 4, 5, 6, 7].map((block) => ({ ...log(block), blockNumber: `0x${block}` }))
  const listed = await logsBetween(node(logs), { address: USDC, topics: [], from: 4n, to: 6n })
  expect(listed.map(({ blockNumber }) => blockNumber)).toEqual([4n, 5n, 6n])
})

test('CLS-13 a transaction that was undone has used nothing, whatever logs a node tells of it', async () => {
  const [payer, nonce] = [`0x${'aa'.repeat(20)}`, HASH] as const
  const logs = [
    { ...log(0), topics: [AUTHORIZATION_USED, addressTopic(payer), nonce] },
    { ...log(1), topics: [TRANSFER, addressTopic(payer), addressTopic(USDC)], data: `0x${word(1)}` },
  ]
  const useAt = async (status: string) => {
    const block = { number: '0x5', hash: HASH, timestamp: '0x1' }
    const rpc: Rpc = {
      call: async (method) => (method === 'eth_getTransactionReceipt' ? { ...receipt(logs), status } : block),
      close: async () => {},
    }
    return (await readUseIn(rpc, USDC, payer, nonce, HASH))?.kind
  }
  expect([await useAt('0x1'), await useAt('0x0')]).toEqual(['used', undefined])
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
