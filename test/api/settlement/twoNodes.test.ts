import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ClosableChain, createPaymentChain } from '../../../api/settlement/chain.ts'
import { openNodes } from '../../../api/settlement/twoNodes.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { startLaggingNode } from '../../support/laggingNode.ts'
import { quietLog } from '../../support/ledger.ts'
import { pay, transferCall } from './payer.ts'
import { type RpcCall, type RpcProxy, rpcError, startRpcProxy } from './rpcProxy.ts'
import { lower, USDC } from './vectors.ts'

/** CHN-04: two nodes of one real chain decide about money together; either of them may be behind, away or lying. */
let anvil: TestChain
let first: RpcProxy
let second: RpcProxy
let lagging: Awaited<ReturnType<typeof startLaggingNode>>
let chain: ClosableChain
beforeAll(async () => {
  anvil = await startTestChain({ buyers: 2, history: true })
  lagging = await startLaggingNode(anvil.rpcUrl)
  first = await startRpcProxy(anvil.rpcUrl)
  second = await startRpcProxy(lagging.rpcUrl)
})
afterAll(async () => {
  await Promise.all([first?.close(), second?.close(), lagging?.stop()])
  await anvil?.stop()
})
beforeEach(() => {
  first.treat(() => 'pass')
  second.treat(() => 'pass')
  lagging.lag(0)
  chain = createPaymentChain({ rpcUrl: `${first.url},${second.url}`, log: quietLog })
})
afterEach(() => chain.close())

/** A payment in the newest block. */
async function paid() {
  const payment = await pay(anvil.buyers[0]!, anvil.receiver)
  const tx = await anvil.send(anvil.buyers[1]!, anvil.usdc, transferCall(payment))
  const { number } = await anvil.clients.reads.getBlock()
  const { from, nonce } = payment.authorization
  return {
    payment,
    tx,
    fate: () => chain.fate(USDC, from, nonce, Date.now() - 60_000),
    isUsed: () => chain.isUsed(USDC, from, nonce),
    transfers: () => chain.transfers(USDC, tx),
    inflows: (back = 0n) => chain.inflows(USDC, lower(anvil.receiver), number - back, number),
  }
}
const contradiction = { code: 'chain_unavailable', message: expect.stringContaining('contradict each other') }

/** The answer of the real node, changed. */
const lying = (method: string, lie: (result: unknown) => unknown) => async (call: RpcCall) => {
  if (call.method !== method) return 'pass' as const
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...call })
  const headers = { 'content-type': 'application/json' }
  const answer = (await (await fetch(anvil.rpcUrl, { method: 'POST', headers, body })).json()) as {
    result: unknown
  }
  return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: lie(answer.result) }) }
}
const nothing = { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: null }) }
type Log = { address: string; data: string; removed: boolean }
type Receipt = { status: string; blockHash: string; logs: Log[] }

describe('two nodes that agree are one chain', () => {
  test('a payment has moved, each is asked, and only the first for what decides nothing', async () => {
    const { fate, isUsed, transfers, inflows } = await paid()
    expect(await isUsed()).toBe(true)
    expect(await fate()).toMatchObject({ kind: 'used', to: lower(anvil.receiver) })
    expect(await transfers()).toHaveLength(1)
    expect(await inflows()).toHaveLength(1)
    for (const node of [first, second])
      for (const method of ['eth_call', 'eth_getTransactionReceipt', 'eth_getLogs'])
        expect(node.count(method)).toBeGreaterThan(0)
    const rpc = openNodes(`${first.url},${second.url}`)
    const before = second.count()
    await rpc.call('eth_gasPrice', [])
    await rpc.call('eth_getTransactionCount', [anvil.receiver, 'pending'])
    await rpc.close()
    expect(second.count()).toBe(before)
  })

  test('letter case, fields of its own, order and logs that were given up are no contradiction', async () => {
    const { transfers, inflows } = await paid()
    second.treat(
      lying('eth_getTransactionReceipt', (result) => ({
        ...(result as Receipt),
        blockHash: (result as Receipt).blockHash.toUpperCase().replace('0X', '0x'),
        l1Fee: '0x1',
      })),
    )
    expect(await transfers()).toHaveLength(1)
    second.treat(
      lying('eth_getLogs', (result) => [
        ...(result as Log[]).toReversed(),
        { ...(result as Log[])[0], data: '0x', removed: true },
      ]),
    )
    expect(await inflows()).toHaveLength(1)
  })
})

describe('what only one of them has is not there yet', () => {
  test('the newest block is the newest that both have', async () => {
    await anvil.clients.node.mine({ blocks: 5 })
    const { number } = await anvil.clients.reads.getBlock()
    lagging.lag(3)
    expect((await chain.head('latest')).number).toBe(number - 3n)
    expect(await chain.blockAt(number)).toBeNull()
    lagging.lag(0)
    expect((await chain.head('latest')).number).toBe(number)
    expect(await chain.blockAt(number)).not.toBeNull()
  })

  test('nor is it a contradiction that one comes to it between two questions', async () => {
    const { transfers } = await paid()
    let asked = 0
    second.treat(({ method }) => (method === 'eth_getTransactionReceipt' && asked++ === 0 ? nothing : 'pass'))
    expect(await transfers()).toHaveLength(1)
  })

  test('nor because one of them once showed a block that the other never had', async () => {
    const { transfers } = await paid()
    const far = lying('eth_getBlockByNumber', (result) => ({ ...(result as object), number: '0x7fffffff' }))
    second.treat((call) => (call.params[0] === 'latest' ? far(call) : 'pass'))
    const { number } = await chain.head('latest')
    await anvil.clients.node.mine({ blocks: 2 })
    second.treat(() => 'pass')
    lagging.lag(3)
    expect(await chain.blockAt(number + 1n)).toBeNull()
    lagging.lag(0)
    expect(await transfers()).toHaveLength(1)
  })

  test.each([
    ['first', () => first],
    ['second', () => second],
  ])('nor because the %s said of a transaction that it lies in such a block', async (_, node) => {
    const rpc = openNodes(`${first.url},${second.url}`)
    const { tx } = await paid()
    const far = lying('eth_getTransactionByHash', (result) => ({
      ...(result as object),
      blockNumber: '0x7fffffff',
    }))
    node().treat(far)
    await rpc.call('eth_getTransactionByHash', [tx]).catch(() => null)
    node().treat(() => 'pass')
    const later = await paid()
    lagging.lag(1)
    expect(await rpc.call('eth_getTransactionReceipt', [later.tx])).toBeNull()
    await rpc.close()
  })

  test('a transaction that waits with one of them is in no block', async () => {
    const rpc = openNodes(`${first.url},${second.url}`)
    const { tx } = await paid()
    const waiting = (result: unknown) => ({ ...(result as object), blockHash: null, blockNumber: null })
    first.treat(lying('eth_getTransactionByHash', waiting))
    second.treat(({ method }) => (method === 'eth_getTransactionByHash' ? nothing : 'pass'))
    expect(await rpc.call('eth_getTransactionByHash', [tx])).toBeNull()
    await rpc.close()
  })

  test('a payment counts once both have its block', async () => {
    const { fate, isUsed, transfers } = await paid()
    lagging.lag(1)
    expect(await transfers()).toBeNull()
    expect(await isUsed()).toBe(false)
    lagging.lag(0)
    expect(await transfers()).toHaveLength(1)
    expect(await fate()).toMatchObject({ kind: 'used' })
  })
})

describe('of the newest state they answer what it is in the newest block that both have', () => {
  test('a payment that one of them has seen moved would still move', async () => {
    const { payment } = await paid()
    lagging.lag(1)
    expect(await chain.refuse(payment)).toBeNull()
    lagging.lag(0)
    expect(await chain.refuse(payment)).toBe('nonce_used')
  })

  test('code that fails for the one that is ahead', async () => {
    const rpc = openNodes(`${first.url},${second.url}`)
    const { payment } = await paid()
    const ask = () => rpc.call('eth_call', [{ to: anvil.usdc, data: transferCall(payment) }, 'latest'])
    lagging.lag(1)
    expect(await ask()).toBe('0x')
    lagging.lag(0)
    await expect(ask()).rejects.toMatchObject({ rpcCode: 3 })
    await rpc.close()
  })

  test('how many transactions of an account are mined: one that both have is spent, and its receipt is there', async () => {
    const rpc = openNodes(`${first.url},${second.url}`)
    const mined = async () =>
      Number(await rpc.call('eth_getTransactionCount', [anvil.buyers[1]!.address, 'latest']))
    const before = await mined()
    await paid()
    lagging.lag(1)
    expect(await mined()).toBe(before)
    lagging.lag(0)
    expect(await mined()).toBe(before + 1)
    await rpc.close()
  })

  test('unless one of them is more than a moment behind: good payments would look bad by what is long over', async () => {
    await anvil.clients.node.increaseTime({ seconds: 20 })
    const { payment } = await paid()
    lagging.lag(1)
    await expect(chain.refuse(payment)).rejects.toMatchObject(contradiction)
  })
})

describe('a contradiction is neither paid nor unpaid', () => {
  describe.each([
    ['first', () => first],
    ['second', () => second],
  ])('the %s node lies', (_, node) => {
    test.each<[string, (receipt: Receipt) => unknown]>([
      ['it failed', (receipt) => ({ ...receipt, status: '0x0' })],
      ['in another block', (receipt) => ({ ...receipt, blockHash: `0x${'7'.repeat(64)}` })],
      [
        'of another amount',
        (receipt) => ({
          ...receipt,
          logs: receipt.logs.map((log) => ({ ...log, data: `0x${'f'.repeat(64)}` })),
        }),
      ],
      [
        'to nobody',
        (receipt) => ({
          ...receipt,
          logs: receipt.logs.map((log) => ({ ...log, removed: true })),
        }),
      ],
      ['in this block, of another number', (receipt) => ({ ...receipt, blockNumber: '0x1' })],
      [
        'its transfer behind a log that was given up, so that it is another one',
        (receipt) => ({
          ...receipt,
          logs: [{ ...receipt.logs[0]!, logIndex: '0x0', removed: true }, ...receipt.logs],
        }),
      ],
    ])('about a receipt: %s', async (_, lie) => {
      const { transfers } = await paid()
      node().treat(lying('eth_getTransactionReceipt', (result) => lie(result as Receipt)))
      await expect(transfers()).rejects.toMatchObject(contradiction)
      node().treat(() => 'pass')
      expect(await transfers()).toHaveLength(1)
    })

    test.each(['eth_getTransactionReceipt', 'eth_getBlockByNumber'])(
      'it has come to the block, and has nothing to say to %s: that is not gone',
      async (hidden) => {
        const { transfers } = await paid()
        node().treat(({ method, params }) => (method === hidden && params[0] !== 'latest' ? nothing : 'pass'))
        await expect(transfers()).rejects.toMatchObject(contradiction)
      },
    )

    test('nor is it once it says that it has never come so far, after it had shown that block', async () => {
      const { transfers } = await paid()
      await chain.head('latest')
      const younger = lying('eth_getBlockByNumber', (result) => ({ ...(result as object), number: '0x1' }))
      node().treat((call) => (call.method === 'eth_getTransactionReceipt' ? nothing : younger(call)))
      await expect(transfers()).rejects.toMatchObject(contradiction)
    })

    test('nor after both had shown that block as the newest that both have', async () => {
      const { payment, transfers } = await paid()
      const older = lying('eth_call', () => '0x')
      node().treat((call) => (call.params[1] === 'latest' ? older(call) : 'pass'))
      expect(await chain.refuse(payment)).toBe('nonce_used')
      const younger = lying('eth_getBlockByNumber', (result) => ({ ...(result as object), number: '0x1' }))
      node().treat((call) => (call.method === 'eth_getTransactionReceipt' ? nothing : younger(call)))
      await expect(transfers()).rejects.toMatchObject(contradiction)
    })

    test('nor after it had hesitated to show that block, and its newest one', async () => {
      const { transfers } = await paid()
      let asked = 0
      node().treat(({ method }) => (method === 'eth_getBlockByNumber' && asked++ < 1 ? nothing : 'pass'))
      await chain.head('latest')
      node().treat(({ method, params: [which] }) =>
        method === 'eth_getTransactionReceipt' || which === 'latest' ? nothing : 'pass',
      )
      await expect(transfers()).rejects.toMatchObject(contradiction)
    })

    test('about who was paid: a log is not listed', async () => {
      const { inflows } = await paid()
      node().treat(lying('eth_getLogs', () => []))
      await expect(inflows()).rejects.toMatchObject(contradiction)
    })

    test('about who was paid: a log is listed for a block that was not asked for', async () => {
      const { inflows } = await paid()
      node().treat(
        lying('eth_getLogs', (result) => (result as Log[]).map((log) => ({ ...log, blockNumber: '0x1' }))),
      )
      await expect(inflows()).rejects.toMatchObject(contradiction)
    })

    test('about whether an authorization is used', async () => {
      const { isUsed, fate } = await paid()
      node().treat(lying('eth_call', () => `0x${'0'.repeat(64)}`))
      await expect(isUsed()).rejects.toMatchObject(contradiction)
      await expect(fate()).rejects.toMatchObject(contradiction)
    })

    test.each([
      ['its hash', { hash: `0x${'7'.repeat(64)}` }],
      ['its time', { timestamp: '0x1' }],
      ['what it holds', { transactions: [] }],
    ])('about a block: %s', async (_, lie) => {
      await paid()
      const { number } = await anvil.clients.reads.getBlock()
      node().treat(lying('eth_getBlockByNumber', (result) => ({ ...(result as object), ...lie })))
      await expect(chain.blockAt(number)).rejects.toMatchObject(contradiction)
      await expect(chain.head('latest')).rejects.toMatchObject(contradiction)
    })

    test('about a block: an older one of this chain, which is not the one that was asked for', async () => {
      const { transfers } = await paid()
      const older = await anvil.clients.reads.request({
        method: 'eth_getBlockByNumber',
        params: ['0x1', false],
      })
      node().treat(
        lying('eth_getBlockByNumber', (result) =>
          (result as { number: string }).number === '0x1' ? result : older,
        ),
      )
      await expect(transfers()).rejects.toMatchObject(contradiction)
    })

    test.each([
      ['an older one, of a later time', { number: '0x1', timestamp: '0x7fffffff' }],
      ['an older one, of another chain', { number: '0x1', hash: `0x${'7'.repeat(64)}` }],
      ['this one, of another number', { number: '0x1' }],
      ['none that can be read', { number: 'newest' }],
    ])('about the newest block: %s', async (_, lie) => {
      await paid()
      node().treat(lying('eth_getBlockByNumber', (result) => ({ ...(result as object), ...lie })))
      await expect(chain.head('latest')).rejects.toMatchObject(contradiction)
    })

    test('called code fails for it alone', async () => {
      const { isUsed } = await paid()
      node().treat(({ method }) => (method === 'eth_call' ? rpcError(3, 'execution reverted') : 'pass'))
      await expect(isUsed()).rejects.toMatchObject(contradiction)
    })
  })
})

describe('either away is an outage, not an answer', () => {
  test.each([
    ['first', () => first],
    ['second', () => second],
  ])('the %s', async (_, node) => {
    const { isUsed, transfers } = await paid()
    node().treat(() => 'cut')
    await expect(isUsed()).rejects.toMatchObject({ code: 'chain_unavailable' })
    await expect(transfers()).rejects.toMatchObject({ code: 'chain_unavailable' })
  })

  test.each([
    ['first', () => [first, second]],
    ['second', () => [second, first]],
  ])(
    'code that fails for one is no answer while the other does not know the block: the %s',
    async (_, nodes) => {
      const [failing, behind] = nodes() as [RpcProxy, RpcProxy]
      const answering = (code: number, text: string) => (call: RpcCall) =>
        call.method === 'eth_call' ? rpcError(code, text) : ('pass' as const)
      failing.treat(answering(3, 'execution reverted'))
      behind.treat(answering(-32_000, 'header not found'))
      const ask = chain.isSignedByWallet(lower(anvil.receiver), 'log in', '0x00')
      await expect(ask).rejects.toMatchObject({ code: 'chain_unavailable' })
    },
  )

  test('one that finds a list of logs too long is asked for a shorter one', async () => {
    await anvil.clients.node.mine({ blocks: 4 })
    const { inflows } = await paid()
    let asked = 0
    second.treat(({ method }) =>
      method === 'eth_getLogs' && asked++ === 0
        ? rpcError(-32_005, 'query returned more than 10000 results')
        : 'pass',
    )
    expect(await inflows(4n)).toHaveLength(1)
    expect(asked).toBeGreaterThan(1)
  })
})
