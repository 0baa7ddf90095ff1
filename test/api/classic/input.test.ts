import { beforeEach, describe, expect, test } from 'vitest'
import { REFUND_AFTER_MS } from '../../../api/classic/deliver.ts'

import { allBoards, BUYER, classicWorld, signedFor } from './world.ts'

const world = classicWorld()
beforeEach(() => {
  world.goods = allBoards()
})
const SAMPLES = { samples: ['ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED', 'all is well'] }
const fulfill = (intentId: string, body: object = {}, options = {}) =>
  world.post('/fulfill', { buyerId: BUYER, intentId, ...body }, options)
const paid = async (body: Record<string, unknown>) => {
  const payment = await world.open(body)
  world.cash.send('usdc_base', { atomic: payment.amountAtomic })
  return payment.intentId as string
}

/** Holds the next look for money until `release`; once `held` resolves, the request has read the intent. */
function holdNextLook() {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const held = new Promise<void>((resolve) => {
    world.cash.onLook(async () => {
      world.cash.onLook(async () => {})
      resolve()
      await released
    })
  })
  return { held, release }
}

describe('CLS-18 sku and buyer are fixed by the intent; the payload counts once', () => {
  test.each([
    ['letters', 'x', 1],
    ['quote marks, of which each takes four bytes where it is kept', '"', 4],
  ])('DATA-17 up to 4 KiB of it are kept, as they stand in the row: %s', async (_, letter, bytes) => {
    const framed = 22 //  "{\"samples\":[\"…\"]}" as JSON text
    const fits = Math.floor((4_096 - framed) / bytes)
    const openWith = (chars: number) =>
      world.post('/purchase-intent', {
        sku: 'SKU_DLQ_01',
        buyerId: BUYER,
        payload: { samples: [letter.repeat(chars)] },
      })
    expect((await openWith(fits)).status).toBe(402)
    const said = await openWith(fits + 1)
    expect([said.status, said.json.code]).toEqual([400, 'invalid_parameter'])
    expect(said.json.detail).toContain('4096 bytes')
  })

  test('it may come with /fulfill; another one afterwards is refused, none gives the same answer', async () => {
    const intentId = await paid({ sku: 'SKU_DLQ_01' })
    const first = await fulfill(intentId, { payload: SAMPLES })
    expect(first.status, first.text).toBe(200)
    const other = await fulfill(intentId, { payload: { samples: ['another'] } })
    expect([other.status, other.json.code]).toEqual([409, 'bound_elsewhere'])
    expect((await fulfill(intentId, { payload: SAMPLES })).text).toBe(first.text)
  })

  test('one that came when the intent was opened cannot be swapped after payment', async () => {
    const intentId = await paid({ sku: 'SKU_DLQ_01', payload: SAMPLES })
    expect((await fulfill(intentId, { payload: { samples: ['swapped'] } })).json.code).toBe('bound_elsewhere')
    expect((await fulfill(intentId)).json.result.dlq.samples).toBe(3)
  })

  test('two payloads at once on two processes: one answer', async () => {
    const intentId = await paid({ sku: 'SKU_DLQ_01' })
    const said = await Promise.all(
      [0, 1].map((side) => fulfill(intentId, { payload: { samples: [`of side ${side}`] } }, { side })),
    )
    expect(said.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test('the other process found the money while this one was looking for it: its payload is refused, never 202', async () => {
    const intentId = await paid({ sku: 'SKU_DLQ_01' })
    const late = holdNextLook()
    const slow = fulfill(intentId, { payload: { samples: ['of the slow side'] } }, { side: 1 })
    await late.held
    expect((await fulfill(intentId, { payload: SAMPLES })).status).toBe(200)
    late.release()
    expect((await slow).json.code).toBe('bound_elsewhere')
  })

  test.each([
    ['by its amount', {}],
    ['by its hash', { txHash: true }],
  ])('looked for %s meanwhile: the same answer, as its money is there', async (_, by) => {
    const payment = await world.open({ sku: 'SKU_DLQ_01' })
    const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    const body = { payload: SAMPLES, ...('txHash' in by ? { txHash } : {}) }
    const late = holdNextLook()
    const slow = fulfill(payment.intentId, body, { side: 1 })
    await late.held
    const first = await fulfill(payment.intentId, { payload: SAMPLES })
    late.release()
    expect([(await slow).status, (await slow).text]).toEqual([200, first.text])
  })

  test('a part that the other process booked meanwhile is no other purchase: what is missing is said', async () => {
    const payment = await world.open({ sku: 'SKU_DLQ_01', payload: SAMPLES })
    const txHash = world.cash.send('usdc_base', { atomic: 1_000_000n })
    const { payerSignature } = await signedFor({ intentId: payment.intentId, txHash })
    const late = holdNextLook()
    const slow = fulfill(payment.intentId, { txHash, payerSignature }, { side: 1 })
    await late.held
    expect((await fulfill(payment.intentId, { txHash, payerSignature })).json.code).toBe('underpaid')
    late.release()
    expect((await slow).json.code).toBe('underpaid')
  })

  test('paid, and the payload is missing or wrong: 400, nothing is lost, the right one works', async () => {
    const intentId = await paid({ sku: 'SKU_DLQ_01' })
    for (const payload of [undefined, {}, { samples: [] }, { samples: 'x' }])
      expect((await fulfill(intentId, { payload })).status).toBe(400)
    expect((await fulfill(intentId, { payload: SAMPLES })).status).toBe(200)
  })

  test('sku in the body of /fulfill changes nothing', async () => {
    const intentId = await paid({ sku: 'SKU_AG_PING_01' })
    expect((await fulfill(intentId, { sku: 'SKU_TOR_MCP_PRO' })).json.sku).toBe('SKU_AG_PING_01')
  })
})

describe('CLS-19 options.tipUsdc', () => {
  const tip = (tipUsdc: unknown) =>
    world.post('/purchase-intent', { sku: 'SKU_TIP_00', buyerId: BUYER, options: { tipUsdc } })

  test.each([
    ['-1', -1],
    ['nothing', undefined],
    ['0', 0],
    ['0.009999', 0.009999],
    ['1e308', 1e308],
    ['0.0000001', 0.0000001],
    ['seven decimals', 1.0000001],
    ['text', '5'],
    ['more than 1000', 1000.000001],
  ])('%s: 400', async (_, tipUsdc) => {
    expect((await tip(tipUsdc)).status).toBe(400)
  })

  test.each(['NaN', 'Infinity', '1e999'])('%s is no JSON number: 400', async (text) => {
    const body = `{"sku":"SKU_TIP_00","buyerId":"a","options":{"tipUsdc":${text}}}`
    expect((await world.post('/purchase-intent', body)).status).toBe(400)
  })

  test.each([
    [0.01, '0.01'],
    [5, '5'],
    [1000, '1000'],
  ])('%d is the price as it is', async (tipUsdc, priceUsdc) => {
    expect((await tip(tipUsdc)).json.payment.priceUsdc).toBe(priceUsdc)
  })

  test('a tip on another SKU is refused', async () => {
    const body = { sku: 'SKU_DLQ_01', buyerId: BUYER, options: { tipUsdc: 1 } }
    expect((await world.post('/purchase-intent', body)).status).toBe(400)
  })

  test('paid, it brings thanks and a receipt over its amount', async () => {
    const payment = (await tip(3)).json.payment
    world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    const said = await fulfill(payment.intentId)
    expect(said.json.result).toMatchObject({ tip: { thanks: true }, purchase: { priceUsdc: 3 } })
  })
})

const UNSIGNABLE = 'payload: holds text or numbers that cannot be signed'

describe('I4 nothing is sold on an input that cannot be answered', () => {
  test.each([
    ['an unpaired surrogate', '{"q":"\\ud800"}'],
    ['one in a name', '{"q":"x","\\udc00":1}'],
    ['a number beyond JSON', '{"q":"x","n":1e999}'],
    ['one deep down', '{"q":"x","more":[{"n":-1e999}]}'],
  ])('%s: 400 before an intent is opened, also with a credit secret', async (_, payload) => {
    for (const more of ['', '"creditSpendAuth":"a-secret-of-the-buyer",']) {
      const body = `{"sku":"SKU_AG_SNIFF_01","buyerId":"i4",${more}"payload":${payload}}`
      const said = await world.post('/purchase-intent', body)
      expect([said.status, said.json.code, said.json.detail]).toEqual([400, 'invalid_parameter', UNSIGNABLE])
    }
  })

  test('one that comes with /fulfill is refused, and the purchase takes another', async () => {
    const intentId = await paid({ sku: 'SKU_DLQ_01' })
    const said = await fulfill(intentId, { payload: { samples: ['\ud800'] } })
    expect([said.status, said.json.code, said.json.detail]).toEqual([400, 'invalid_parameter', UNSIGNABLE])
    expect((await fulfill(intentId, { payload: SAMPLES })).status).toBe(200)
  })
})

describe('design 4 refunds: paid, and it cannot be delivered', () => {
  test('503 within 60 s, and it is delivered when there is data again', async () => {
    const intentId = await paid({ sku: 'SKU_SIGNAL_FEED_29' })
    world.goods = { ...allBoards(), boards: {} }
    expect((await fulfill(intentId)).json.code).toBe('no_data')
    world.pass(REFUND_AFTER_MS - 1)
    expect((await fulfill(intentId)).json.code).toBe('no_data')
    world.goods = allBoards()
    expect((await fulfill(intentId)).status).toBe(200)
  })

  test('after 60 s of trying it becomes store credit, once, and is not delivered any more', async () => {
    const intentId = await paid({ sku: 'SKU_SIGNAL_FEED_29' })
    world.goods = { ...allBoards(), boards: {} }
    await fulfill(intentId)
    world.pass(REFUND_AFTER_MS)
    const said = await fulfill(intentId)
    expect([said.status, said.json.code]).toEqual([409, 'intent_lapsed'])
    expect(said.json.settlement).toMatchObject({
      state: 'Refunded',
      notes: [{ kind: 'undeliverable', creditUsdc: Number(said.json.settlement.receivedUsdc) }],
    })
    world.goods = allBoards()
    expect((await fulfill(intentId)).json.code).toBe('intent_lapsed')
  })
})

describe('2.3 goods without a GET path, bought by the classic path', () => {
  test('SKU_TOR_MCP_PRO returns result.torUnlock.unlockKey inline; the ledger holds its digest only', async () => {
    const intentId = await paid({ sku: 'SKU_TOR_MCP_PRO' })
    const said = await fulfill(intentId)
    const { unlockKey } = said.json.result.torUnlock
    expect(unlockKey).toMatch(/^unlock_[A-Za-z0-9_-]{43}$/)
    expect((await fulfill(intentId)).text).toBe(said.text)
    const verify = async (key: unknown) => (await world.post('/api/tor-mcp/verify', { unlockKey: key })).json
    expect(await verify(unlockKey)).toMatchObject({ ok: true, valid: true })
    expect(await verify(`unlock_${'A'.repeat(43)}`)).toEqual({
      ok: false,
      mode: 'sandbox',
      valid: false,
      expiresAt: null,
    })
    const stored = await world.store.redis.hget(`claim:intent:${world.nameOf(intentId)}`, 'body')
    expect(stored).not.toContain(unlockKey)
  })

  test('SKU_SIGNAL_FEED_29: a feed token for 30 days, sent as X-Marketplace-Token', async () => {
    const { feedAccess } = (await fulfill(await paid({ sku: 'SKU_SIGNAL_FEED_29' }))).json.result
    expect(feedAccess).toMatchObject({ header: 'X-Marketplace-Token', feedToken: expect.any(String) })
    const days = (Date.parse(feedAccess.expiresAt) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(29.9)
    expect(days).toBeLessThan(30.1)
  })

  test('VAL-17 a payload with another name for the topic is refused before anything is paid: the report would be on another', async () => {
    const openWith = (payload: object) =>
      world.post('/purchase-intent', { sku: 'SKU_INQUIRY_01', buyerId: BUYER, payload })
    const said = await openWith({ topic: 'fed rates' })
    expect([said.status, said.json.detail]).toEqual([400, 'payload.topic: is not a parameter here; q is'])
    expect((await openWith({ q: 'fed rates', topic: 'fed rates' })).status).toBe(402)
  })

  test('SKU_INQUIRY_01: one report of all boards on a topic', async () => {
    const { inquiry } = (await fulfill(await paid({ sku: 'SKU_INQUIRY_01', payload: { q: 'fed rates' } })))
      .json.result
    expect(inquiry).toMatchObject({
      topic: 'fed rates',
      verdict: { tradable: true },
      spread: { found: true, gapCents: 7 },
      net: { netCents: 6, executable: true },
      move: { rows: [{ changeCents: -4.5 }] },
      book: { rows: [{ bid: 0.43 }] },
    })
  })
})
