import { encodeFunctionData, erc20Abi } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { KEYS } from '../../../api/ledger/keys.ts'
import { type Answer, get, offerOf, paid, payment, rawRequest } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'
import { transferProof } from '../../support/transferProof.ts'

const PING = '/x402/v1/ping'
const SPREAD = '/x402/v1/spread'

let chain: TestChain
let service: Service
let base: string
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain, processes: 1, env: { SETTLE_WAIT_MS: '3000' } })
  base = service.bases[0]!
  //  made by the server: if it were sent, it would stay in the connection's buffer too, for an unknown time
  await store().setrange('ballast', 16 * 1024 * 1024 - 1, 'x')
})
afterEach(() => store().config('SET', 'maxmemory', '0'))
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

const store = () => service.ledger.redis
const received = () => chain.balance(chain.receiver)
/** @param share how much of its limit the ledger has in use from now on. */
async function fill(share: number): Promise<void> {
  const [, used] = /^used_memory:(\d+)/m.exec(await store().info('memory'))!
  await store().config('SET', 'maxmemory', Math.round(Number(used) / share))
}
const toldOf = ({ status, json }: Answer) => [status, json.code]
const FULL = [503, 'ledger_full']
const settled = (path: string, header: string) =>
  until('the same payment is answered', async () => {
    const answer = await get(`${base}${path}`, paid(header))
    return answer.status === 503 || answer.status === 409 ? null : answer
  })
async function buy(path: string): Promise<{ header: string; answer: Answer }> {
  const { header } = await payment(await offerOf(base, path), chain.buyers[1]!)
  const answer = await settled(path, header)
  expect(answer.status, answer.text).toBe(200)
  return { header, answer }
}
const post = (path: string, body: object) =>
  rawRequest(base, {
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

describe('DATA-06 the ledger is nearly full: it opens nothing, and keeps what it promised', () => {
  test('a new payment: 503, nothing is written and nothing moves; with room again it is sold once', async () => {
    const { header } = await payment(await offerOf(base, PING), chain.buyers[0]!)
    const before = await received()
    await fill(0.95)
    const rows = async () =>
      (await store().keys('*')).filter((key) => /^(?:claim|open|payment-id):|^claims:/.test(key))
    const known = (await rows()).sort()
    const refused = await get(`${base}${PING}`, paid(header))
    expect(toldOf(refused)).toEqual(FULL)
    expect(refused.json).toMatchObject({ ok: false, retryable: true })
    expect(refused.header('retry-after')).not.toBeNull()
    expect((await get(`${base}${PING}`)).status).toBe(402)
    expect((await rows()).sort()).toEqual(known)
    expect(await received()).toBe(before)
    await store().config('SET', 'maxmemory', '0')
    expect((await settled(PING, header)).status).toBe(200)
    expect((await settled(PING, header)).status).toBe(200)
    expect((await received()) - before).toBe(10_000n)
  })

  test('a purchase that would be opened: 503 before an amount is named', async () => {
    const order = { sku: 'SKU_AG_PING_01', buyerId: 'ann', paymentRail: 'usdc_base' }
    expect((await post('/purchase-intent', order)).status).toBe(402)
    await fill(0.95)
    expect(toldOf(await post('/purchase-intent', order))).toEqual(FULL)
  })

  test.each([0.95, 16])('%d full: what was sold is sent again, and a pass goes on', async (share) => {
    const { header, answer } = await buy(PING)
    const pass = (await buy('/x402/v1/hour-pass')).answer.json.result.token
    await fill(share)
    expect((await get(`${base}${PING}`, paid(header))).text).toBe(answer.text)
    expect((await get(`${base}${SPREAD}`, { 'x-service-pass': pass })).status).toBe(200)
  })

  test.each([0.95, 16])(
    '%d full: a transfer that was made by hand buys what it was made for',
    async (share) => {
      const buyer = chain.buyers[2]!
      const { intentId, payTo, amountAtomic } = (await get(`${base}${PING}`)).json.payment
      await fill(share)
      const args = [payTo, BigInt(amountAtomic)] as const
      const tx = await chain.send(
        buyer,
        chain.usdc,
        encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }),
      )
      const answer = await get(`${base}${PING}`, await transferProof(buyer, intentId, tx))
      expect(answer.status, answer.text).toBe(200)
    },
  )

  test('I4 it fills up between claim and settlement: charged once, and answered', async () => {
    const { header } = await payment(await offerOf(base, PING), chain.buyers[3]!)
    const before = await received()
    await chain.clients.node.setAutomine(false)
    const asked = get(`${base}${PING}`, paid(header))
    await until('it is claimed', async () => (await store().zcard(KEYS.claims.settling)) === 1)
    await fill(16)
    await expect(store().set('anything', 'else')).rejects.toThrow(/^OOM/)
    await chain.clients.node.mine({ blocks: 1 })
    await chain.clients.node.setAutomine(true)
    await asked
    expect((await settled(PING, header)).status).toBe(200)
    expect((await received()) - before).toBe(10_000n)
    expect(await store().zcard(KEYS.claims.undelivered)).toBe(0)
  })

  test('what it holds is told to who looks after it, with its limit', async () => {
    await fill(0.95)
    const [, port] = await service.worker!.says(/"operatorPort":(\d+)/)
    const share = await until('the figures are told, of after that', async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      const figure = (name: string) =>
        Number(new RegExp(`^${name}\\{store="ledger".*\\} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
      const limit = figure('redis_memory_limit_bytes')
      const told = figure('redis_memory_bytes') / limit
      return limit > 0 && told < 1 ? told : null
    })
    expect(share).toBeCloseTo(0.95, 1)
  })
})
