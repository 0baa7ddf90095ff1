import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Rails } from '../../../api/rails/index.ts'
import type { Rail, RailTransfer } from '../../../api/rails/rail.ts'
import type { Chain } from '../../../ops/sandbox/chain/chain.ts'
import { NETWORKS } from '../../../ops/sandbox/chain/networks.ts'
import { mintCall } from '../../../ops/sandbox/chain/setup.ts'
import { TOKEN_ABI } from '../../../ops/sandbox/chain/tokenAbi.ts'
import { until } from '../../support/process.ts'
import { type RailWorld, send, startRailWorld, transferData } from '../../support/railWorld.ts'
import { pay, transferCall } from '../settlement/payer.ts'
import { type RpcProxy, rpcError, startRpcProxy } from '../settlement/rpcProxy.ts'

let world: RailWorld
let rails: Rails
let base: Chain
let ethereum: Chain
const proxies: RpcProxy[] = []
beforeAll(async () => {
  world = await startRailWorld(['base', 'ethereum'], { history: true })
  rails = world.rails()
  base = world.chains.base!
  ethereum = world.chains.ethereum!
})
afterAll(() => world?.stop())
afterEach(() => Promise.all(proxies.splice(0).map((proxy) => proxy.close())))

const rail = (id: string): Rail => rails.find(id)!
const [USDC_ETH, USDT] = NETWORKS.ethereum.tokens.map(({ address }) => address) as [Address, Address]
const us = () => base.accounts.receiver.address
const usOnEthereum = () => ethereum.accounts.receiver.address

async function transfers(one: Rail, tx: string): Promise<RailTransfer[]> {
  const found = await one.byHash(tx)
  if (typeof found === 'string') throw new Error(found)
  return found
}

/** The same rails, read through a node that misbehaves. */
async function through(chain: 'base' | 'ethereum', treat: Parameters<RpcProxy['treat']>[0]) {
  const proxy = await startRpcProxy(world.chains[chain]!.rpcUrl)
  proxies.push(proxy)
  proxy.treat(treat)
  const key = chain === 'base' ? 'BASE_RPC_URL' : 'ETHEREUM_RPC_URL'
  return { proxy, rails: world.rails({ [key]: proxy.url }) }
}
const answer = (result: unknown) => ({
  status: 200,
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, result }),
})

describe('CLS-12, RAIL-01: only the pinned contract moves money', () => {
  test('the same transfer of a bridged coin with the same name is none', async () => {
    const bridged: Address = `0x${'2791'.repeat(10)}`
    const { node } = base.clients
    await node.setCode({ address: bridged, bytecode: base.contracts.Token.runtime })
    await node.setBalance({ address: base.accounts.owner.address, value: 10n ** 18n })
    const { owner, buyers } = base.accounts
    const claim = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'initialize', args: [owner.address] })
    await send(base, bridged, { data: claim, by: owner })
    await send(base, bridged, { data: mintCall(buyers[0]!.address, 10n ** 9n), by: owner })
    const before = Date.now() - 60_000
    const tx = await send(base, bridged, { data: transferData(us(), 250_000n) })
    expect((await base.clients.reads.getTransactionReceipt({ hash: tx })).logs).toHaveLength(1)
    expect(await transfers(rail('usdc_base'), tx)).toEqual([])
    expect((await rail('usdc_base').since(before)).filter((one) => one.tx === tx)).toEqual([])
  })

  test('a transfer of nothing and one to a look-alike of our address are none', async () => {
    const likeUs = `${us().slice(0, 8)}${'0'.repeat(28)}${us().slice(-6)}`.toLowerCase()
    const zero = await send(base, base.usdc, { data: transferData(us(), 0n) })
    const alike = await send(base, base.usdc, { data: transferData(likeUs, 250_000n) })
    for (const tx of [zero, alike]) expect(await transfers(rail('usdc_base'), tx)).toEqual([])
    const found = (await rail('usdc_base').since(Date.now() - 60_000)).map(({ tx }) => tx)
    expect(found.filter((tx) => tx === zero || tx === alike)).toEqual([])
  })

  test('on Ethereum USDC is not USDT', async () => {
    const tx = await send(ethereum, USDC_ETH, { data: transferData(usOnEthereum(), 5n) })
    expect(await transfers(rail('usdc_eth'), tx)).toMatchObject([{ atomic: 5n }])
    expect(await transfers(rail('usdt_eth'), tx)).toEqual([])
  })
})

describe('RAIL-02: USDT', () => {
  const ABI = parseAbi([
    'function setParams(uint256 rate, uint256 fee)',
    'function addBlackList(address who)',
    'function removeBlackList(address who)',
  ])
  const byOwner = async (functionName: 'setParams' | 'addBlackList' | 'removeBlackList', args: unknown[]) => {
    await ethereum.clients.node.setBalance({ address: ethereum.accounts.owner.address, value: 10n ** 18n })
    const data = encodeFunctionData({ abi: ABI, functionName, args } as never)
    await send(ethereum, USDT, { data, by: ethereum.accounts.owner })
  }

  test('its transfer returns nothing, and counts', async () => {
    const tx = await send(ethereum, USDT, { data: transferData(usOnEthereum(), 2_490_000n) })
    expect(await transfers(rail('usdt_eth'), tx)).toMatchObject([{ atomic: 2_490_000n }])
  })

  test('with the fee switched on the amount is what arrived, not what was sent', async () => {
    await byOwner('setParams', [10n, 50_000n])
    const tx = await send(ethereum, USDT, { data: transferData(usOnEthereum(), 1_000_000n) })
    await byOwner('setParams', [0n, 0n])
    expect((await ethereum.clients.reads.getTransactionReceipt({ hash: tx })).logs).toHaveLength(2)
    expect(await transfers(rail('usdt_eth'), tx)).toMatchObject([{ atomic: 999_000n }])
  })

  test('a blocked payer’s transfer fails', async () => {
    await byOwner('addBlackList', [ethereum.accounts.buyers[0]!.address])
    const tx = await send(ethereum, USDT, { data: transferData(usOnEthereum(), 1n) })
    await byOwner('removeBlackList', [ethereum.accounts.buyers[0]!.address])
    expect(await rail('usdt_eth').byHash(tx)).toBe('failed')
  })
})

describe('CLS-13: a reverted transaction moved nothing', () => {
  test('matching call data, status 0', async () => {
    const tx = await send(base, base.usdc, { data: transferData(us(), 10n ** 18n) })
    expect(await rail('usdc_base').byHash(tx)).toBe('failed')
    expect(await rail('eth_base').byHash(tx)).toBe('failed')
  })
})

describe('RPL-18: a transaction that anybody has named', () => {
  test.each(['usdc_base', 'eth_base'])('%s: is read as far as an ordinary one may be long', async (id) => {
    const hash = await send(base, base.usdc, { data: transferData(us(), 7n) })
    const receipt = await base.clients.reads.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    const [log] = receipt!.logs
    const other = { ...log, address: base.multicall3, topics: [] }
    const long = answer({ ...receipt, logs: [...receipt!.logs, ...Array(2_500).fill(other)] })
    const seen = await through('base', ({ method }) =>
      method === 'eth_getTransactionReceipt' ? long : 'pass',
    )
    const byHash = seen.rails.find(id)!.byHash(hash)
    await expect(byHash).rejects.toMatchObject({ code: 'chain_unavailable' })
  })
})

describe('RAIL-03: ETH', () => {
  const AGGREGATE = parseAbi([
    'function aggregate3Value((address target, bool allowFailure, uint256 value, bytes callData)[] calls) payable',
  ])

  test('passed on inside a contract’s call: found, and no transfer', async () => {
    const value = 10n ** 14n
    const call = { target: us(), allowFailure: false, value, callData: '0x' as Hex }
    const data = encodeFunctionData({ abi: AGGREGATE, functionName: 'aggregate3Value', args: [[call]] })
    const before = await base.clients.reads.getBalance({ address: us() })
    const tx = await send(base, base.multicall3, { data, value })
    expect(await base.clients.reads.getBalance({ address: us() })).toBe(before + value)
    expect(await transfers(rail('eth_base'), tx)).toEqual([])
  })

  test('RAIL-05: wei beyond 2^53 are exact', async () => {
    const value = 9_007_199_254_740_993n //  2^53 + 1
    const tx = await send(base, us(), { value })
    expect(await transfers(rail('eth_base'), tx)).toMatchObject([
      { atomic: value, key: `tx:8453:${tx}:value` },
    ])
  })

  test('a call of ours without value, and a transaction that makes a contract, are no transfers', async () => {
    expect(await transfers(rail('eth_base'), await send(base, us()))).toEqual([])
    const { wallet, reads } = base.clients
    const { privateKeyToAccount } = await import('viem/accounts')
    const account = privateKeyToAccount(base.accounts.buyers[1]!.privateKey)
    const tx = await wallet.sendTransaction({ account, data: '0x00' })
    await reads.waitForTransactionReceipt({ hash: tx })
    expect(await transfers(rail('eth_base'), tx)).toEqual([])
  })
})

describe('several transfers in one transaction (CLS-11)', () => {
  test('each has a key of its own', async () => {
    const abi = parseAbi([
      'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable',
    ])
    await send(base, base.usdc, { data: transferData(base.multicall3, 30n) })
    const calls = [10n, 20n].map((value) => ({
      target: base.usdc,
      allowFailure: false,
      callData: transferData(us(), value),
    }))
    const data = encodeFunctionData({ abi, functionName: 'aggregate3', args: [calls] })
    const found = await transfers(rail('usdc_base'), await send(base, base.multicall3, { data }))
    expect(found.map(({ atomic, key }) => [atomic, key])).toEqual([
      [10n, `tx:8453:${found[0]!.tx}:log0`],
      [20n, `tx:8453:${found[0]!.tx}:log1`],
    ])
  })
})

describe('x402 settlements pay no intent', () => {
  test('by hash they are marked; discovery leaves them out', async () => {
    const payment = await pay(base.accounts.buyers[0]!, us(), { value: 4_321n })
    const tx = await send(base, base.usdc, { data: transferCall(payment) })
    const plain = await send(base, base.usdc, { data: transferData(us(), 4_322n) })
    expect(await transfers(rail('usdc_base'), tx)).toMatchObject([{ atomic: 4_321n, byAuthorization: true }])
    const found = (await rail('usdc_base').since(Date.now() - 60_000)).map((one) => one.tx)
    expect([found.includes(tx), found.includes(plain)]).toEqual([false, true])
  })
})

describe('CHN: blocks come and go', () => {
  test('confirmations count the blocks on top, the transfer’s own included', async () => {
    const tx = await send(base, base.usdc, { data: transferData(us(), 9n) })
    expect(await transfers(rail('usdc_base'), tx)).toMatchObject([{ confirmations: 1 }])
    await base.clients.node.mine({ blocks: 4 })
    expect(await transfers(rail('usdc_base'), tx)).toMatchObject([{ confirmations: 5 }])
    expect((await rail('usdc_base').since(Date.now() - 60_000)).find((one) => one.tx === tx)).toMatchObject({
      confirmations: 5,
    })
  })

  test('those of ETH too, and its time is that of its block', async () => {
    const { node, reads } = base.clients
    const timestamp = (await reads.getBlock()).timestamp + 5n
    await node.setNextBlockTimestamp({ timestamp })
    const tx = await send(base, us(), { value: 9n })
    await node.mine({ blocks: 4 })
    const atMs = Number(timestamp) * 1_000
    expect(await transfers(rail('eth_base'), tx)).toMatchObject([{ confirmations: 5, atMs }])
  })

  test('CHN-02: a transfer that a reorganisation dropped is no longer there, nor discovered', async () => {
    const tx = await send(base, base.usdc, { data: transferData(us(), 11n) })
    const fromMs = Date.now() - 60_000
    expect((await rail('usdc_base').since(fromMs)).map((one) => one.tx)).toContain(tx)
    const { node } = base.clients
    await node.setAutomine(false)
    await node.request({ method: 'anvil_reorg' as never, params: [1, []] as never })
    await node.dropTransaction({ hash: tx })
    await node.mine({ blocks: 2 })
    await node.setAutomine(true)
    expect(await rail('usdc_base').byHash(tx)).toBe('unknown')
    expect((await rail('usdc_base').since(fromMs)).filter((one) => one.tx === tx)).toEqual([])
  })

  test.each([
    ['it went well there', '0x1'],
    ['it failed there, and may go well in another', '0x0'],
  ])('CHN-01: a receipt whose block is not the chain’s is unknown: %s', async (_, status) => {
    const tx = await send(base, base.usdc, { data: transferData(us(), 12n) })
    const receipt = await base.clients.reads.request({ method: 'eth_getTransactionReceipt', params: [tx] })
    const { rails: mine } = await through('base', ({ method }) =>
      method === 'eth_getTransactionReceipt'
        ? answer({ ...receipt, status, blockHash: `0x${'12'.repeat(32)}` })
        : 'pass',
    )
    expect(await mine.find('usdc_base')!.byHash(tx)).toBe('unknown')
  })

  test('CHN-04: logs marked removed do not count', async () => {
    const tx = await send(base, base.usdc, { data: transferData(us(), 13n) })
    const receipt = await base.clients.reads.request({ method: 'eth_getTransactionReceipt', params: [tx] })
    const removed = { ...receipt, logs: receipt!.logs.map((log) => ({ ...log, removed: true })) }
    const { rails: mine } = await through('base', ({ method }) =>
      method === 'eth_getTransactionReceipt' ? answer(removed) : 'pass',
    )
    expect(await mine.find('usdc_base')!.byHash(tx)).toEqual([])
  })
})

describe('unknown means gone only where the node could know: it lags, or dropped its history', () => {
  const mined = async () => {
    const tx = await send(base, base.usdc, { data: transferData(us(), 18n) })
    const [{ atMs }] = (await transfers(rail('usdc_base'), tx)) as [RailTransfer]
    return { tx, atMs }
  }

  test.each(['usdc_base', 'eth_base'])(
    '%s: a time it has blocks of; not one after its newest',
    async (id) => {
      const { atMs } = await mined()
      expect(await rail(id).covers(atMs)).toBe(true)
      expect(await rail(id).covers(atMs - 1)).toBe(true)
      expect(await rail(id).covers(atMs + 600_000)).toBe(false)
    },
  )

  test('blocks without their receipts, and heads without blocks, are no history', async () => {
    const { atMs } = await mined()
    await base.clients.node.mine({ blocks: 3 })
    for (const pruned of ['eth_getTransactionReceipt', 'eth_getBlockByNumber']) {
      const { rails: mine } = await through('base', ({ method, params: [number] }) =>
        method === pruned && number !== 'latest' ? answer(null) : 'pass',
      )
      expect(await mine.find('usdc_base')!.covers(atMs), pruned).toBe(false)
    }
  })

  test('an empty block says nothing of its node: the next one with a transaction does', async () => {
    const { node, reads } = base.clients
    const timestamp = (await reads.getBlock()).timestamp + 1n //  several blocks may have one
    await node.setNextBlockTimestamp({ timestamp })
    await node.mine({ blocks: 1 })
    await mined()
    const { proxy, rails: mine } = await through('base', ({ method }) =>
      method === 'eth_getTransactionReceipt' ? answer(null) : 'pass',
    )
    const covers = () => mine.find('usdc_base')!.covers(Number(timestamp) * 1_000)
    expect(await covers()).toBe(false)
    proxy.treat(() => 'pass')
    expect(await covers()).toBe(true)
  })

  test('eth_base: a receipt without its transaction leaves open what it paid, one of another shape is an outage', async () => {
    const tx = await send(base, us(), { value: 19n })
    const { proxy, rails: mine } = await through('base', ({ method }) =>
      method === 'eth_getTransactionByHash' ? answer(null) : 'pass',
    )
    const byHash = () => mine.find('eth_base')!.byHash(tx)
    expect(await byHash()).toBe('unknown')
    proxy.treat(({ method }) => (method === 'eth_getTransactionByHash' ? answer({ to: us() }) : 'pass'))
    await expect(byHash()).rejects.toMatchObject({ code: 'chain_unavailable' })
    proxy.treat(() => 'pass')
    expect(await byHash()).toMatchObject([{ atomic: 19n }])
  })

  test('after a reorganisation it covers the time once the chain has gone on from there', async () => {
    const { tx, atMs } = await mined()
    const { node } = base.clients
    await node.setAutomine(false)
    await node.request({ method: 'anvil_reorg' as never, params: [1, []] as never })
    await node.dropTransaction({ hash: tx })
    await until('the chain is past that time again', async () => {
      await node.mine({ blocks: 1 })
      return rail('usdc_base').covers(atMs)
    })
    await node.setAutomine(true)
    expect(await rail('usdc_base').byHash(tx)).toBe('unknown')
  })

  test('a node in trouble is an outage, never an answer', async () => {
    const { rails: mine } = await through('base', ({ method }) =>
      method === 'eth_getBlockByNumber' ? answer({ number: '0x1' }) : 'pass',
    )
    await expect(mine.find('usdc_base')!.covers(Date.now())).rejects.toMatchObject({
      code: 'chain_unavailable',
    })
  })
})

describe('CLS-15: a node of another chain is an outage', () => {
  test('byHash and since refuse, until the node is right', async () => {
    const tx = await send(base, base.usdc, { data: transferData(us(), 14n) })
    const { proxy, rails: mine } = await through('base', ({ method }) =>
      method === 'eth_chainId' ? answer('0x1') : 'pass',
    )
    const usdc = mine.find('usdc_base')!
    await expect(usdc.byHash(tx)).rejects.toMatchObject({ code: 'chain_unavailable' })
    await expect(usdc.since(Date.now() - 60_000)).rejects.toMatchObject({ code: 'chain_unavailable' })
    proxy.treat(() => 'pass')
    const asked = proxy.count('eth_chainId')
    for (let time = 0; time < 2; time++) expect(await usdc.byHash(tx)).toMatchObject([{ atomic: 14n }])
    expect(proxy.count('eth_chainId')).toBe(asked + 1)
  })

  test('one that did not say which it is, is asked again', async () => {
    const tx = await send(base, base.usdc, { data: transferData(us(), 15n) })
    const { proxy, rails: mine } = await through('base', ({ method }) =>
      method === 'eth_chainId' ? rpcError(-32000, 'starting') : 'pass',
    )
    const usdc = mine.find('usdc_base')!
    await expect(usdc.byHash(tx)).rejects.toMatchObject({ code: 'chain_unavailable' })
    proxy.treat(() => 'pass')
    expect(await usdc.byHash(tx)).toMatchObject([{ atomic: 15n }])
  })
})

describe('RAIL-13: decimals are those of the chain', () => {
  test.each([
    ['18', `0x${'12'.padStart(64, '0')}`],
    ['nothing', '0x'],
  ])('a token that says %s is not offered, until it says what is right', async (_, decimals) => {
    let fine = false
    const { rails: mine } = await through('ethereum', ({ method }) =>
      method === 'eth_call' && !fine ? answer(decimals) : 'pass',
    )
    const quote = () => mine.find('usdt_eth')!.quote(1_000_000n)
    for (let time = 0; time < 2; time++) expect(await quote()).toMatchObject({ problem: 'rail_unavailable' })
    fine = true
    expect(await quote()).toMatchObject({ atomic: 1_000_000n })
  })

  test('nor is one that fails when it is asked', async () => {
    const { rails: mine } = await through('ethereum', ({ method }) =>
      method === 'eth_call' ? rpcError(3, 'execution reverted') : 'pass',
    )
    expect(await mine.find('usdt_eth')!.quote(1_000_000n)).toMatchObject({ problem: 'rail_unavailable' })
  })

  test.each([
    ['in trouble', -32005, 'limit'],
    ['that refuses', -32000, 'header not found'],
  ])('a node %s is an outage and asked again, until it has said it', async (_, code, text) => {
    let fine = false
    const { proxy, rails: mine } = await through('ethereum', ({ method }) =>
      method === 'eth_call' && !fine ? rpcError(code, text) : 'pass',
    )
    const quote = () => mine.find('usdt_eth')!.quote(1_000_000n)
    await expect(quote()).rejects.toMatchObject({ code: 'chain_unavailable' })
    fine = true
    const asked = proxy.count('eth_call')
    for (let time = 0; time < 2; time++) expect(await quote()).toMatchObject({ atomic: 1_000_000n })
    expect(proxy.count('eth_call')).toBe(asked + 1)
  })
})

describe('CHN-04: discovery reads ranges that the node has answered, and each block once', () => {
  test('a node that allows few blocks at once', async () => {
    const tx = await send(base, base.usdc, { data: transferData(us(), 15n) })
    await base.clients.node.mine({ blocks: 300 })
    let refused = 0
    const { rails: mine } = await through('base', ({ method, params: [filter] }) => {
      const { fromBlock, toBlock } = (filter ?? {}) as { fromBlock: string; toBlock: string }
      if (method !== 'eth_getLogs' || Number(toBlock) - Number(fromBlock) < 20) return 'pass'
      refused += 1
      return rpcError(-32602, 'range')
    })
    const found = await mine.find('usdc_base')!.since(Date.now() - 60_000)
    expect(found.map((one) => one.tx)).toContain(tx)
    expect(refused).toBeGreaterThan(0)
  })

  test('a failure in the middle loses nothing, and what was read is not read again', async () => {
    const tx = await send(base, base.usdc, { data: transferData(us(), 16n) })
    await base.clients.node.mine({ blocks: 200 })
    const last = await send(base, base.usdc, { data: transferData(us(), 17n) })
    let broken = true
    const starts: number[] = []
    const { rails: mine } = await through('base', ({ method, params: [filter] }) => {
      if (method !== 'eth_getLogs') return 'pass'
      const from = Number((filter as { fromBlock: string }).fromBlock)
      const first = starts[0] ?? from
      starts.push(from)
      return broken && from > first + 40 ? 'cut' : 'pass'
    })
    const usdc = mine.find('usdc_base')!
    const fromMs = Date.now() - 600_000
    await expect(usdc.since(fromMs)).rejects.toMatchObject({ code: 'chain_unavailable' })
    broken = false
    const [first] = starts
    starts.length = 0
    const found = (await usdc.since(fromMs)).map((one) => one.tx)
    expect(found).toEqual(expect.arrayContaining([tx, last]))
    expect(starts[0]).toBeGreaterThan(first!)
    const again = starts.length
    await usdc.since(fromMs)
    expect(starts.length - again).toBeLessThanOrEqual(2)
  })

  test('a node that answers with anything else is an outage', async () => {
    for (const nonsense of [answer(null), answer([{ address: '0x1' }]), { status: 200, body: 'x' }]) {
      const { rails: mine } = await through('base', ({ method }) =>
        method === 'eth_getLogs' || method === 'eth_getTransactionReceipt' ? nonsense : 'pass',
      )
      const usdc = mine.find('usdc_base')!
      await expect(usdc.since(Date.now() - 60_000)).rejects.toMatchObject({ code: 'chain_unavailable' })
      if (nonsense.body !== answer(null).body)
        await expect(usdc.byHash(`0x${'ab'.repeat(32)}`)).rejects.toMatchObject({ code: 'chain_unavailable' })
    }
  })
})
