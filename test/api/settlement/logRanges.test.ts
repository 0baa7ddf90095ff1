import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPaymentChain } from '../../../api/settlement/chain.ts'
import { createSpan, type Range, readRanges } from '../../../api/settlement/logRanges.ts'
import { RpcError, TooMuchError } from '../../../api/settlement/rpc.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { chainWorld, quietLog } from './chainWorld.ts'
import { pay } from './payer.ts'
import { type RpcProxy, rpcError, startRpcProxy, type Treatment } from './rpcProxy.ts'
import { lower, USDC } from './vectors.ts'

const tooMuch = new TooMuchError('test')
const refused = new RpcError('eth_getLogs', -32602, null, 'range')
const down = new UnavailableError('chain_unavailable', 'test')

/** A node that answers for at most this many blocks at once. */
function node(most: number, error: Error = refused) {
  const asked: number[] = []
  const read = async ({ from, to }: Range): Promise<bigint[]> => {
    const blocks = Number(to - from) + 1
    asked.push(blocks)
    if (blocks > most) throw error
    return Array.from({ length: blocks }, (_, at) => from + BigInt(at))
  }
  return { asked, read }
}
async function walk(of: AsyncGenerator<[Range, bigint[]]>): Promise<bigint[]> {
  const blocks: bigint[] = []
  for await (const [, part] of of) blocks.push(...part)
  return blocks
}
const upTo = (count: number) => Array.from({ length: count }, (_, at) => BigInt(at) + 7n)

describe('a range of blocks is read in parts that the node answers for', () => {
  test('CHN-04 each block once and in order, whatever the node allows, in few more questions than it needs', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3_000 }),
        fc.integer({ min: 1, max: 200 }),
        async (count, most) => {
          const { asked, read } = node(most)
          const blocks = await walk(readRanges(createSpan(), { from: 7n, to: 6n + BigInt(count) }, read))
          expect(blocks).toEqual(upTo(count))
          expect(asked.length).toBeLessThan(3 * (count / most) + 20)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('newest first: the parts go down, and are left where one is enough', async () => {
    const { asked, read } = node(50)
    const range = { from: 7n, to: 306n, newestFirst: true }
    const parts: Range[] = []
    for await (const [part] of readRanges(createSpan(), range, read)) parts.push(part)
    expect(parts[0]!.to).toBe(306n)
    expect(parts.at(-1)!.from).toBe(7n)
    for (const [at, { from }] of parts.slice(0, -1).entries()) expect(parts[at + 1]!.to).toBe(from - 1n)
    asked.length = 0
    for await (const _ of readRanges(createSpan(), range, read)) break
    expect(asked).toEqual([64, 32])
  })

  test('what was found out is kept, and more is tried again only after a while', async () => {
    const span = createSpan()
    const few = node(10)
    await walk(readRanges(span, { from: 7n, to: 106n }, few.read))
    expect(few.asked.slice(0, 4)).toEqual([64, 32, 16, 8])
    expect(few.asked.slice(4)).toEqual([...Array(11).fill(8), 4])
    const many = node(5_000)
    await walk(readRanges(span, { from: 7n, to: 1_000n }, many.read))
    expect(many.asked.slice(0, 8)).toEqual([8, 8, 8, 8, 8, 16, 32, 64])
  })

  test('walks at the same time: one refusal that all of them meet narrows once', async () => {
    const span = createSpan()
    const { asked, read } = node(40)
    const range = { from: 7n, to: 70n }
    await Promise.all(Array.from({ length: 9 }, () => walk(readRanges(span, range, read))))
    expect(Math.min(...asked)).toBe(32)
  })

  test.each<[string, Error, number[]]>([
    ['refused', refused, [64, 32, 16, 8, 4, 2, 1]],
    ['too much', tooMuch, [64, 32, 16, 8, 4, 2, 1]],
    ['down', down, [64]],
    [
      'refused, as a rail has it',
      new UnavailableError('chain_unavailable', 'x', refused),
      [64, 32, 16, 8, 4, 2, 1],
    ],
  ])('a node that never answers ends it: %s', async (_, error, questions) => {
    const { asked, read } = node(0, error)
    await expect(walk(readRanges(createSpan(), { from: 7n, to: 999n }, read))).rejects.toBe(error)
    expect(asked).toEqual(questions)
  })
})

const world = chainWorld({ buyers: 2 })
let proxy: RpcProxy
beforeAll(async () => {
  proxy = await startRpcProxy(world.anvil.rpcUrl)
})
afterAll(() => proxy?.close())

describe('CHN-04, I9: money is found through a node that says no to much at once, in whatever way', () => {
  const MOST = 20
  const answer = (status: number, body: string): Treatment => ({ status, body })
  test.each<[string, Treatment | 'silence']>([
    ['-32602', rpcError(-32602, 'block range')],
    [
      '-32600 with 400',
      answer(400, '{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"free tier"}}'),
    ],
    ['-32005', rpcError(-32005, 'query returned more than 10000 results')],
    ['-32603', rpcError(-32603, 'query timeout')],
    ['504 of its front', answer(504, '<html>')],
    ['413', answer(413, '')],
    ['more than we read', answer(200, `"${'x'.repeat(17 * 1024 * 1024)}"`)],
    ['nothing in time', 'silence'],
  ])('%s', async (_, treatment) => {
    const payment = await pay(world.buyer, world.anvil.receiver)
    const tx = await world.submit(payment)
    await world.anvil.clients.node.mine({ blocks: 3 * MOST })
    const head = await world.anvil.clients.reads.getBlockNumber()
    proxy.treat(({ method, params: [filter] }) => {
      const { fromBlock, toBlock } = (filter ?? {}) as { fromBlock: string; toBlock: string }
      if (method !== 'eth_getLogs' || Number(toBlock) - Number(fromBlock) < MOST) return 'pass'
      return treatment === 'silence' ? new Promise(() => {}) : treatment
    })
    const patience = treatment === 'silence' ? { timeoutMs: 700 } : {}
    const through = createPaymentChain({ rpcUrl: proxy.url, log: quietLog, ...patience })
    const { from, nonce } = payment.authorization
    expect(await through.fate(USDC, from, nonce, Date.now())).toMatchObject({ kind: 'used', tx })
    const arrived = await through.inflows(USDC, lower(world.anvil.receiver), 0n, head)
    expect(arrived).toEqual(await world.chain.inflows(USDC, lower(world.anvil.receiver), 0n, head))
    expect(arrived.at(-1)).toMatchObject({ tx, value: 10_000n })
    await through.close()
  })

  test.each<[string, Treatment]>([
    ['429', answer(429, '{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"slow down"}}')],
    ['a rate in so many words', rpcError(-32016, 'over rate limit')],
    ['502 of its front, for one block too', answer(502, '')],
  ])('an outage stays one: %s', async (_, treatment) => {
    proxy.treat(({ method }) => (method === 'eth_getLogs' ? treatment : 'pass'))
    const through = createPaymentChain({ rpcUrl: proxy.url, log: quietLog })
    await expect(through.inflows(USDC, lower(world.anvil.receiver), 0n, 9n)).rejects.toMatchObject({
      code: 'chain_unavailable',
    })
    await through.close()
  })

  test('asked too often, it is not asked more often', async () => {
    const before = proxy.count('eth_getLogs')
    proxy.treat(({ method }) => (method === 'eth_getLogs' ? answer(429, '') : 'pass'))
    const through = createPaymentChain({ rpcUrl: proxy.url, log: quietLog })
    await expect(through.inflows(USDC, lower(world.anvil.receiver), 0n, 99n)).rejects.toMatchObject({
      code: 'chain_unavailable',
    })
    expect(proxy.count('eth_getLogs')).toBe(before + 1)
    await through.close()
  })

  test('logs of other blocks than were asked for are no money', async () => {
    await world.submit(await pay(world.buyer, world.anvil.receiver))
    const head = await world.anvil.clients.reads.getBlockNumber()
    const method = 'eth_getLogs'
    const asked = { address: USDC, fromBlock: `0x${head.toString(16)}` as const }
    const result = await world.anvil.clients.reads.request({ method, params: [asked] })
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result })
    proxy.treat((call) => (call.method === method ? { status: 200, body } : 'pass'))
    const through = createPaymentChain({ rpcUrl: proxy.url, log: quietLog })
    expect(await through.inflows(USDC, lower(world.anvil.receiver), head - 1n, head - 1n)).toEqual([])
    await through.close()
  })
})
