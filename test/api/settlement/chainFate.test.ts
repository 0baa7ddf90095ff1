import { encodeFunctionData } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { createPaymentChain } from '../../../api/settlement/chain.ts'
import { aggregate3 } from '../../../api/settlement/multicall.ts'
import { NAMED_MAX_BYTES } from '../../../api/settlement/namedBytes.ts'
import { transferByKey } from '../../../api/settlement/tokenCalls.ts'
import { TOKEN_ABI } from '../../../ops/sandbox/chain/tokenAbi.ts'
import { chainWorld, quietLog } from './chainWorld.ts'
import { cancelCall, pay } from './payer.ts'
import { rpcError, startRpcProxy } from './rpcProxy.ts'
import { lower, nonce, USDC } from './vectors.ts'

const world = chainWorld({ buyers: 40 })
const recently = () => Date.now() - 60_000

describe('fate of an authorization', () => {
  test('unused, with the block that says so', async () => {
    const { number, timestamp } = await world.anvil.clients.reads.getBlock()
    const fate = await world.chain.fate(USDC, lower(world.buyer.address), nonce(), recently())
    expect(fate).toEqual({ kind: 'unused', blockNumber: number, blockMs: Number(timestamp) * 1_000 })
  })

  test('RPL-13: used by whoever submitted it, with its Transfer', async () => {
    const payment = await pay(world.buyer, world.anvil.receiver, { value: 777n })
    const tx = await world.submit(payment)
    const { from, nonce: used } = payment.authorization
    const { blockNumber } = await world.anvil.clients.reads.getTransactionReceipt({ hash: tx })
    expect(await world.chain.fate(USDC, from, used, recently())).toMatchObject({
      kind: 'used',
      to: lower(world.anvil.receiver),
      value: 777n,
      tx,
      blockNumber,
      logIndex: 1,
    })
  })

  test('RPL-14: cancelled', async () => {
    const cancelled = nonce()
    const tx = await world.anvil.send(
      world.stranger,
      world.anvil.usdc,
      await cancelCall(world.buyer, cancelled),
    )
    expect(await world.chain.fate(USDC, lower(world.buyer.address), cancelled, recently())).toEqual({
      kind: 'cancelled',
      tx,
    })
  })

  test('a node that lists what else the token wrote: a use is no cancellation, whoever cancelled beside it', async () => {
    const payment = await pay(world.buyer, world.anvil.receiver)
    const { from, nonce: used } = payment.authorization
    const before = await world.anvil.clients.reads.getBlockNumber()
    await world.anvil.send(world.stranger, world.anvil.usdc, await cancelCall(world.buyer, nonce()))
    const tx = await world.submit(payment)
    const careless = await startRpcProxy(world.anvil.rpcUrl)
    careless.treat(async ({ method, params }) => {
      if (method !== 'eth_getLogs') return 'pass'
      const { topics: _, ...filter } = params[0] as { topics: unknown }
      const asked = { ...filter, fromBlock: `0x${(before + 1n).toString(16)}` } //  from the cancellation on
      const result = await world.anvil.clients.node.request({ method, params: [asked] } as never)
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result }) }
    })
    const chain = createPaymentChain({ rpcUrl: careless.url, log: quietLog })
    expect(await chain.fate(USDC, from, used, recently())).toMatchObject({ kind: 'used', tx })
    await chain.close()
    await careless.close()
  })

  test('RPL-17: each of several in one transaction has its own Transfer', async () => {
    const payments = await Promise.all(
      [1n, 2n, 3n].map((value) => pay(world.buyer, world.anvil.receiver, { value })),
    )
    const tx = await world.anvil.send(
      world.stranger,
      world.anvil.multicall3,
      aggregate3(
        payments.map(({ authorization, signature }) => ({
          target: USDC,
          allowFailure: false,
          data: transferByKey(authorization, signature),
        })),
      ),
    )
    const fates = await Promise.all(
      payments.map(({ authorization: { from, nonce } }) => world.chain.fate(USDC, from, nonce, recently())),
    )
    expect(fates).toMatchObject(
      [1n, 2n, 3n].map((value, index) => ({ kind: 'used', tx, value, logIndex: 2 * index + 1 })),
    )
  })

  test('CHN-04: found through a node that allows few blocks at once', async () => {
    const payment = await pay(world.buyer, world.anvil.receiver)
    const tx = await world.submit(payment)
    await world.anvil.clients.node.mine({ blocks: 700 })
    const narrow = await startRpcProxy(world.anvil.rpcUrl)
    narrow.treat(({ method, params: [filter] }) => {
      const { fromBlock, toBlock } = (filter ?? {}) as { fromBlock: string; toBlock: string }
      const tooWide = method === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= 60
      return tooWide ? rpcError(-32602, 'range') : 'pass'
    })
    const through = createPaymentChain({ rpcUrl: narrow.url, log: quietLog })
    const { from, nonce: used } = payment.authorization
    expect(await through.fate(USDC, from, used, recently())).toMatchObject({ kind: 'used', tx })
    await through.close()
    await narrow.close()
  })
})

describe('transfers of a transaction', () => {
  test('RPL-15: those made by an authorization are marked', async () => {
    const payment = await pay(world.buyer, world.anvil.receiver, { value: 5n })
    const tx = await world.submit(payment)
    const [transfer, ...others] = (await world.chain.transfers(USDC, tx)) as object[]
    expect(others).toEqual([])
    expect(transfer).toMatchObject({
      from: lower(world.buyer.address),
      to: lower(world.anvil.receiver),
      value: 5n,
      byAuthorization: true,
      tx,
      logIndex: 1,
    })
  })

  test('an ordinary transfer is not', async () => {
    const data = encodeFunctionData({
      abi: TOKEN_ABI,
      functionName: 'transfer',
      args: [world.anvil.receiver, 6n],
    })
    const tx = await world.anvil.send(world.buyer, world.anvil.usdc, data)
    expect(await world.chain.transfers(USDC, tx)).toMatchObject([{ value: 6n, byAuthorization: false }])
  })

  test('CLS-11: an authorization marks the transfer that it made, not another one of the same payer', async () => {
    const tx = await world.submit(await pay(world.buyer, world.anvil.receiver))
    const method = 'eth_getTransactionReceipt'
    const receipt = (await world.anvil.clients.reads.request({ method, params: [tx] }))!
    const made = receipt.logs.at(-1)!
    const plain = { ...made, logIndex: `0x${(Number(made.logIndex) + 1).toString(16)}` }
    const through = await startRpcProxy(world.anvil.rpcUrl)
    const result = { ...receipt, logs: [...receipt.logs, plain] }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result })
    through.treat((call) => (call.method === method ? { status: 200, body } : 'pass'))
    const chain = createPaymentChain({ rpcUrl: through.url, log: quietLog })
    expect(await chain.transfers(USDC, tx)).toMatchObject([
      { byAuthorization: true },
      { byAuthorization: false },
    ])
    await chain.close()
    await through.close()
  })

  test('CHN-01: in a block that is none of the chain yet, or any more: not there', async () => {
    const tx = await world.submit(await pay(world.buyer, world.anvil.receiver))
    const method = 'eth_getTransactionReceipt'
    const receipt = await world.anvil.clients.reads.request({ method, params: [tx] })
    const result = { ...receipt, blockHash: `0x${'12'.repeat(32)}` }
    const through = await startRpcProxy(world.anvil.rpcUrl)
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result })
    through.treat((call) => (call.method === method ? { status: 200, body } : 'pass'))
    const chain = createPaymentChain({ rpcUrl: through.url, log: quietLog })
    expect(await chain.transfers(USDC, tx)).toBeNull()
    await chain.close()
    await through.close()
  })

  test('RPL-18: a transaction that anybody has named is read as far as an ordinary one may be long', async () => {
    const payment = await pay(world.buyer, world.anvil.receiver)
    const tx = await world.submit(payment)
    const method = 'eth_getTransactionReceipt'
    const receipt = (await world.anvil.clients.reads.request({ method, params: [tx] }))!
    const [log] = receipt.logs
    const other = { ...log, address: world.anvil.multicall3, topics: [], data: `0x${'00'.repeat(64)}` }
    const result = { ...receipt, logs: [...receipt.logs, ...Array(2_500).fill(other)] }
    const through = await startRpcProxy(world.anvil.rpcUrl)
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result })
    through.treat((call) => (call.method === method ? { status: 200, body } : 'pass'))
    const chain = createPaymentChain({ rpcUrl: through.url, log: quietLog })
    const named = chain.transfers(USDC, tx, NAMED_MAX_BYTES)
    await expect(named).rejects.toMatchObject({ code: 'chain_unavailable' })
    expect(await chain.transfers(USDC, tx)).toMatchObject([{ byAuthorization: true }])
    const { from, nonce } = payment.authorization
    const fate = (maxBytes?: number) => chain.fate(USDC, from, nonce, Date.now(), maxBytes)
    await expect(fate(NAMED_MAX_BYTES)).rejects.toMatchObject({ code: 'chain_unavailable' })
    expect(await fate()).toMatchObject({ kind: 'used', tx })
    await chain.close()
    await through.close()
  })

  test('CLS-12: another token’s transfers do not count', async () => {
    const tx = await world.submit(await pay(world.buyer, world.anvil.receiver))
    expect(await world.chain.transfers(lower(world.anvil.multicall3), tx)).toEqual([])
  })

  test('CLS-13: reverted; CLS-14: unknown and pending', async () => {
    const data = encodeFunctionData({
      abi: TOKEN_ABI,
      functionName: 'transfer',
      args: [world.anvil.receiver, 10n ** 15n],
    })
    const sender = privateKeyToAccount(world.stranger.privateKey)
    const reverted = await world.anvil.clients.wallet.sendTransaction({
      account: sender,
      to: world.anvil.usdc,
      data,
      gas: 100_000n,
    })
    await world.anvil.clients.reads.waitForTransactionReceipt({ hash: reverted })
    expect(await world.chain.transfers(USDC, reverted)).toBe('reverted')
    expect(await world.chain.transfers(USDC, nonce())).toBeNull()
    await world.anvil.clients.node.setAutomine(false)
    const pending = await world.anvil.clients.wallet.sendTransaction({
      account: sender,
      to: world.anvil.usdc,
      data,
      gas: 100_000n,
    })
    expect(await world.chain.transfers(USDC, pending)).toBeNull()
    await world.anvil.clients.node.mine({ blocks: 1 })
    await world.anvil.clients.node.setAutomine(true)
    expect(await world.chain.transfers(USDC, pending)).toBe('reverted')
  })
})

describe('fate in one transaction', () => {
  test('used: the same as the full search finds, in two calls', async () => {
    const payment = await pay(world.buyer, world.anvil.receiver)
    const tx = await world.submit(payment)
    const { from, nonce: used } = payment.authorization
    const proxy = await startRpcProxy(world.anvil.rpcUrl)
    const counted = createPaymentChain({ rpcUrl: proxy.url, log: quietLog })
    const use = await counted.fateIn(USDC, from, used, tx)
    expect(proxy.count()).toBe(2)
    expect(use).toEqual(await world.chain.fate(USDC, from, used, recently()))
    await counted.close()
    await proxy.close()
  })

  test('null: another nonce, another payer, another token, an unknown or a reverted transaction', async () => {
    const payment = await pay(world.buyer, world.anvil.receiver)
    const tx = await world.submit(payment)
    const { from, nonce: used } = payment.authorization
    const { chain } = world
    expect(await chain.fateIn(USDC, from, nonce(), tx)).toBeNull()
    expect(await chain.fateIn(USDC, lower(world.stranger.address), used, tx)).toBeNull()
    expect(await chain.fateIn(lower(world.anvil.receiver), from, used, tx)).toBeNull()
    expect(await chain.fateIn(USDC, from, used, `0x${'12'.repeat(32)}`)).toBeNull()
  })
})
