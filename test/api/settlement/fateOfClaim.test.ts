import type { Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ClosableChain, createPaymentChain } from '../../../api/settlement/chain.ts'
import { decide } from '../../../api/settlement/decide.ts'
import { fateOfClaim } from '../../../api/settlement/fateOfClaim.ts'
import type { Payment, SettleJob } from '../../../api/settlement/port.ts'
import { createRpc, type Rpc } from '../../../api/settlement/rpc.ts'
import { chainWorld, quietLog } from './chainWorld.ts'
import { createMemoryLedger, type MemoryLedger } from './memoryLedger.ts'
import { pay } from './payer.ts'
import { type RpcProxy, rpcError, startRpcProxy } from './rpcProxy.ts'
import { lower, nonce, USDC } from './vectors.ts'

const world = chainWorld({ buyers: 2 })
let proxy: RpcProxy
let chain: ClosableChain
let rpc: Rpc
let ledger: MemoryLedger
beforeAll(async () => {
  proxy = await startRpcProxy(world.anvil.rpcUrl)
  chain = createPaymentChain({ rpcUrl: proxy.url, log: quietLog })
  rpc = createRpc(proxy.url)
})
beforeEach(() => {
  ledger = createMemoryLedger()
  proxy.treat(({ method }) => (method === 'eth_getLogs' ? rpcError(-32600, 'not in your plan') : 'pass'))
})
afterAll(async () => {
  await chain?.close()
  await rpc?.close()
  await proxy?.close()
})

const elsewhere: Hex = `0x${'12'.repeat(32)}`
const ask = (payment: Payment, txs: Hex[]) => fateOfClaim(chain, payment, txs, Date.now())
const end = async (
  payment: Payment,
  over: Partial<SettleJob>,
  reason: 'nonce_used' | 'insufficient_funds',
) => {
  ledger.add('a', payment)
  const job = { ...ledger.row('a'), ...over }
  return await decide(job, reason, { rpc, chain, ledger, isSpent: () => true })
}

describe('CRA-04, I4: what was sent for a claim shows what became of it, where no log can be had', () => {
  test('the newest that was mined is found with one receipt', async () => {
    const payment = await pay(world.buyer, world.anvil.receiver)
    const tx = await world.submit(payment)
    const before = proxy.count()
    expect(await ask(payment, [elsewhere, tx])).toMatchObject({ kind: 'used', tx, value: 10_000n })
    expect(proxy.count()).toBe(before + 2)
  })

  test('an older version may be the one: it settles the job', async () => {
    const payment = await pay(world.buyer, world.anvil.receiver)
    const tx = await world.submit(payment)
    expect(await end(payment, { txs: [tx, elsewhere] }, 'nonce_used')).toBe('settled')
    expect(ledger.row('a').settled).toMatchObject({ tx, logIndex: 1 })
  })

  test('CHN-02 one whose block is none of the chain any more proves nothing', async () => {
    const payment = await pay(world.buyer, world.anvil.receiver)
    const tx = await world.submit(payment)
    const method = 'eth_getTransactionReceipt'
    const receipt = (await world.anvil.clients.reads.request({ method, params: [tx] }))!
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { ...receipt, blockHash: elsewhere } })
    proxy.treat((call) => (call.method === method ? { status: 200, body } : 'pass'))
    await expect(ask(payment, [tx])).rejects.toMatchObject({ code: 'chain_unavailable' })
  })

  test('CHN-02 nor does it hide another one that stands', async () => {
    const payment = await pay(world.buyer, world.anvil.receiver)
    const tx = await world.submit(payment)
    const method = 'eth_getTransactionReceipt'
    const receipt = (await world.anvil.clients.reads.request({ method, params: [tx] }))!
    const dropped = { ...receipt, transactionHash: elsewhere, blockHash: elsewhere }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result: dropped })
    proxy.treat((call) =>
      call.method === method && call.params[0] === elsewhere ? { status: 200, body } : 'pass',
    )
    expect(await ask(payment, [tx, elsewhere])).toMatchObject({ kind: 'used', tx })
  })

  test('a transaction that did not carry it: the whole chain is asked', async () => {
    proxy.treat(() => 'pass')
    const payment = await pay(world.buyer, world.anvil.receiver)
    const other = await world.submit(await pay(world.buyer, world.anvil.receiver))
    expect(await ask(payment, [other])).toMatchObject({ kind: 'unused' })
    const tx = await world.submit(payment)
    expect(await ask(payment, [other])).toMatchObject({ kind: 'used', tx })
    expect(await chain.fate(USDC, lower(world.buyer.address), nonce(), Date.now())).toMatchObject({
      kind: 'unused',
    })
  })
})

describe('I5: what a facilitator may still have under way is not refused', () => {
  const NOW_S = BigInt(Math.floor(Date.now() / 1_000))
  test.each([
    ['ours alone', false, 300n, 'refused'],
    ['a facilitator may have sent it', true, 300n, 'later'],
    ['a facilitator may have sent it, and its window is over', true, -90n, 'refused'],
  ])('%s', async (_, mayBeElsewhere, leftS, decision) => {
    const payment = await pay(world.buyer, world.anvil.receiver, { validBefore: NOW_S + leftS })
    await world.anvil.clients.node.mine({ blocks: 1 })
    expect(await end(payment, { elsewhere: mayBeElsewhere }, 'insufficient_funds')).toBe(decision)
  })
})
