import { describe, expect, onTestFinished, test } from 'vitest'
import { isLegacyAmount, pricedAt, tagged, wantedOf } from '../../../api/classic/amounts.ts'
import { encodeIntent, type Intent } from '../../../api/classic/intent.ts'
import { type Item, itemOf } from '../../../api/classic/item.ts'
import { readIntent } from '../../../api/classic/money.ts'
import { type Opened, openIntent } from '../../../api/classic/open.ts'
import { PurchaseRequest } from '../../../api/classic/shapes.ts'
import { GOODS } from '../../../api/goods/index.ts'
import { createIntentLedger, INTENT_LIMITS } from '../../../api/ledger/intents.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../ops/units.ts'
import { classicWorld } from './world.ts'

/** CLS-09, CLS-21, I9: the worker looks at two hundred intents in a pass. However many wait, each gets its turn. */
const PASS = 200
const world = classicWorld()
const GRACE_MS = 45 * MINUTE
const PACK = { sku: 'SKU_AG_HOUR_PASS_01', payload: {} }

/** An intent like a real one, put into the ledger as it is. */
async function put(name: string, like: Intent, change: Partial<Intent>, graceUntilMs: number) {
  const intent = { ...like, ...change, opener: name, place: name, graceUntilMs }
  const at = { graceUntilMs: Date.now() + DAY, buyer: name, amounts: [] }
  expect(await world.intents.open(name, encodeIntent(intent), at)).toBe('opened')
  await world.store.redis.zadd('intents:waiting', graceUntilMs, name)
  return intent
}
const stateOf = async (name: string) => (await readIntent(name, world.ports))?.intent.state
const likeA = async (body: object) => {
  const payment = await world.open({ ...PACK, ...body })
  return { payment, intent: (await readIntent(world.nameOf(payment.intentId), world.ports))!.intent }
}

describe('what waits on stands in nobody’s way', () => {
  test('two hundred intents whose transfer never gets deep: the one behind them ends in time, and they are not counted', async () => {
    const { intent } = await likeA({})
    const seen = { key: 'tx:8453:0x1:log0', atMs: world.nowMs, confirmations: 0, needed: 1 }
    for (let nth = 0; nth < PASS; nth++)
      await put(`seen-${nth}`, intent, { state: 'Seen', seen }, intent.graceUntilMs - SECOND)
    await put('honest', intent, {}, intent.graceUntilMs)
    world.pass(GRACE_MS)
    expect((await world.watch()).lapsed).toBe(0)
    expect(await stateOf('honest')).toBe('New')
    expect((await world.watch()).lapsed).toBe(2) //  'honest', and the intent that the others copy
    expect(await stateOf('honest')).toBe('Expired')
    world.pass(MINUTE - 1)
    expect((await world.watch()).lapsed).toBe(0)
    world.pass(3 * DAY - MINUTE - SECOND)
    expect((await world.watch()).lapsed).toBe(0)
    expect(await stateOf('seen-0')).toBe('Seen')
    world.pass(2 * MINUTE)
    expect((await world.watch()).lapsed).toBe(PASS)
    expect(await stateOf('seen-0')).toBe('Expired')
  })

  test('rows that cannot be read stand in nobody’s way either', async () => {
    const { intent, payment } = await likeA({})
    for (let nth = 0; nth < PASS; nth++) await world.store.redis.zadd('intents:waiting', nth, `broken-${nth}`)
    world.pass(GRACE_MS)
    expect(await world.watch()).toMatchObject({ lapsed: 0, failed: PASS })
    expect(await world.watch()).toMatchObject({ lapsed: 1, failed: 0 })
    expect(await stateOf(world.nameOf(payment.intentId))).toBe('Expired')
    expect(intent.state).toBe('New')
    await world.store.redis.zremrangebyscore('intents:waiting', '-inf', '+inf')
  })

  test('two hundred paid answers that nobody fetches yet: the credit of the next one is booked, not a day later', async () => {
    const { payment } = await likeA({ buyerId: 'behind' })
    world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    await world.watch()
    const name = world.nameOf(payment.intentId)
    const { intent } = (await readIntent(name, world.ports))!
    for (let nth = 0; nth < PASS; nth++) {
      const ahead = await put(`paid-${nth}`, intent, { transfers: [] }, world.nowMs + HOUR)
      await world.store.redis.zadd('intents:unanswered', nth, `paid-${nth}`)
      expect(ahead.state).toBe('Confirmed')
    }
    const note = { kind: 'paid_twice' as const, lot: 'l', micro: 5n, transfers: [], deposited: false }
    const died = { ...intent, notes: [{ ...note, to: null, goneMs: null, revoked: false }] }
    await world.store.redis.hset(`intent:${name}`, 'body', encodeIntent(died))
    await world.store.redis.zadd('intents:unanswered', 1_000, name)
    world.pass(11 * SECOND)
    await world.watch()
    await world.watch()
    expect((await readIntent(name, world.ports))!.intent.notes).toMatchObject([
      { deposited: true, to: 'lot' },
    ])
  })
})

test('one transfer that cannot be booked holds up no other of its rail', async () => {
  const [bad, good] = [
    await world.open({ ...PACK, buyerId: 'bad' }),
    await world.open({ ...PACK, buyerId: 'good' }),
  ]
  for (const { amountAtomic } of [bad, good]) world.cash.send('usdc_base', { atomic: amountAtomic })
  await world.store.redis.hset(`intent:${world.nameOf(bad.intentId)}`, 'body', '{}')
  expect(await world.watch()).toMatchObject({ taken: 1, failed: 1 })
  expect(await stateOf(world.nameOf(good.intentId))).toBe('Confirmed')
})

describe('CLS-03 an amount is another intent’s only when nothing that came for the first one is in the second one’s time', () => {
  test.each([
    ['usdc_base' as const, 15 * SECOND, 101], //                    99 of the 200 amounts could be a legacy intent's
    ['btc' as const, 60 * MINUTE, 200], //  its blocks may be stamped that much too early
  ])('%s: reserved for the grace and %d ms, one of %d', (rail, afterMs, kinds) => {
    const quote = { rail, atomic: 900n, plain: 1_000n, validUntilMs: 0, source: null }
    expect(wantedOf(pricedAt(1_000n, quote), 5_000)).toEqual({
      amount: `${rail}:900`,
      untilMs: 5_000 + afterMs,
      kinds,
    })
  })

  test('an amount is below the price, by a fifth at most: the plain price is what anybody may send', () => {
    const drawn = (plain: bigint) => {
      const quote = { rail: 'usdc_polygon' as const, atomic: plain, plain, validUntilMs: 0, source: null }
      const all = Array.from({ length: 100 }, () => tagged([pricedAt(plain, quote)])).flat()
      return [...new Set(all.map(({ quote: { atomic } }) => Number(atomic)))].sort()
    }
    expect([drawn(4n), drawn(5n), drawn(10n)]).toEqual([[], [4], [8, 9]])
  })

  test('the ledger reserves each for its own time', async () => {
    const [short, long] = [Date.now() + MINUTE, Date.now() + HOUR]
    const amounts = [
      { amount: 'a:1', untilMs: short, kinds: 99 },
      { amount: 'b:1', untilMs: long, kinds: 99 },
    ]
    const at = { graceUntilMs: short, buyer: 'two-times', place: 'two-times', amounts }
    expect(await world.intents.open('two-times', '{}', at)).toBe('opened')
    const untilMs = async (amount: string) => (await world.intents.hadBy(amount, short))?.untilMs
    expect([await untilMs('a:1'), await untilMs('b:1')]).toEqual([short, long])
  })
})

describe('CLS-04 what is scarce on one rail stops nobody on another', () => {
  test('amounts that all are taken on a rail that was not chosen: the intent goes without that rail', async () => {
    const plain = 1_000n * 400_000_000n //  0.001 USD in wei: eighty amounts
    const taken = `${Date.now() + HOUR}:other`
    for (let step = 1n; step <= 80n; step++)
      await world.store.redis.zadd(KEYS.amount(`eth_base:${plain - step * 1_000_000_000n}`), 0, taken)
    const next = await world.open({ sku: 'SKU_AG_SPREAD_01', payload: {}, buyerId: 'next' })
    const rails = next.paymentOptions.map(({ paymentRail }: { paymentRail: string }) => paymentRail)
    expect(rails).toEqual(['usdc_base', 'usdc_polygon'])
    const asked = { intentId: next.intentId, buyerId: 'next', paymentRail: 'eth_base' }
    const said = await world.post('/fulfill', asked) //  CLS-15
    expect([said.status, said.json.code]).toEqual([409, 'rail_mismatch'])
    const chosen = await world.post('/purchase-intent', {
      sku: 'SKU_AG_SPREAD_01',
      payload: {},
      buyerId: 'ether',
      paymentRail: 'eth_base',
    })
    expect([chosen.status, chosen.json.code]).toEqual([503, 'busy'])
  })

  test.each(GOODS.map(({ sku, priceMicroUsdc }) => [sku, priceMicroUsdc] as const))(
    '%s: an address waits for half of the amounts that somebody can be given',
    (_, plain) => {
      const quote = { rail: 'usdc_base' as const, atomic: 0n, plain, validUntilMs: 0, source: null }
      const priced = pricedAt(plain, quote)
      const given = Array.from({ length: priced.kinds }, (_, tag) => plain - BigInt(tag + 1))
      const free = given.filter((atomic) => !isLegacyAmount('usdc_base', atomic))
      expect(wantedOf(priced, 0).kinds).toBe(free.length)
    },
  )

  test('addresses of one IPv6 /64 are one; the next /64 is another', async () => {
    const openFrom = async (address: string) => {
      const body = PurchaseRequest.parse({ sku: 'SKU_AG_SPREAD_01' })
      const asked = {
        body,
        buyer: '',
        agentId: '',
        address,
        creditAuth: '',
        claimCode: '',
        idempotencyKey: '',
      }
      const item = itemOf(body.sku, undefined) as Item
      const opened = (await openIntent(asked, item, world.ports)) as Opened
      return [opened.intent.place, opened.intent.opener]
    }
    const net = '2001:0db8:0000:0001'
    const one = await openFrom(`${net}:0000:0000:0000:0001`)
    expect(await openFrom(`${net}:0000:0000:0000:0002`)).toEqual(one)
    const other = await openFrom('2001:0db8:0000:0002:0000:0000:0000:0001')
    expect(other[0]).not.toBe(one[0])
    expect(other[1]).not.toBe(one[1])
  })

  test('an address that has its share on the chosen rail hears so: 429, and another rail is free', async () => {
    const cheap = { sku: 'SKU_AG_SPREAD_01', payload: {} }
    const limited = createIntentLedger(world.store.redis, INTENT_LIMITS)
    const { open } = world.intents
    world.intents.open = limited.open
    const said: Awaited<ReturnType<typeof world.post>>[] = []
    for (let nth = 0; nth < 130; nth++)
      said.push(await world.post('/purchase-intent', { ...cheap, buyerId: `one-of-many-${nth}` }))
    world.intents.open = open
    const last = said.at(-1)!
    expect([last.status, last.json.code, last.retryAfter]).toEqual([429, 'too_many_intents', '60'])
    expect(last.json.detail).toContain('another paymentRail')
    expect(said.filter(({ status }) => status === 402).length).toBeLessThanOrEqual(50)
    expect((await world.post('/purchase-intent', { ...cheap, buyerId: 'not-limited' })).status).toBe(402)
  })
})

test('I4 thousands of dust transfers hide no payment after them, and are asked for once', async () => {
  const { payment } = await likeA({ buyerId: 'beside-dust' })
  world.pass(MINUTE)
  world.cash.send('usdc_base', ...Array.from({ length: 3_000 }, () => ({ atomic: 1n, from: null })))
  world.cash.send('usdc_base', { atomic: payment.amountAtomic })
  let asked = 0
  const { hadBy } = world.intents
  world.intents.hadBy = (...of) => {
    asked++
    return hadBy(...of)
  }
  onTestFinished(() => {
    world.intents.hadBy = hadBy
  })
  expect((await world.watch()).taken).toBe(1)
  expect(await stateOf(world.nameOf(payment.intentId))).toBe('Confirmed')
  expect(asked).toBeLessThan(50)
})
