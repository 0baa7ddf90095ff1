import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { openingSaleRecord } from '../../../api/catalog/openingSale.ts'
import { createIntentLedger, INTENT_LIMITS } from '../../../api/ledger/intents.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { loadConfig } from '../../../ops/config.ts'
import { HOUR, MINUTE } from '../../../ops/units.ts'
import { BUYER, classicWorld } from './world.ts'

const world = classicWorld({ openingSale: true })
const askIn = ({ post }: Pick<typeof world, 'post'>, buyerId: string, side = 0) =>
  post('/purchase-intent', { sku: 'SKU_INQUIRY_01', buyerId, payload: {} }, { agent: buyerId, side })
const ask = (buyerId: string, side = 0) => askIn(world, buyerId, side)

describe('2.3, CLS-22 the opening sale, when it is switched on', () => {
  test('without x-agent-id the report has its price', async () => {
    const said = await world.post('/purchase-intent', { sku: 'SKU_INQUIRY_01', buyerId: 'no-header' })
    expect([said.status, said.json.payment.priceUsdc]).toEqual([402, '2.49'])
  })

  test('a quote, which reserves nothing, says that it may be free, and where; of another SKU it does not', async () => {
    const noteOf = async (sku: string) => (await world.post('/quote', { sku })).json.offer.note
    expect(await noteOf('SKU_INQUIRY_01')).toMatch(
      /is free while slots .* POST \/purchase-intent with x-agent-id/,
    )
    expect(await noteOf('SKU_DLQ_01')).not.toContain('free')
  })

  test('another SKU has its price', async () => {
    const body = { sku: 'SKU_DLQ_01', buyerId: 'agent' }
    expect((await world.post('/purchase-intent', body, { agent: 'agent' })).status).toBe(402)
  })

  test('one buyer fifty times at once: one free report', async () => {
    const spellings = [BUYER, BUYER.toUpperCase().replace('X', 'x')] //  of one wallet
    const said = await Promise.all(
      Array.from({ length: 50 }, (_, at) => ask(spellings[at % 2]!, at % 3 && 1)),
    )
    expect(said.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await world.intents.slots()).fulfilled).toBe(1)
    for (const spelling of spellings) expect((await ask(spelling)).json.payment.priceUsdc).toBe('2.49')
  })

  test('it cannot be answered: the slot comes back when its lease is over', async () => {
    const short = createIntentLedger(world.store.redis, { ...INTENT_LIMITS, saleLeaseMs: 50 })
    expect(await short.reserveSlot('crashed')).toBe('reserved')
    expect((await world.intents.slots()).reserved).toBe(1)
    await sleep(80)
    expect((await world.intents.slots()).reserved).toBe(0)
  })

  test('a slot is reserved for as long as the ledger says, however far ahead this process is', async () => {
    const short = createIntentLedger(world.store.redis, { ...INTENT_LIMITS, saleLeaseMs: MINUTE })
    expect(await short.reserveSlot('waits')).toBe('reserved')
    const ahead = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + HOUR)
    const { reserved } = await world.intents.slots().finally(() => ahead.mockRestore())
    expect(reserved).toBe(1)
    await world.store.redis.del(KEYS.sale.reserved)
  })

  test('500 buyers at once for what is left: never more than 100 in all', async () => {
    const said = await Promise.all(Array.from({ length: 500 }, (_, at) => ask(`buyer-${at}`, at % 2)))
    expect(said.filter(({ status }) => status === 200)).toHaveLength(99)
    expect(await world.intents.slots()).toEqual({ fulfilled: 100, reserved: 0 })
    expect((await ask('too-late')).json.payment.priceUsdc).toBe('2.49')
    expect(openingSaleRecord(true, await world.intents.slots())).toMatchObject({
      active: true,
      slotsTotal: 100,
      slotsRemaining: 0,
      soldOut: true,
      priceUsdc: 0,
    })
  })

  test('CLS-22 whose lease ended before his report was drawn, and others had all: none is left for him', async () => {
    const { redis } = world.store
    const [one] = await redis.smembers(KEYS.sale.served)
    await redis.srem(KEYS.sale.served, one!)
    const { goods } = world
    world.loseDataOnceOpened()
    const { intentId } = (await ask('slow')).json.payment
    expect(await world.intents.slots()).toEqual({ fulfilled: 99, reserved: 1 })
    await redis.del(KEYS.sale.reserved)
    await redis.sadd(KEYS.sale.served, one!)
    world.goods = goods
    const said = await world.post('/fulfill', { intentId, buyerId: 'slow' })
    expect([said.status, said.json.code]).toEqual([409, 'sale_over'])
    expect(await world.intents.slots()).toEqual({ fulfilled: 100, reserved: 0 })
  })
})

describe('8 the opening sale is switched off', () => {
  const off = classicWorld()

  test('unless its operator says otherwise', () => {
    expect(loadConfig({}, 'script').OPENING_SALE).toBe('0')
  })

  test('the record says so, and who names himself is asked the price', async () => {
    expect(openingSaleRecord(false, { fulfilled: 0, reserved: 0 })).toMatchObject({
      active: false,
      sku: 'SKU_INQUIRY_01',
      slotsRemaining: 100,
      soldOut: false,
    })
    const said = await askIn(off, 'agent')
    expect([said.status, said.json.payment.priceUsdc]).toEqual([402, '2.49'])
    expect(await off.intents.slots()).toEqual({ fulfilled: 0, reserved: 0 })
    const quote = await off.post('/quote', { sku: 'SKU_INQUIRY_01' })
    expect(quote.json.offer.note).not.toContain('free')
  })
})
