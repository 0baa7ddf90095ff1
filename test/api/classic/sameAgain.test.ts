import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { namesOf } from '../../../api/classic/order.ts'
import { accountDigest, creditAuthDigest } from '../../../api/entitlements/credit.ts'
import { inquiry } from '../../../api/goods/services/inquiry.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { MINUTE } from '../../../ops/units.ts'
import { allBoards, classicWorld, SECRET } from './world.ts'

/** I4, CRD-02, CRA-12 for POST /purchase-intent: nobody pays twice for an answer that never arrived. */
const world = classicWorld()
const REPORT = { sku: 'SKU_INQUIRY_01', payload: {} } // 2.49
const PING = { sku: 'SKU_AG_PING_01', payload: { echo: 'hello' } } // 0.01
let buyers = 0
let buyer = ''
beforeEach(() => {
  buyer = `same-buyer-${buyers++}`
  world.goods = allBoards()
  world.atFaultPoint = () => {}
})

const holder = () => ({
  account: accountDigest(buyer),
  auth: creditAuthDigest(world.secret, buyer, SECRET),
})
const give = (micro: bigint) =>
  world.credits.deposit(`lot-${buyer}-${micro}`, micro, holder().account, holder().auth)
const figures = async () => {
  const { balanceMicro, heldMicro } = (await world.credits.balance(holder()))!
  return [Number(balanceMicro), Number(heldMicro)]
}
type Options = { key?: string; side?: number }
const buy = (body: object = REPORT, { key = '', side = 0 }: Options = {}) =>
  world.post(
    '/purchase-intent',
    { buyerId: buyer, creditSpendAuth: SECRET, ...body },
    { side, headers: key === '' ? {} : { 'idempotency-key': key } },
  )
/** The same, with a process that dies at that point. */
async function buyAndDie(point: string, body: object = REPORT, options: Options = {}) {
  world.atFaultPoint = (name) => {
    if (name === point) throw new Error('dies')
  }
  expect((await buy(body, options)).status).toBe(500)
  world.atFaultPoint = () => {}
}
const fulfill = (intentId: string, body: object = {}) =>
  world.post('/fulfill', { buyerId: buyer, intentId, ...body })
const sales = () => world.store.redis.xlen(KEYS.sales)

describe('credit that covers all, whose answer never went out', () => {
  test.each(['CP8', 'CP9', 'CP10', 'CP11'])(
    'lost at %s: the same request, on any process, gets that answer and pays nothing; once answered it is another',
    async (point) => {
      await give(9_000_000n)
      const before = await sales()
      await buyAndDie(point)
      const again = await buy(REPORT, { side: 1 })
      expect(again.status, again.text).toBe(200)
      expect(await figures()).toEqual([6_510_000, 0])
      expect((await fulfill(again.json.payment.intentId)).json.result).toEqual(again.json.result)
      const other = await buy()
      expect(other.json.payment.intentId).not.toBe(again.json.payment.intentId)
      expect(await figures()).toEqual([4_020_000, 0])
      expect(await sales()).toBe(before + 2)
    },
  )

  /** Credit is held, and the purchase for which it is never opens. */
  const holdAndDie = async () => {
    const { open } = world.intents
    world.intents.open = async () => {
      throw new Error('dies')
    }
    expect((await buy()).status).toBe(500)
    world.intents.open = open
  }

  test('lost between the hold and the intent: the same hold, under the same name', async () => {
    await give(3_000_000n)
    await holdAndDie()
    expect(await figures()).toEqual([3_000_000, 2_490_000])
    expect((await buy()).status).toBe(200)
    expect(await figures()).toEqual([510_000, 0])
  })

  test('held at a price that has fallen since: what is charged is also what its sale is booked at', async () => {
    await give(3_000_000n)
    await holdAndDie()
    const { priceMicroUsdc } = inquiry
    Object.assign(inquiry, { priceMicroUsdc: 1_990_000n })
    onTestFinished(() => void Object.assign(inquiry, { priceMicroUsdc }))
    expect((await buy()).json.payment).toMatchObject({
      priceUsdc: '2.49',
      creditUsdc: '2.49',
      amountUsdc: '0',
    })
    expect(await figures()).toEqual([510_000, 0])
    const [[, [, sale]]] = (await world.store.redis.xrevrange(KEYS.sales, '+', '-', 'COUNT', 1)) as [
      [string, [string, string]],
    ]
    expect(JSON.parse(sale)).toMatchObject({ amountMicroUsdc: '2490000', creditMicroUsdc: '2490000' })
  })

  test.each([
    ['other input', { payload: { q: 'fed' } }],
    ['another SKU', { sku: 'SKU_AG_PING_01' }],
    ['another rail', { paymentRail: 'usdc_polygon' }],
  ])('%s is another purchase', async (_, change) => {
    await give(9_000_000n)
    await buyAndDie('CP8')
    const [before] = await figures()
    expect((await buy({ ...REPORT, ...change })).status).toBe(200)
    expect((await figures())[0]).toBeLessThan(before!)
  })

  test('tips of two sizes are two; in another order of names the input is the same', async () => {
    await give(9_000_000n)
    const tip = (tipUsdc: number) => ({ sku: 'SKU_TIP_00', options: { tipUsdc } })
    await buyAndDie('CP8', tip(1))
    expect((await buy(tip(2))).status).toBe(200)
    expect(await figures()).toEqual([6_000_000, 0])
    await buyAndDie('CP8', { ...REPORT, payload: { a: 1, b: 2 } })
    expect((await buy({ ...REPORT, payload: { b: 2, a: 1 } })).status).toBe(200)
    expect(await figures()).toEqual([3_510_000, 0])
  })

  test('another account, and one with another secret, gets nothing of it', async () => {
    await give(3_000_000n)
    await buyAndDie('CP8')
    const mine = buyer
    const thief = await buy({ ...REPORT, creditSpendAuth: 'another-secret-xx' })
    expect([thief.status, thief.json.code]).toEqual([402, 'credit_refused'])
    buyer = `stranger-of-${mine}`
    await give(3_000_000n)
    const others = (await buy()).json.payment.intentId
    buyer = mine
    expect((await buy()).json.payment.intentId).not.toBe(others)
  })

  test('twenty at once are one purchase for all that come before its answer; each gets one', async () => {
    await give(9_000_000n)
    const said = await Promise.all(Array.from({ length: 20 }, (_, at) => buy(PING, { side: at % 2 })))
    expect(said.filter(({ status }) => status !== 200)).toEqual([])
    const ids = new Set(said.map(({ json }) => json.payment.intentId))
    expect(await figures()).toEqual([9_000_000 - 10_000 * ids.size, 0])
  })

  test('it cannot be answered now: asked again it is held once, and answered when there is data', async () => {
    await give(9_000_000n)
    world.loseDataOnceOpened()
    const refused = [await buy(), ...(await Promise.all([2, 3].map(() => buy())))]
    expect(refused.map(({ json }) => json.code)).toEqual(['no_data', 'no_data', 'no_data'])
    expect(await figures()).toEqual([9_000_000, 2_490_000])
    world.goods = allBoards()
    expect((await buy()).json.payment.intentId).toBe(refused[0]!.json.payment.intentId)
    expect(await figures()).toEqual([6_510_000, 0])
  })

  test('answered by /fulfill: the same POST again is another purchase', async () => {
    await give(9_000_000n)
    world.loseDataOnceOpened()
    const { intentId } = (await buy()).json.payment
    world.goods = allBoards()
    expect((await fulfill(intentId)).status).toBe(200)
    expect((await buy()).json.payment.intentId).not.toBe(intentId)
    expect(await figures()).toEqual([4_020_000, 0])
  })

  test('its time is over and the credit is free again: the same request is another purchase', async () => {
    await give(3_000_000n)
    world.loseDataOnceOpened()
    const { intentId } = (await buy()).json.payment
    world.pass(46 * MINUTE)
    await world.watch()
    world.goods = allBoards()
    const again = await buy()
    expect([again.status, again.json.payment.intentId === intentId]).toEqual([200, false])
    expect(await figures()).toEqual([510_000, 0])
  })

  test('the ledger does not take note of the answer: it goes out, and the same request gets it once more, for nothing', async () => {
    await give(9_000_000n)
    const { answered } = world.credits
    world.credits.answered = async () => {
      throw new UnavailableError('ledger_unavailable', 'cut off')
    }
    const first = await buy()
    world.credits.answered = answered
    expect(first.status).toBe(200)
    expect((await buy()).text).toBe(first.text)
    expect(await figures()).toEqual([6_510_000, 0])
  })

  test('the id is the same again for us, and another one without our secret', () => {
    const [ours, others] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    expect(namesOf(ours, 'operation')).toEqual(namesOf(ours, 'operation'))
    const ids = [namesOf(ours, 'operation'), namesOf(ours, 'another'), namesOf(others, 'operation')]
    expect(new Set(ids.map(({ id }) => id)).size).toBe(3)
    for (const { id, name } of ids)
      expect([id, world.nameOf(id)]).toEqual([expect.stringMatching(/^pi_[\w-]{22}$/), name])
  })

  test('who reads the ledger cannot tell the id', async () => {
    await give(3_000_000n)
    await buyAndDie('CP11', REPORT, { key: 'secret-order-17' })
    await buyAndDie('CP11')
    const ids = [await buy(REPORT, { key: 'secret-order-17' }), await buy()].map(
      ({ json }) => json.payment?.intentId ?? json.settlement?.intentId,
    )
    for (const key of await world.store.redis.keys('*')) {
      const type = await world.store.redis.type(key)
      const row = type === 'hash' ? JSON.stringify(await world.store.redis.hgetall(key)) : ''
      const text = key + row + (type === 'string' ? await world.store.redis.get(key) : '')
      for (const hidden of [...ids, 'secret-order-17']) expect(text).not.toContain(hidden)
    }
  })
})

describe('CRD-08 credit that covers a part', () => {
  test('the 402 is lost: the same request gets it, and holds nothing more', async () => {
    await give(1_000_000n)
    const waiting = async () => (await world.intents.waiting(10_000)).length
    const before = await waiting()
    await buyAndDie('CP11')
    expect(await figures()).toEqual([1_000_000, 1_000_000])
    const again = await buy(REPORT, { side: 1 })
    expect([again.status, again.json.payment.creditUsdc, again.json.payment.state]).toEqual([402, '1', 'New'])
    expect(await waiting()).toBe(before + 1)
    world.cash.send('usdc_base', { atomic: again.json.payment.amountAtomic })
    expect((await fulfill(again.json.payment.intentId)).status).toBe(200)
    expect(await figures()).toEqual([0, 0])
  })

  test('eight at once with one key: one hold, and all are told the one amount that it waits for', async () => {
    await give(1_000_000n)
    const said = await Promise.all(
      Array.from({ length: 8 }, (_, at) => buy(REPORT, { key: 'k1', side: at % 2 })),
    )
    const told = said.map(({ json }) => `${json.payment.intentId} ${json.payment.amountAtomic}`)
    expect(new Set(told).size).toBe(1)
    expect(await figures()).toEqual([1_000_000, 1_000_000])
    world.cash.send('usdc_base', { atomic: said[7]!.json.payment.amountAtomic })
    expect((await fulfill(said[0]!.json.payment.intentId)).status).toBe(200)
  })

  test('once the 402 went out the same request is another purchase, with what credit is left', async () => {
    await give(3_000_000n)
    await give(1n)
    const tip = { sku: 'SKU_TIP_00', options: { tipUsdc: 2 } }
    const dear = { sku: 'SKU_TIP_00', options: { tipUsdc: 4 } }
    expect((await buy(tip)).status).toBe(200)
    const [one, two] = [await buy(dear), await buy(dear)]
    expect([one, two].map(({ status, json }) => [status, json.payment.creditUsdc])).toEqual([
      [402, '1.000001'],
      [402, '0'],
    ])
  })

  test.each([
    ['14 minutes later', 14, true],
    ['when the time to pay is over, the credit goes to another', 16, false],
  ])('a lost 402, asked for again %s', async (_, minutes, isSame) => {
    await give(1_000_000n)
    let opened = ''
    const { open } = world.intents
    world.intents.open = async (name, ...rest) => {
      opened = name
      return await open(name, ...rest)
    }
    await buyAndDie('CP11')
    world.intents.open = open
    world.pass(minutes * MINUTE)
    const { payment } = (await buy()).json
    expect(world.nameOf(payment.intentId) === opened).toBe(isSame)
    expect([payment.creditUsdc, Date.parse(payment.expiresAt) > world.nowMs]).toEqual(['1', true])
    expect(await figures()).toEqual([1_000_000, 1_000_000])
  })
})

describe('Idempotency-Key: the buyer says which purchase it is', () => {
  test('the same key: the same answer, one debit, also at once and also after it went out; another key is another', async () => {
    await give(9_000_000n)
    const said = await Promise.all(
      Array.from({ length: 16 }, (_, at) => buy(REPORT, { key: 'k1', side: at % 2 })),
    )
    said.push(await buy(REPORT, { key: 'k1' }))
    expect(new Set(said.map(({ text }) => text)).size).toBe(1)
    expect(said[0]!.status).toBe(200)
    expect(await figures()).toEqual([6_510_000, 0])
    expect((await buy(REPORT, { key: 'k2' })).status).toBe(200)
    expect((await buy()).status).toBe(200)
    expect(await figures()).toEqual([1_530_000, 0])
  })

  test.each(['CP8', 'CP11'])('lost at %s: the key fetches the answer', async (point) => {
    await give(3_000_000n)
    await buyAndDie(point, REPORT, { key: 'k1' })
    expect((await buy(REPORT, { key: 'k1', side: 1 })).status).toBe(200)
    expect(await figures()).toEqual([510_000, 0])
  })

  test('on other terms 409 bound_elsewhere, in a row or at once: nothing more is held', async () => {
    await give(9_000_000n)
    const said = await Promise.all([PING, REPORT, PING, REPORT].map((body) => buy(body, { key: 'k1' })))
    said.push(await buy({ ...PING, payload: { echo: 'other' } }, { key: 'k1' }))
    const codes = said.map(({ status, json }) => (status === 200 ? json.sku : json.code))
    expect(codes.filter((code) => code === 'bound_elsewhere')).toHaveLength(3)
    const [sku] = codes.filter((code) => code !== 'bound_elsewhere')
    expect(await figures()).toEqual([sku === REPORT.sku ? 6_510_000 : 8_990_000, 0])
  })

  test('CRD-10 nor is a pack, which holds no credit: of two at once under one name one is opened, the other is told so', async () => {
    await give(9_000_000n)
    const packs = ['SKU_AG_CREDITS_02', 'SKU_AG_CREDITS_02', 'SKU_AG_CREDITS_05'].map((sku) => ({ sku }))
    const said = await Promise.all(packs.map((body) => buy(body, { key: 'k1' })))
    const opened = said.filter(({ status }) => status === 402)
    expect(new Set(opened.map(({ json }) => json.sku)).size).toBe(1)
    expect(new Set(opened.map(({ json }) => json.payment.amountAtomic)).size).toBe(1)
    const others = said.filter(({ status }) => status !== 402)
    expect(others.map(({ json }) => json.code)).toEqual(others.map(() => 'bound_elsewhere'))
    expect(others.length).toBeGreaterThan(0)
  })

  test('the rest was paid meanwhile: the answer, and no way to pay again; before, what is missing', async () => {
    await give(1_000_000n)
    const { payment } = (await buy(REPORT, { key: 'k1' })).json
    const atomic = BigInt(payment.amountAtomic)
    expect((await buy(REPORT, { key: 'k1' })).json.payment.amountAtomic).toBe(payment.amountAtomic)
    const tx = world.cash.send('usdc_base', { atomic })
    world.cash.amend(tx, { confirmations: 1 })
    await world.watch()
    const seen = await buy(REPORT, { key: 'k1' })
    expect([seen.status, seen.json.settlement.state, seen.json.payment]).toEqual([202, 'Seen', undefined])
    world.cash.amend(tx, { confirmations: 2 })
    await world.watch()
    const paid = await buy(REPORT, { key: 'k1' })
    expect([paid.status, paid.json.payment]).toEqual([200, undefined])
    expect((await fulfill(payment.intentId)).text).toBe(paid.text)
    expect(await figures()).toEqual([0, 0])
  })

  test('its time is over: 409 intent_lapsed, under another key it is another purchase', async () => {
    await give(1_000_000n)
    await buy(REPORT, { key: 'k1' })
    world.pass(46 * MINUTE)
    await world.watch()
    expect((await buy(REPORT, { key: 'k1' })).json.code).toBe('intent_lapsed')
    expect((await buy(REPORT, { key: 'k2' })).json.payment.creditUsdc).toBe('1')
  })

  test.each([
    [
      'a millisecond before its amounts are free',
      45 * MINUTE - 1,
      [402, 'payment_required'],
      202,
      'New',
      /^Send/,
    ],
    ['when they are free', 45 * MINUTE, [409, 'intent_lapsed'], 409, 'Expired', /^Open/],
  ] as const)('no worker ends it, %s', async (_, afterMs, repeated, sought, state, next) => {
    const { payment } = (await buy(REPORT, { key: 'k1' })).json
    world.pass(afterMs)
    const again = await buy(REPORT, { key: 'k1' })
    expect([again.status, again.json.code]).toEqual(repeated)
    const fulfilled = await fulfill(payment.intentId)
    expect(fulfilled.status).toBe(sought)
    const settled = await world.post('/checkout/settle', { buyerId: buyer, intentId: payment.intentId })
    for (const { json } of [fulfilled, settled])
      expect(json.settlement).toMatchObject({ state, next: expect.stringMatching(next) })
  })

  test('refused before it was opened: the key holds the credit when it is asked again', async () => {
    await give(1_000_000n)
    const { open } = world.intents
    world.intents.open = async () => 'full'
    expect((await buy(REPORT, { key: 'k1' })).json.code).toBe('busy')
    world.intents.open = open
    expect(await figures()).toEqual([1_000_000, 0])
    expect((await buy(REPORT, { key: 'k1' })).json.payment.creditUsdc).toBe('1')
    expect(await figures()).toEqual([1_000_000, 1_000_000])
  })

  test('a key that cannot be read is refused, and holds nothing', async () => {
    await give(1_000_000n)
    const ask = { buyerId: buyer, creditSpendAuth: SECRET, ...REPORT }
    const said = await world.post('/purchase-intent', ask, { headers: { 'idempotency-key': '\u00e9\u00fc' } })
    expect([said.status, said.json.code]).toEqual([400, 'malformed_request'])
    expect(await figures()).toEqual([1_000_000, 0])
  })

  test('without a secret a key says nothing: whoever guesses it is shown no purchase of another', async () => {
    const open = () =>
      world.post(
        '/purchase-intent',
        { buyerId: buyer, ...REPORT },
        { headers: { 'idempotency-key': 'order-1' } },
      )
    expect((await open()).json.payment.intentId).not.toBe((await open()).json.payment.intentId)
  })

  test('an account that is free: two secrets with one key are two purchases', async () => {
    const [one, two] = await Promise.all([
      buy(REPORT, { key: 'k1' }),
      buy({ ...REPORT, creditSpendAuth: 'the-secret-of-another' }, { key: 'k1' }),
    ])
    expect(one.json.payment.intentId).not.toBe(two.json.payment.intentId)
  })

  test.each(['a b', 'x'.repeat(65)])('%j is none: 400, nothing is held', async (key) => {
    await give(3_000_000n)
    const said = await buy(REPORT, { key })
    expect([said.status, said.json.code]).toEqual([400, 'malformed_request'])
    expect(await figures()).toEqual([3_000_000, 0])
  })
})
