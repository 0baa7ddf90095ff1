import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { UNPAID_KEPT_MS } from '../../../api/classic/money.ts'
import { GRACE_MS, INTENT_MS } from '../../../api/classic/open.ts'
import { decimalOf } from '../../../api/classic/show.ts'
import type { Problem } from '../../../api/errors.ts'
import { createIntentLedger, INTENT_LIMITS, type IntentLedger } from '../../../api/ledger/intents.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { DAY, HOUR, MINUTE } from '../../../ops/units.ts'
import { allBoards, BUYER, classicWorld } from './world.ts'

const world = classicWorld({ rates: { openings: { perS: 1, burst: 5 }, looks: { perS: 1, burst: 3 } } })
const open = () => world.post('/purchase-intent', { sku: 'SKU_AG_PING_01', buyerId: BUYER })

const slowWorld = classicWorld()

const soon = () => Date.now() + 60_000
const wanted = (rail: string, nth: number, kinds = 20_000) => ({
  amount: `${rail}:${nth}`,
  untilMs: soon(),
  kinds,
})
const NOT_WAITING = { waiting: false, unanswered: false, forgetAtMs: null, transfers: [] }
async function expire(intents: IntentLedger, name: string) {
  await intents.open(name, '{}', { graceUntilMs: soon(), buyer: 'k', amounts: [] })
  const step = { ...NOT_WAITING, body: '{}', buyer: 'k', forgetAtMs: soon() }
  expect(await intents.step(name, 1, step)).toBe('stored')
  await sleep(2)
}

describe('CLS-21, 8 limits of the classic path', () => {
  test('beyond the burst 429 with Retry-After; a second later one more', async () => {
    for (let at = 0; at < 5; at++) expect((await open()).status).toBe(402)
    const said = await open()
    expect([said.status, said.json.code, said.retryAfter]).toEqual([429, 'rate_limited', '1'])
    world.pass(1_000)
    expect((await open()).status).toBe(402)
    expect((await open()).status).toBe(429)
  })

  test('DNS-11 who asks for offers pays for no answer: of those that take time all of them have sixteen under way', async () => {
    const refused = Promise.withResolvers<Problem>()
    const names: string[] = []
    const lookUp = (name: string) => {
      names.push(name)
      return refused.promise
    }
    const ask = (nth: number) =>
      slowWorld.post('/purchase-intent', {
        sku: 'SKU_AG_DNS_01',
        buyerId: `asker-${nth}`,
        payload: { q: `n${nth}.example.com` },
      })
    slowWorld.goods = { ...slowWorld.goods, lookUp }
    const said: string[] = []
    const all = Array.from({ length: 20 }, async (_, nth) => said.push((await ask(nth)).json.code))
    for (let looks = 0; said.length < 4 && looks < 500; looks++) await sleep(10)
    const early = [...said]
    const ping = await slowWorld.post('/purchase-intent', { sku: 'SKU_AG_PING_01', buyerId: BUYER })
    refused.resolve({ problem: 'resolver_unavailable' })
    await Promise.all(all)
    expect(early).toEqual(Array(4).fill('busy'))
    expect(said.slice(4)).toEqual(Array(16).fill('resolver_unavailable'))
    expect(names).toHaveLength(16)
    expect(ping.status, 'another good, which is answered at once').toBe(402)
  })

  test('DNS-11 who has paid has sixteen looks for the answer under way; another purchase has its own', async () => {
    slowWorld.goods = allBoards()
    const paid = async (buyerId: string) => {
      const { intentId, amountAtomic } = await slowWorld.open({ sku: 'SKU_AG_DNS_01', buyerId })
      slowWorld.cash.send('usdc_base', { atomic: amountAtomic })
      return { intentId, buyerId, payload: { q: `${buyerId}.example.com` } }
    }
    const [mine, another] = [await paid('impatient'), await paid('patient')]
    const refused = Promise.withResolvers<Problem>()
    const names: string[] = []
    const lookUp = (name: string) => {
      names.push(name)
      return refused.promise
    }
    slowWorld.goods = { ...slowWorld.goods, lookUp }
    const said: string[] = []
    const fulfill = async (body: object) => said.push((await slowWorld.post('/fulfill', body)).json.code)
    const until = async (isSo: () => boolean) => {
      for (let looks = 0; !isSo() && looks < 500; looks++) await sleep(10)
    }
    const all = Array.from({ length: 20 }, () => fulfill(mine))
    await until(() => said.length >= 4)
    const early = [...said]
    all.push(fulfill(another))
    await until(() => names.length > 16)
    refused.resolve({ problem: 'resolver_unavailable' })
    await Promise.all(all)
    expect(early).toEqual(Array(4).fill('busy'))
    expect(said.slice(4)).toEqual(Array(17).fill('resolver_unavailable'))
    expect(names.sort()).toEqual([...Array(16).fill('impatient.example.com'), 'patient.example.com'])
  })

  test('a body beyond its bound: 413', async () => {
    world.pass(60_000)
    const said = await world.post('/fulfill', JSON.stringify({ intentId: 'x'.repeat(200_000) }))
    expect([said.status, said.json.code]).toEqual([413, 'body_too_large'])
  })

  test.each([
    ['too_many', { perBuyer: 2 }],
    ['too_many', { perAddress: 2 }],
    ['too_many', { perSite: 2 }], //  from any of its addresses
    ['full', { open: 0 }],
  ])('%s: the ledger refuses another intent: %o', async (outcome, limits) => {
    const intents = createIntentLedger(world.store.redis, { ...INTENT_LIMITS, ...limits })
    const word = `${outcome}-${Object.keys(limits)}`
    const outcomes: unknown[] = []
    for (const nth of [1, 2, 3]) {
      const at = { graceUntilMs: soon(), place: 'perSite' in limits ? `${word}-${nth}` : word, site: word }
      const buyer = 'perBuyer' in limits ? word : `${word}-${nth}`
      outcomes.push(await intents.open(`${word}${nth}`, '{}', { ...at, buyer, amounts: [wanted(word, nth)] }))
    }
    expect(outcomes.at(-1)).toBe(outcome)
    expect(await intents.hadBy(`${word}:3`, soon())).toBeNull()
  })

  test('the last that there is room for is opened, the next one is not', async () => {
    const waiting = await world.store.redis.zcard(KEYS.intents.waiting)
    const intents = createIntentLedger(world.store.redis, { ...INTENT_LIMITS, open: waiting + 1 })
    const open = (name: string) =>
      intents.open(name, '{}', { graceUntilMs: soon(), buyer: name, amounts: [] })
    expect([await open('last-room'), await open('no-room')]).toEqual(['opened', 'full'])
  })

  test.each([
    ['buyer', { perBuyer: 2 }],
    ['address', { perAddress: 2 }],
    ['/48', { perSite: 2 }],
  ])('of one %s: what waits no more makes room beside what still does', async (who, limits) => {
    const intents = createIntentLedger(world.store.redis, { ...INTENT_LIMITS, ...limits })
    const at = { buyer: `room-${who}`, place: `room-${who}`, site: `room-${who}`, amounts: [] }
    const open = (nth: number, graceUntilMs: number) =>
      intents.open(`room-${who}-${nth}`, '{}', { ...at, graceUntilMs })
    expect(await open(1, soon())).toBe('opened')
    expect(await open(2, Date.now() + 300)).toBe('opened')
    expect(await open(3, soon())).toBe('too_many')
    await expect.poll(() => open(3, soon())).toBe('opened')
    expect(await open(4, soon())).toBe('too_many')
  })

  test.each([
    ['buyer', { perBuyer: 1 }],
    ['address', { perAddress: 1 }],
    ['/48', { perSite: 1 }],
  ])('of one %s: what was paid, or is over, makes room', async (who, limits) => {
    const intents = createIntentLedger(world.store.redis, { ...INTENT_LIMITS, ...limits })
    const at = { buyer: `paid-${who}`, place: `paid-${who}`, site: `paid-${who}` }
    const open = (nth: number) =>
      intents.open(`paid-${who}-${nth}`, '{}', { ...at, graceUntilMs: soon(), amounts: [] })
    expect([await open(1), await open(2)]).toEqual(['opened', 'too_many'])
    const over = { ...NOT_WAITING, ...at, body: '{}' }
    expect(await intents.step(`paid-${who}-1`, 1, over)).toBe('stored')
    expect([await open(2), await open(3)]).toEqual(['opened', 'too_many'])
  })

  test('an opening repeated after a lost reply is the same one; another one never gets its amount', async () => {
    const at = { graceUntilMs: soon(), buyer: 'b', amounts: [wanted('usdc_base', 7)] }
    expect(await world.intents.open('first', '{}', at)).toBe('opened')
    expect(await world.intents.open('first', '{}', at)).toBe('opened')
    const both = { ...at, amounts: [wanted('usdc_base', 8), wanted('usdc_base', 7)] }
    expect(await world.intents.open('second', '{}', both)).toEqual(['free', 'taken'])
    const { untilMs } = at.amounts[0]!
    expect(await world.intents.hadBy('usdc_base:7', soon())).toMatchObject({ intent: 'first', untilMs })
    expect(await world.intents.hadBy('usdc_base:7', Date.now() - DAY)).toBeNull()
    expect(await world.intents.hadBy('usdc_base:8', soon())).toBeNull()
  })

  test('CLS-04, CLS-09 who had an amount is known when it is free again, and when another has it', async () => {
    const open = (name: string, untilMs: number) => {
      const amounts = [{ amount: 'usdc_base:9', untilMs, kinds: 20_000 }]
      return world.intents.open(name, '{}', { graceUntilMs: untilMs, buyer: name, amounts })
    }
    const hadBy = (byMs: number) => world.intents.hadBy('usdc_base:9', byMs)
    const firstMs = Date.now() + 300
    expect(await open('had-first', firstMs)).toBe('opened')
    expect(await open('had-second', soon())).toEqual(['taken'])
    await expect.poll(() => open('had-second', firstMs + DAY)).toBe('opened')
    expect(await hadBy(firstMs - 1)).toMatchObject({ intent: 'had-first', untilMs: firstMs })
    expect(await hadBy(soon())).toMatchObject({ intent: 'had-second', untilMs: firstMs + DAY })
    expect(await open('had-third', soon())).toEqual(['taken']) //  the last one's time counts, not the first one's
    const keptMs = await world.store.redis.pttl(KEYS.amount('usdc_base:9'))
    expect(keptMs).toBeGreaterThan(UNPAID_KEPT_MS + GRACE_MS + INTENT_MS) //  as long as late money may be claimed
    expect(keptMs).toBeLessThanOrEqual(32 * DAY)
  })

  test('CLS-04 what a version before reserved stays reserved, and its owner is known', async () => {
    const byMs = soon()
    await world.store.redis.set('intent:amount:usdc_base:12', 'older', 'PX', 60_000)
    const at = {
      graceUntilMs: soon(),
      buyer: 'newer',
      amounts: [12, 13].map((nth) => wanted('usdc_base', nth)),
    }
    expect(await world.intents.open('newer', '{}', at)).toEqual(['taken', 'free'])
    expect(await world.intents.hadBy('usdc_base:12', byMs)).toMatchObject({ intent: 'older', untilMs: byMs })
    expect(await world.intents.hadBy('usdc_base:13', soon())).toBeNull()
    expect(await world.intents.open('older', '{}', { ...at, buyer: 'older' })).toBe('opened') //  its own, asked for again
  })

  test('who had an amount longer ago than that is forgotten when another has it', async () => {
    const amount = KEYS.amount('usdc_base:11')
    const [longAgoMs, lately] = [Date.now() - 33 * DAY, Date.now() - 31 * DAY]
    await world.store.redis.zadd(amount, longAgoMs, `${longAgoMs}:forgotten`, lately, `${lately}:known`)
    const amounts = [{ amount: 'usdc_base:11', untilMs: soon(), kinds: 20_000 }]
    const at = { graceUntilMs: soon(), buyer: 'had-again', amounts }
    expect(await world.intents.open('had-again', '{}', at)).toBe('opened')
    expect(await world.intents.hadBy('usdc_base:11', lately)).toMatchObject({
      intent: 'known',
      untilMs: lately,
    })
    expect(await world.intents.hadBy('usdc_base:11', lately - 1)).toBeNull()
  })

  test('I9 what was put off waits for its turn also when it is written meanwhile', async () => {
    const step = {
      body: '{}',
      buyer: 'put-off',
      waiting: false,
      unanswered: true,
      forgetAtMs: null,
      transfers: [],
    }
    const at = { graceUntilMs: Date.now() + DAY, buyer: 'put-off', amounts: [] }
    expect(await world.intents.open('put-off', '{}', at)).toBe('opened')
    expect(await world.intents.step('put-off', 1, step)).toBe('stored')
    const turnMs = Date.now() + MINUTE
    await world.intents.putOff('put-off', 'unanswered', turnMs)
    expect(await world.intents.step('put-off', 2, step)).toBe('stored')
    expect(await world.intents.unanswered(9, turnMs - 1)).not.toContain('put-off')
    expect(await world.intents.unanswered(9, turnMs)).toContain('put-off')
  })

  test('CLS-04 of two that saw a transfer the first one has it, for longer than it waits', async () => {
    await world.intents.see('seen-by-two', 'first')
    await world.intents.see('seen-by-two', 'second')
    expect(await world.intents.seenBy('seen-by-two')).toBe('first')
    expect(await world.store.redis.pttl(KEYS.seen('seen-by-two'))).toBeGreaterThan(
      3 * DAY + GRACE_MS + INTENT_MS,
    )
  })

  test('CLS-04 one address waits for half of the amounts of a size, whoever it says it is; others have the rest', async () => {
    const intents = createIntentLedger(world.store.redis, INTENT_LIMITS)
    const open = (nth: number, place: string, price: bigint, kinds = 40) =>
      intents.open(`share-${place}-${nth}`, '{}', {
        graceUntilMs: soon(),
        buyer: `share-${place}-${nth}`,
        place,
        price,
        amounts: [wanted(`share-${place}`, nth, kinds), wanted(`wide-${place}`, nth, 20_000)],
      })
    for (let nth = 0; nth < 20; nth++) expect(await open(nth, 'one', 1_000n)).toBe('opened')
    expect(await open(20, 'one', 1_000n)).toEqual(['share', 'free'])
    expect(await open(20, 'one', 999n)).toEqual(['share', 'free']) //  the same amounts, at the price of a tip
    expect(await open(20, 'two', 1_000n)).toBe('opened')
    expect(await open(21, 'one', 500_000n)).toBe('opened')
    const ended = { body: '{}', buyer: 'share-one-3', place: 'one', price: 1_000n, ...NOT_WAITING }
    expect(await intents.step('share-one-3', 1, ended)).toBe('stored') //  paid: another one may wait
    expect(await open(22, 'one', 1_000n)).toBe('opened')
  })

  test('CLS-12 what one place did not pay counts as long as its amounts are reserved: on Bitcoin an hour after its grace', async () => {
    const intents = createIntentLedger(world.store.redis)
    const [price, at] = [2_000_000n, { place: 'outlast', site: 'outlast' }]
    const open = (nth: number) =>
      intents.open(`outlast-${nth}`, '{}', {
        graceUntilMs: soon(),
        buyer: `outlast-${nth}`,
        price,
        ...at,
        amounts: [{ ...wanted('outlast', nth, 20), untilMs: soon() + 3_600_000 }, wanted('brief', nth)],
      })
    for (let nth = 1; nth <= 10; nth++) expect(await open(nth)).toBe('opened')
    for (let nth = 1; nth <= 10; nth++) {
      const ended = { ...NOT_WAITING, body: '{}', buyer: `outlast-${nth}`, price, ...at, forgetAtMs: soon() }
      expect(await intents.step(`outlast-${nth}`, 1, ended)).toBe('stored')
    }
    expect(await open(11)).toEqual(['share', 'free'])
    const near = KEYS.near('outlast', price)
    expect(Number(await world.store.redis.zscore(near, 'outlast-1'))).toBeGreaterThan(soon() + 3_500_000)
    expect(await world.store.redis.pttl(near)).toBeGreaterThan(3_500_000)
  })

  test('CLS-12 who waits beside it for a shorter time makes none of them forgotten sooner', async () => {
    const [price, at] = [3_000_000n, { place: 'shorter', site: 'shorter' }]
    for (const [nth, aheadMs] of [HOUR, 2 * HOUR, HOUR].entries()) {
      const untilMs = Date.now() + aheadMs
      const amounts = [{ ...wanted('shorter', nth), untilMs }]
      const opened = { graceUntilMs: untilMs, buyer: 'shorter', price, ...at, amounts }
      expect(await world.intents.open(`shorter-${nth}`, '{}', opened)).toBe('opened')
    }
    const counted = [
      KEYS.buyer('shorter'),
      KEYS.place('shorter'),
      KEYS.near('shorter', price),
      KEYS.site('shorter'),
    ]
    for (const key of counted) expect(await world.store.redis.pttl(key), key).toBeGreaterThan(HOUR)
  })

  test('CLS-04 nor does an IPv6 /48 wait for more than half of them, from however many addresses; what ends makes room', async () => {
    const intents = createIntentLedger(world.store.redis, INTENT_LIMITS)
    const open = (nth: number, site: string) =>
      intents.open(`site-${site}-${nth}`, '{}', {
        graceUntilMs: soon(),
        buyer: `site-${site}-${nth}`,
        place: `${site}-${nth}`,
        site,
        price: 1_000n,
        amounts: [wanted(`site-${site}`, nth, 20)],
      })
    for (let nth = 0; nth < 10; nth++) expect(await open(nth, 'a')).toBe('opened')
    expect(await open(10, 'a')).toEqual(['share'])
    expect(await open(10, 'b')).toBe('opened')
    const step = { ...NOT_WAITING, body: '{}', buyer: 'site-a-3', place: 'a-3', site: 'a', price: 1_000n }
    expect(await intents.step('site-a-3', 1, step)).toBe('stored')
    expect(await open(11, 'a')).toBe('opened')
    expect(await world.store.redis.zcard(KEYS.site('a'))).toBe(10)
  })

  test.each([
    [6, 5], //  at least five, however few amounts there are
    [11, 5],
    [12, 6],
  ])('of %d amounts: %d', async (kinds, most) => {
    const intents = createIntentLedger(world.store.redis, INTENT_LIMITS)
    const outcomes: unknown[] = []
    for (let nth = 0; nth <= most; nth++)
      outcomes.push(
        await intents.open(`few-${kinds}-${nth}`, '{}', {
          graceUntilMs: soon(),
          buyer: `few-${kinds}-${nth}`,
          place: `few-${kinds}`,
          price: 8n,
          amounts: [wanted(`few-${kinds}`, nth, kinds)],
        }),
      )
    expect(outcomes).toEqual([...Array(most).fill('opened'), ['share']])
  })

  test('unpaid intents that are over are kept up to a bound, the oldest are forgotten', async () => {
    const intents = createIntentLedger(world.store.redis, { ...INTENT_LIMITS, kept: 2 })
    for (const name of ['k1', 'k2', 'k3']) await expire(intents, name)
    expect(await intents.find('k1')).toBeNull()
    expect(await intents.find('k3')).not.toBeNull()
  })

  test('one step forgets a hundred of them, however many there are too many', async () => {
    const intents = createIntentLedger(world.store.redis, { ...INTENT_LIMITS, kept: 0 })
    const many = Array.from({ length: 230 }, (_, nth) => [nth + 1, `many-${nth}`]).flat()
    await world.store.redis.zadd('intents:kept', ...many)
    const before = await world.store.redis.zcard('intents:kept')
    await expire(intents, 'many')
    expect(before + 1 - (await world.store.redis.zcard('intents:kept'))).toBe(100)
    await world.store.redis.del('intents:kept')
  })

  test('I4 one that expired and was paid after all is never forgotten, however many come after it', async () => {
    const intents = createIntentLedger(world.store.redis, { ...INTENT_LIMITS, kept: 2 })
    await expire(intents, 'paid')
    const paid = {
      ...NOT_WAITING,
      body: '{"paid":1}',
      buyer: 'k',
      unanswered: true,
      transfers: ['tx:1:0xpaid'],
    }
    expect(await intents.step('paid', 2, paid)).toBe('stored')
    expect(await world.store.redis.zscore('intents:kept', 'paid')).toBeNull()
    for (const name of ['p1', 'p2', 'p3', 'p4']) await expire(intents, name)
    expect((await intents.find('paid'))?.body).toBe('{"paid":1}')
    expect(await world.store.redis.pttl('intent:paid')).toBe(-1)
  })

  test('with an unpaid intent goes who had its amounts: the ledger is not filled by who opens and never pays', async () => {
    const intents = createIntentLedger(world.store.redis, { ...INTENT_LIMITS, kept: 1 })
    const ended = async (name: string, nths: number[], untilMs = Date.now() - 1) => {
      const quotes = nths.map((nth) => ({ rail: 'usdc_base', atomic: `${nth}` }))
      const amounts = nths.map((nth) => ({ amount: `usdc_base:${nth}`, untilMs, kinds: 20_000 }))
      const body = JSON.stringify({ quotes })
      expect(await intents.open(name, body, { graceUntilMs: soon(), buyer: 'k', amounts })).toBe('opened')
      expect(await intents.step(name, 1, { ...NOT_WAITING, body, buyer: 'k', forgetAtMs: soon() })).toBe(
        'stored',
      )
      await sleep(2)
    }
    const had = async (nth: number) => (await intents.hadBy(`usdc_base:${nth}`, soon()))?.intent
    const [alone, first, second, last] = ['a', 'b', 'c', 'd'].map((each) => each.repeat(64)) as [
      string,
      string,
      string,
      string,
    ]
    await ended(first, [701])
    expect(
      await intents.step(first, 2, { ...NOT_WAITING, body: '{}', buyer: 'k', transfers: ['tx:1:0x701'] }),
    ).toBe('stored')
    const whileFirstMs = Date.now()
    await ended(alone, [700])
    await ended(second, [701, 702])
    const former = KEYS.amount('usdc_base:702')
    await world.store.redis.del(former)
    await world.store.redis.zadd(former, Date.now(), `1:${second}`) //  as an earlier version wrote it
    expect([await had(700), await intents.find(alone)]).toEqual([undefined, null])
    expect([await had(701), await had(702)]).toEqual([second, second])
    await ended(last, [700])
    expect(await intents.find(second)).toBeNull()
    expect(await had(700)).toBe(last)
    expect(await had(701)).toBe(second) //  otherwise late money over it would be the first one's, which is still known
    expect((await intents.hadBy('usdc_base:701', whileFirstMs))?.intent).toBe(first) //  and gets the money of that time
    expect(await had(702)).toBeUndefined()
  })

  test('an entry of who had an amount is short: nine of them an intent, for a month', async () => {
    const name = 'f0'.repeat(32)
    const at = { graceUntilMs: soon(), buyer: 'short', amounts: [wanted('usdc_base', 710)] }
    expect(await world.intents.open(name, '{}', at)).toBe('opened')
    expect(await world.store.redis.object('ENCODING', KEYS.amount('usdc_base:710'))).toBe('listpack')
    expect((await world.intents.hadBy('usdc_base:710', soon()))?.intent).toBe(name)
    expect(await world.intents.open(name.replaceAll('f', 'e'), '{}', at)).toEqual(['taken'])
  })

  test('nor one that the version before left in the list of those to be forgotten', async () => {
    const intents = createIntentLedger(world.store.redis, { ...INTENT_LIMITS, kept: 2 })
    await world.store.redis.hset('intent:left', 'v', 3, 'body', '{"paid":2}')
    await world.store.redis.zadd('intents:kept', 1, 'left')
    for (const name of ['l1', 'l2', 'l3']) await expire(intents, name)
    expect((await intents.find('left'))?.body).toBe('{"paid":2}')
    expect(await world.store.redis.zcard('intents:kept')).toBe(2)
  })
})

test.each([
  [0n, 6, '0'],
  [1n, 6, '0.000001'],
  [2_490_000n, 6, '2.49'],
  [10n ** 18n, 18, '1'],
  [123_456_789_012_345_678_901n, 18, '123.456789012345678901'],
])('%d with %d decimals is %s', (atomic, decimals, text) => {
  expect(decimalOf(atomic, decimals)).toBe(text)
})
