import { describe, expect, test } from 'vitest'
import { isLegacyAmount } from '../../../api/classic/amounts.ts'
import { intentName } from '../../../api/classic/order.ts'
import { PurchaseAnswer, QuoteAnswer, StandingAnswer } from '../../../api/classic/shapes.ts'
import { HOUR } from '../../../ops/units.ts'
import { BUYER, classicWorld } from '../../api/classic/world.ts'

const world = classicWorld()
const PING = { sku: 'SKU_AG_PING_01', payload: { echo: 'hello' } }
const fulfill = (body: object, options = {}) => world.post('/fulfill', { buyerId: BUYER, ...body }, options)
const settle = (body: object) => world.post('/checkout/settle', { buyerId: BUYER, ...body })
const atomicOn = (
  payment: { paymentOptions: { paymentRail: string; amountAtomic: string }[] },
  rail: string,
) => payment.paymentOptions.find(({ paymentRail }) => paymentRail === rail)!.amountAtomic

describe('4.2 POST /purchase-intent answers 402 with payment and agentPricing', () => {
  test('every documented field, an option for each rail, an amount just below the price', async () => {
    const said = await world.post('/purchase-intent', { sku: 'SKU_INQUIRY_01', buyerId: BUYER })
    expect(said.status).toBe(402)
    const { payment, agentPricing } = PurchaseAnswer.parse(said.json)
    expect(payment).toMatchObject({
      paymentRail: 'usdc_base',
      asset: 'USDC',
      receiverAddress: world.cash.receiver,
      state: 'New',
      priceUsdc: '2.49',
    })
    expect(payment.paymentOptions.map(({ paymentRail }) => paymentRail)).toEqual([
      'usdc_base',
      'usdc_polygon',
      'eth_base',
    ])
    expect(payment.amountUsdc).toBe(payment.amountAsset)
    expect(Number(payment.amountAsset)).toBeLessThan(2.49)
    expect(Number(payment.amountAsset)).toBeGreaterThan(2.49 * 0.8)
    expect(agentPricing).toMatchObject({ agentPriceUsdc: 2.49, basePriceUsdc: 5, agentSavingsUsdc: 2.51 })
  })

  test('another rail may be chosen', async () => {
    const payment = await world.open({ ...PING, paymentRail: 'eth_base' })
    expect(payment).toMatchObject({ paymentRail: 'eth_base', asset: 'ETH', discovers: false })
    expect(BigInt(payment.amountAtomic)).toBeLessThan(10_000n * 400_000_000n)
  })

  test.each([
    ['no body', ''],
    ['no JSON', 'hello'],
    ['no SKU', {}],
    ['a key twice', '{"sku":"SKU_AG_PING_01","sku":"SKU_DLQ_01"}'],
    ['an unknown rail', { ...PING, paymentRail: 'doge' }],
    ['a buyer that cannot be named', { ...PING, buyerId: 'a b\n' }],
    ['input that the good refuses', { sku: 'SKU_AG_MATCH_01', buyerId: BUYER, payload: { q: '' } }],
  ])('%s: 400', async (_, body) => {
    expect((await world.post('/purchase-intent', body)).status).toBe(400)
  })

  test.each(['SKU_OPEN_TOR_MCP', 'SKU_NONE', 'constructor'])('%s is not sold: 404', async (sku) => {
    const said = await world.post('/purchase-intent', { sku, buyerId: BUYER })
    expect([said.status, said.json.code]).toEqual([404, 'sku_unknown'])
  })

  test('buyerId and x-agent-id are one identifier: two different ones are refused', async () => {
    const said = await world.post('/purchase-intent', { ...PING, buyerId: 'one' }, { agent: 'two' })
    expect([said.status, said.json.code]).toEqual([400, 'invalid_parameter'])
  })
})

describe('5.3 pay, then POST /fulfill', () => {
  test('by hash: 200 with the result inline and a receipt; a resend gives the same bytes, on any process', async () => {
    const payment = await world.open(PING)
    const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    const first = await fulfill({ intentId: payment.intentId, txHash })
    expect(first.status, first.text).toBe(200)
    expect(first.json).toMatchObject({
      ok: true,
      protocol: 'classic',
      sku: 'SKU_AG_PING_01',
      result: {
        ping: { echo: 'hello', txHash },
        purchase: { rail: 'usdc_base', priceUsdc: 0.01 },
        paymentAttestation: {
          payload: { network: 'eip155:8453', payer: BUYER, amountAtomic: payment.amountAtomic },
        },
      },
    })
    expect((await fulfill({ intentId: payment.intentId, txHash })).text).toBe(first.text)
    expect((await fulfill({ intentId: payment.intentId }, { side: 1 })).text).toBe(first.text)
  })

  test('intentId alone suffices on a stable rail', async () => {
    const { intentId, amountAtomic } = await world.open(PING)
    const alone = () => world.post('/fulfill', { intentId }, { agent: BUYER })
    expect((await alone()).status).toBe(202)
    world.cash.send('usdc_base', { atomic: amountAtomic })
    expect((await alone()).status).toBe(200)
  })

  test('another quoted rail may be used, by its own amount', async () => {
    const payment = await world.open(PING)
    const txHash = world.cash.send('eth_base', { atomic: atomicOn(payment, 'eth_base') })
    const said = await fulfill({ intentId: payment.intentId, txHash, paymentRail: 'eth_base' })
    expect(said.status, said.text).toBe(200)
    const { asset, amountAtomic, paid } = said.json.result.paymentAttestation.payload
    expect([asset, paid[0].asset, paid[0].amountAtomic]).toEqual([
      'USD',
      'ETH',
      atomicOn(payment, 'eth_base'),
    ])
    expect(Number(amountAtomic)).toBeGreaterThan(8_000)
    expect(Number(amountAtomic)).toBeLessThanOrEqual(10_000)
  })

  test('a buyer without an address: the exact amount says whose it is', async () => {
    const payment = await world.open({ ...PING, buyerId: 'agent-7' })
    const txHash = world.cash.send('usdc_base', {
      atomic: payment.amountAtomic,
      from: `0x${'c3'.repeat(20)}`,
    })
    expect((await fulfill({ intentId: payment.intentId, txHash, buyerId: 'agent-7' })).status).toBe(200)
  })

  test('202 while confirmations are missing, and until the chain knows the transaction (CLS-14)', async () => {
    const payment = await world.open(PING)
    const unknown = await fulfill({ intentId: payment.intentId, txHash: `0x${'ab'.repeat(32)}` })
    expect([unknown.status, unknown.retryAfter]).toEqual([202, '3'])
    const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    world.cash.amend(txHash, { confirmations: 1 })
    const early = await fulfill({ intentId: payment.intentId, txHash })
    expect(early.status).toBe(202)
    expect(StandingAnswer.parse(early.json).settlement).toMatchObject({
      state: 'Seen',
      confirmations: { have: 1, need: 2 },
    })
    world.cash.amend(txHash, { confirmations: 2 })
    expect((await fulfill({ intentId: payment.intentId, txHash })).status).toBe(200)
  })

  test('POST /checkout/settle polls: New, then Confirmed, then Delivered', async () => {
    const payment = await world.open(PING)
    const look = async () =>
      StandingAnswer.parse((await settle({ intentId: payment.intentId })).json).settlement.state
    expect(await look()).toBe('New')
    world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    expect(await look()).toBe('Confirmed')
    expect((await fulfill({ intentId: payment.intentId })).status).toBe(200)
    expect(await look()).toBe('Delivered')
  })

  test('POST /quote prices a SKU on all rails and opens nothing', async () => {
    const before = await world.store.redis.dbsize()
    const said = await world.post('/quote', { sku: 'SKU_DLQ_01', buyerId: BUYER })
    expect(said.status).toBe(200)
    const { offer } = QuoteAnswer.parse(said.json)
    expect(offer.amountUsdc).toBe('10.45')
    expect(offer.paymentOptions.map(({ amountAsset }) => amountAsset)).toEqual(['10.45', '10.45', '0.00418'])
    expect(await world.store.redis.dbsize()).toBe(before)
  })

  test('CHN-05 the chain is away: 503, and the same request works when it is back', async () => {
    const payment = await world.open(PING)
    const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    world.cash.down(true)
    const down = await fulfill({ intentId: payment.intentId, txHash })
    world.cash.down(false)
    expect([down.status, down.json.retryable]).toEqual([503, true])
    expect((await fulfill({ intentId: payment.intentId, txHash })).status).toBe(200)
  })
})

describe('CLS-01, CLS-11, CLS-17 one transfer pays one purchase, one purchase is delivered once', () => {
  test('the same transfer for two intents, one after the other and at once on two processes', async () => {
    const [one, two] = [await world.open(PING), await world.open({ ...PING, buyerId: 'other' })]
    const txHash = world.cash.send('usdc_base', { atomic: one.amountAtomic })
    const said = await Promise.all(
      [0, 1, 0, 1].flatMap((side) => [
        fulfill({ intentId: one.intentId, txHash }, { side }),
        fulfill({ intentId: two.intentId, txHash, buyerId: 'other' }, { side }),
      ]),
    )
    const [mine, others] = [said.filter((_, at) => at % 2 === 0), said.filter((_, at) => at % 2 === 1)]
    expect(new Set(mine.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(mine.map(({ text }) => text)).size).toBe(1)
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([409]))
  })

  test('a transfer that a legacy or x402 claim has taken pays no intent', async () => {
    const payment = await world.open(PING)
    const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    await world.store.redis.set(`spent:tx:8453:${txHash}:log0`, 'somebody')
    const said = await fulfill({ intentId: payment.intentId, txHash })
    expect([said.status, said.json.code]).toEqual([409, 'bound_elsewhere'])
  })

  test('what an intent takes is in the registry that the other paths read', async () => {
    const payment = await world.open(PING)
    const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    await fulfill({ intentId: payment.intentId, txHash })
    expect(await world.store.redis.get(`spent:tx:8453:${txHash}:log0`)).toBe(
      `intent:${intentName(payment.intentId)}`,
    )
  })

  test('one transaction with two transfers pays two intents', async () => {
    const [one, two] = [await world.open(PING), await world.open(PING)]
    const txHash = world.cash.send('usdc_base', { atomic: one.amountAtomic }, { atomic: two.amountAtomic })
    const said = await Promise.all([
      fulfill({ intentId: one.intentId, txHash }),
      fulfill({ intentId: two.intentId, txHash }, { side: 1 }),
    ])
    expect(said.map(({ status }) => status)).toEqual([200, 200])
  })

  test('fulfil on both processes, settle and the worker at once: one sale', async () => {
    const payment = await world.open(PING)
    world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    const before = await world.store.redis.xlen('sales')
    const all = await Promise.all([
      fulfill({ intentId: payment.intentId }),
      fulfill({ intentId: payment.intentId }, { side: 1 }),
      settle({ intentId: payment.intentId }),
      world.watch(),
      fulfill({ intentId: payment.intentId }),
    ])
    const bodies = [all[0], all[1], all[4]]
    expect(bodies.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(bodies.map(({ text }) => text)).size).toBe(1)
    expect((await world.store.redis.xlen('sales')) - before).toBe(1)
  })
})

describe('CLS-02 one transaction, one name', () => {
  test.each([
    ['upper case', (tx: string) => `0x${tx.slice(2).toUpperCase()}`],
    ['0X', (tx: string) => `0X${tx.slice(2)}`],
    ['without prefix', (tx: string) => tx.slice(2)],
    ['blanks around', (tx: string) => `  ${tx}\n`],
  ])('%s', async (_, spelled) => {
    const [one, two] = [await world.open(PING), await world.open(PING)]
    const txHash = world.cash.send('usdc_base', { atomic: one.amountAtomic })
    expect((await fulfill({ intentId: one.intentId, txHash: spelled(txHash) })).status).toBe(200)
    expect((await fulfill({ intentId: two.intentId, txHash: spelled(txHash) })).status).toBe(409)
  })

  test('what is no hash is refused: 400', async () => {
    const payment = await world.open(PING)
    expect((await fulfill({ intentId: payment.intentId, txHash: '0x12' })).status).toBe(400)
  })
})

describe('CLS-03, CLS-05, CLS-06, CLS-12, CLS-13, CLS-15 whose money it is', () => {
  const stranger = `0x${'5a'.repeat(20)}`

  test("a stranger's transfer of the price is refused: it has another amount", async () => {
    const payment = await world.open({ ...PING, buyerId: 'thief' })
    const txHash = world.cash.send('usdc_base', { atomic: 10_000n, from: stranger })
    const said = await fulfill({ intentId: payment.intentId, txHash, buyerId: 'thief' })
    expect([said.status, said.json.code]).toEqual([409, 'transfer_mismatch'])
    expect(await world.store.redis.exists(`spent:tx:8453:${txHash}:log0`)).toBe(0)
  })

  test('a buyer with an address: the transfer must come from it', async () => {
    const payment = await world.open(PING)
    const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic, from: stranger })
    expect((await fulfill({ intentId: payment.intentId, txHash })).json.code).toBe('transfer_mismatch')
  })

  test('another buyer cannot fulfil it, and does not learn that it exists', async () => {
    const payment = await world.open(PING)
    const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    const said = await fulfill({ intentId: payment.intentId, txHash, buyerId: 'other' })
    const unknown = await fulfill({ intentId: 'pi_AAAAAAAAAAAAAAAAAAAAAA', txHash, buyerId: 'other' })
    expect(said.status).toBe(404)
    expect(said.text).toBe(unknown.text)
  })

  test('ids have 128 random bits, and the ledger does not hold them', async () => {
    const { intentId } = await world.open(PING)
    expect(Buffer.from(intentId.slice(3), 'base64url')).toHaveLength(16)
    for (const key of await world.store.redis.keys('*')) {
      expect(key).not.toContain(intentId)
      if ((await world.store.redis.type(key)) === 'hash')
        expect(Object.values(await world.store.redis.hgetall(key)).join(' ')).not.toContain(intentId)
    }
  })

  test.each([
    [15_000, 200],
    [15_001, 409],
  ])('a transfer %d ms before the intent: %d', async (beforeMs, status) => {
    const payment = await world.open(PING)
    const atMs = world.nowMs - beforeMs
    const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic, atMs })
    expect((await fulfill({ intentId: payment.intentId, txHash })).status).toBe(status)
  })

  test('a failed transaction, no transfer to us, a transfer of nothing, an x402 settlement: 409, nothing is taken', async () => {
    const payment = await world.open(PING)
    const failed = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    world.cash.fail(failed)
    const settlement = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    world.cash.amend(settlement, { byAuthorization: true })
    for (const txHash of [
      failed,
      settlement,
      world.cash.send('usdc_base'),
      world.cash.send('usdc_base', { atomic: 0n }),
    ])
      expect((await fulfill({ intentId: payment.intentId, txHash })).status).toBe(409)
    expect((await settle({ intentId: payment.intentId })).json.settlement.transactions).toEqual([])
  })

  test('a transfer on another rail than the one named: 409; a rail that is not quoted: 409', async () => {
    const payment = await world.open(PING)
    const txHash = world.cash.send('usdc_polygon', { atomic: payment.amountAtomic })
    expect((await fulfill({ intentId: payment.intentId, txHash })).status).toBe(409)
    const btc = await fulfill({ intentId: payment.intentId, txHash, paymentRail: 'btc' })
    expect([btc.status, btc.json.code]).toEqual([503, 'rail_unavailable'])
  })
})

describe('CLS-04, CLS-21 amounts and intents are bounded', () => {
  test('three hundred open intents of one price ask for three hundred amounts', async () => {
    const opened = await Promise.all(
      Array.from({ length: 300 }, (_, at) => world.open({ sku: 'SKU_AG_HOUR_PASS_01' }, { side: at % 2 })),
    )
    for (const rail of ['usdc_base', 'usdc_polygon', 'eth_base'])
      expect(new Set(opened.map((payment) => atomicOn(payment, rail))).size).toBe(300)
    const amounts = opened.map(({ amountAtomic }) => BigInt(amountAtomic))
    expect(amounts.filter((atomic) => isLegacyAmount('usdc_base', atomic))).toEqual([])
  })

  test('amounts that all are taken: 503 for that price, never a shared one', async () => {
    const cheap = { sku: 'SKU_AG_SPREAD_01' } //  1,000 atomic units: 101 amounts that no legacy intent uses
    const said = await Promise.all(
      Array.from({ length: 130 }, () => world.post('/purchase-intent', { ...cheap, buyerId: BUYER })),
    )
    const opened = said.filter(({ status }) => status === 402)
    expect(new Set(opened.map(({ json }) => json.payment.amountAtomic)).size).toBe(opened.length)
    expect(opened.length).toBeLessThanOrEqual(101)
    expect(new Set(said.map(({ status }) => status))).toEqual(new Set([402, 503]))
  })
})

test('CHN-05 the chain is away for an hour: what was sent before it came back still buys, though the intent’s time is over', async () => {
  const payment = await world.open(PING)
  const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
  world.cash.down(true)
  world.pass(1 * HOUR)
  await world.watch()
  expect((await fulfill({ intentId: payment.intentId, txHash })).status).toBe(503)
  world.cash.down(false)
  expect((await fulfill({ intentId: payment.intentId, txHash })).status).toBe(200)
})
