import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RpcProxy, startRpcProxy } from '../../api/settlement/rpcProxy.ts'
import { get, type Offer, offerOf, paid, payment } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'

/** CHN-04: api and worker with two nodes, of which the second one lies. */
const PATH = '/x402/v1/ping'
let chain: TestChain
let second: RpcProxy
let service: Service
let offer: Offer
beforeAll(async () => {
  chain = await startTestChain()
  second = await startRpcProxy(chain.rpcUrl)
  service = await startService({
    chain,
    processes: 1,
    env: { BASE_RPC_URL: `${chain.rpcUrl},${second.url}`, SETTLE_WAIT_MS: '2000' },
  })
  offer = await offerOf(service.bases[0]!, PATH)
})
afterAll(async () => {
  await service?.stop()
  await second?.close()
  await chain?.stop()
})
const ask = (header: string) => get(`${service.bases[0]}${PATH}`, paid(header))
const buysWhenHonest = (header: string) => {
  second.treat(() => 'pass')
  return until('it is bought', async () => (await ask(header)).status === 200)
}

test('both say the same: bought at once', async () => {
  const before = await chain.balance(chain.receiver)
  const { header } = await payment(offer, chain.buyers[0]!)
  expect((await ask(header)).status).toBe(200)
  expect((await chain.balance(chain.receiver)) - before).toBe(10_000n)
  expect(second.count('eth_getTransactionReceipt')).toBeGreaterThan(0)
  expect(second.count('eth_sendRawTransaction')).toBe(0)
})

test('the second says nothing of the transfer: pending, and nothing is delivered; bought, once, when it does', async () => {
  const before = await chain.balance(chain.receiver)
  second.treat(({ method }) =>
    method === 'eth_getTransactionReceipt'
      ? { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: null }) }
      : 'pass',
  )
  const { header } = await payment(offer, chain.buyers[1]!)
  await until('the money has moved', async () => {
    const answer = await ask(header)
    expect([answer.status, answer.json.code]).toEqual([503, 'settlement_pending'])
    return (await chain.balance(chain.receiver)) - before === 10_000n
  })
  expect((await ask(header)).json.code).toBe('settlement_pending')
  await buysWhenHonest(header)
  expect((await chain.balance(chain.receiver)) - before).toBe(10_000n)
})

test('the second contradicts what an authorization did: neither delivered nor refused for good', async () => {
  const before = await chain.balance(chain.receiver)
  const { header } = await payment(offer, chain.buyers[2]!)
  second.treat(({ method }) =>
    method === 'eth_call'
      ? { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: `0x${'0'.repeat(64)}` }) }
      : 'pass',
  )
  expect((await ask(header)).status).toBe(503)
  await buysWhenHonest(header)
  expect((await chain.balance(chain.receiver)) - before).toBe(10_000n)
})
