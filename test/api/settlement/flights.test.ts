import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { BrokenRowError } from '../../../api/ledger/scripts.ts'
import { createFlights, type Flights } from '../../../api/settlement/flights.ts'
import { createRpc, type Rpc } from '../../../api/settlement/rpc.ts'
import { createWallet, type Wallet } from '../../../api/settlement/wallet.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { quietLog } from './chainWorld.ts'
import { createMemoryLedger, type MemoryLedger } from './memoryLedger.ts'
import { pay } from './payer.ts'
import { type RpcProxy, rpcError, startRpcProxy } from './rpcProxy.ts'
import { lower } from './vectors.ts'

let anvil: TestChain
let proxy: RpcProxy
let rpc: Rpc
let wallet: Wallet
let flights: Flights
let ledger: MemoryLedger
beforeAll(async () => {
  anvil = await startTestChain({ buyers: 1 })
  proxy = await startRpcProxy(anvil.rpcUrl)
  rpc = createRpc(proxy.url)
})
afterAll(async () => {
  await rpc?.close()
  await proxy?.close()
  await anvil?.stop()
})
beforeEach(async () => {
  proxy.treat(() => 'pass')
  wallet = createWallet({ rpc, key: generatePrivateKey(), chainId: 8453 })
  ledger = createMemoryLedger()
  const ports = { rpc, wallet, ledger, log: quietLog, nowMs: Date.now }
  flights = createFlights({ ...ports, onSent: () => {} })
  await anvil.clients.node.setAutomine(false)
  await anvil.clients.node.setBalance({ address: wallet.address, value: 10n ** 19n })
})

const call = () => ({ to: lower(anvil.receiver), data: '0x' as const, gas: 21_000n })
const answer = (result: unknown) => ({
  status: 200,
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, result }),
})
/** The node takes what is sent, and forgets it. */
const eat = () =>
  proxy.treat(({ method }) => (method === 'eth_sendRawTransaction' ? answer(`0x${'00'.repeat(32)}`) : 'pass'))
const blocks = async (count: number) => {
  await anvil.clients.node.mine({ blocks: count })
  await flights.refresh()
  await flights.nurse()
}

describe('I9: nothing waits for ever behind one transaction', () => {
  test('one that is not mined is offered again after two blocks, and dearer at once after three', async () => {
    await flights.adopt()
    eat()
    await flights.launch(call(), [], false)
    const [flight] = flights.inAir()
    const seen: [versions: number, offers: number][] = []
    const before = proxy.count('eth_sendRawTransaction')
    for (let block = 0; block < 3; block++) {
      await blocks(1)
      seen.push([flight!.versions.length, proxy.count('eth_sendRawTransaction') - before])
    }
    expect(seen).toEqual([
      [1, 0],
      [1, 1],
      [2, 2],
    ])
  })

  test('one that the node takes and loses, until no higher fee is left, is offered again all the same', async () => {
    await flights.adopt()
    eat()
    await flights.launch(call(), [], false)
    const [flight] = flights.inAir()
    const versions = () => flight!.versions.length
    for (let before = 0; before < versions(); ) {
      before = versions()
      await blocks(3)
    }
    expect(flights.problem()).toMatchObject({ code: 'gas_too_dear' }) //  also right after it was offered again
    proxy.treat(() => 'pass')
    await blocks(2)
    expect(await wallet.knows(flight!.versions.at(-1)!.tx)).toBe(true)
    await anvil.clients.node.mine({ blocks: 1 })
    await flights.refresh()
    expect(flights.arrived()).toEqual([flight])
  })
})

test('DATA-08 a row that breaks while its transaction is under way does not keep the fee of its neighbours low', async () => {
  for (const key of ['broken', 'sound']) ledger.add(key, await pay(anvil.buyers[0]!, anvil.receiver))
  const jobs = await ledger.pending(2)
  await flights.adopt()
  eat()
  await flights.launch(call(), jobs, false)
  const record = ledger.recordBroadcast
  ledger.recordBroadcast = async (keys, tx, which) => {
    if (keys.includes('broken')) throw new BrokenRowError('broken')
    await record(keys, tx, which)
  }
  for (let block = 0; block < 3; block++) await blocks(1)
  const [flight] = flights.inAir()
  expect(flight!.versions).toHaveLength(2)
  expect(ledger.row('sound').txs).toEqual(flight!.versions.map(({ tx }) => tx))
})

test('I5 what the ledger hears of a transaction: that it is the first, and may not leave with one that was refused; then that it is out', async () => {
  ledger.add('sound', await pay(anvil.buyers[0]!, anvil.receiver))
  const jobs = await ledger.pending(1)
  await flights.adopt()
  eat()
  const heard: unknown[] = []
  const record = ledger.recordBroadcast
  ledger.recordBroadcast = async (keys, tx, which) => {
    heard.push(which)
    await record(keys, tx, which)
  }
  await flights.launch(call(), jobs, false)
  for (let block = 0; block < 3; block++) await blocks(1)
  expect(heard).toEqual(['first', 'again'])
})

describe('what a node says of transactions that wait is its word, and no work without end', () => {
  test.each([
    ['2 ** 53', 2 ** 53, 64],
    ['three', 3, 3],
    ['fewer than are mined', 0, 0],
  ])('%s', async (_, waiting, next) => {
    proxy.treat(({ method, params }) =>
      method === 'eth_getTransactionCount' && params[1] === 'pending'
        ? answer(`0x${waiting.toString(16)}`)
        : 'pass',
    )
    await flights.adopt()
    await flights.launch(call(), [], false)
    expect(flights.inAir().map(({ nonce }) => nonce)).toEqual([next])
  })
})

describe('a node that calls every fee too low', () => {
  const underpriced = (until = Number.POSITIVE_INFINITY) =>
    proxy.treat(({ method }) =>
      method === 'eth_sendRawTransaction' && proxy.count(method) < until
        ? rpcError(-32_000, 'transaction underpriced')
        : method === 'eth_sendRawTransaction'
          ? 'cut'
          : 'pass',
    )

  test('is one refusal, however often the fee was raised: a second later it is tried again', async () => {
    let atMs = 0
    flights = createFlights({ rpc, wallet, ledger, log: quietLog, nowMs: () => atMs, onSent: () => {} })
    await flights.adopt()
    underpriced()
    const asked = proxy.count('eth_getTransactionByHash')
    const offered = proxy.count('eth_sendRawTransaction')
    expect(await flights.launch(call(), [], false)).toBe(false)
    const versions = proxy.count('eth_sendRawTransaction') - offered
    expect(versions).toBeGreaterThan(10)
    expect(proxy.count('eth_getTransactionByHash') - asked).toBe(versions)
    expect(flights.room()).toBe(0)
    atMs += 1_000
    expect(flights.room()).toBeGreaterThan(0)
  })

  test('and does not answer in the end: it may have the last one, so that nonce stays taken', async () => {
    await flights.adopt()
    underpriced(proxy.count('eth_sendRawTransaction') + 3)
    expect(await flights.launch(call(), [], false)).toBe(false)
    expect(flights.inAir()).toHaveLength(1)
    expect(flights.problem()).toMatchObject({ code: 'node_unsure' })
  })
})

describe('the balance that is told is not older than about a minute, also while nothing is sold', () => {
  const GAS = 10n ** 19n
  let atMs = 0
  const minute = () => {
    atMs += 61_000
  }
  const fund = (value: bigint) => anvil.clients.node.setBalance({ address: wallet.address, value })
  beforeEach(async () => {
    atMs = 0
    flights = createFlights({ rpc, wallet, ledger, log: quietLog, nowMs: () => atMs, onSent: () => {} })
    await flights.adopt()
  })

  test.each([
    ['filled up', 2n * GAS],
    ['drained', 1n],
  ])('an account that is %s', async (_, wei) => {
    await fund(wei)
    atMs += 59_000
    await flights.lookAtBalance()
    expect(flights.balance()).toBe(GAS)
    minute()
    await flights.lookAtBalance()
    expect(flights.balance()).toBe(wei)
  })

  test('a node that does not say is asked again in a minute; until then the last balance stands, and nothing waits', async () => {
    proxy.treat(({ method }) => (method === 'eth_getBalance' ? 'cut' : 'pass'))
    const asked = () => proxy.count('eth_getBalance')
    const before = asked()
    minute()
    for (let round = 0; round < 5; round++) await flights.lookAtBalance()
    expect([flights.balance(), flights.problem()]).toEqual([GAS, null])
    const failed = asked() - before
    expect(failed).toBeLessThanOrEqual(2) //  a call that is cut off is repeated once
    proxy.treat(() => 'pass')
    await fund(2n * GAS)
    minute()
    await flights.lookAtBalance()
    expect([flights.balance(), asked() - before]).toEqual([2n * GAS, failed + 1])
  })
})
