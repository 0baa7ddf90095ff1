import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openCheckout } from '../../../api/checkout/open.ts'
import { pollCheckouts } from '../../../api/checkout/poll.ts'
import { againAfterMs, type RefreshPorts, refresh } from '../../../api/checkout/refresh.ts'
import { requestHashOf, reversalOf, saleOf } from '../../../api/checkout/sale.ts'
import { webhook } from '../../../api/checkout/webhook.ts'
import { accountPayer } from '../../../api/entitlements/credit.ts'
import { isProblem } from '../../../api/errors.ts'
import type { GoodPorts } from '../../../api/goods/good.ts'
import { cardKey, createCardLedger } from '../../../api/ledger/cards.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { realClock } from '../../../ops/clock.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../ops/units.ts'
import { quietLog } from '../../support/ledger.ts'
import { MAX_AGE, NOW } from '../goods/support.ts'
import { answers, BUYER, boards, openTill, type Till } from './till.ts'

let world: Till
let { opened, cards, till, provider } = {} as Till
beforeAll(async () => {
  world = await openTill()
  ;({ opened, cards, till, provider } = world)
})
beforeEach(() => opened.redis.flushall())
afterEach(() => void vi.useRealTimers())
afterAll(() => world?.close())

const OLD = { asOfMs: { a: NOW - MAX_AGE - 1, b: NOW - MAX_AGE - 1 } }

async function soldInquiry(drawnOver: GoodPorts, paidOver: GoodPorts | null) {
  const order = { sku: 'SKU_INQUIRY_01', buyerId: 'buyer', payload: { q: 'fed' } }
  const ports = { cards, provider, answers, clock: realClock }
  const begun = await openCheckout(order, BUYER, { ...ports, goods: drawnOver })
  if (isProblem(begun)) throw new Error(begun.problem)
  till.act(begun.checkout.sessionId, 'pay')
  const known = (await cards.find(begun.checkout.digest))!
  const how: RefreshPorts = { cards, provider, answers, clock: realClock, log: quietLog, goods: paidOver }
  const after = await refresh(known, { gapMs: 0 }, how)
  if (isProblem(after)) throw new Error(after.problem)
  const claim = (await opened.ledger.find(cardKey(known.digest)))!
  return { after, claim, gapCents: JSON.parse(claim.draft).result.inquiry.spread.gapCents }
}

describe('OPS-19 what boards decide is drawn again when it is paid', () => {
  test('where boards are held: as of now', async () => {
    const { after, claim, gapCents } = await soldInquiry(boards(7), boards(12, { version: 5 }))
    expect([after.status, after.claimed, gapCents, claim.snapshotVersion]).toEqual(['paid', true, 12, 5])
  })

  test.each<[string, GoodPorts | null]>([
    ['the boards are too old now', boards(12, OLD)],
    ['there are no boards (the worker)', null],
  ])('%s: as it was when the buyer was sent to pay', async (_, paidOver) => {
    const { after, gapCents } = await soldInquiry(boards(7), paidOver)
    expect([after.status, gapCents]).toEqual(['paid', 7])
  })

  test('nobody is sent to pay over boards that are too old', async () => {
    const before = till.sales().length
    await expect(soldInquiry(boards(7, OLD), null)).rejects.toThrow('stale_data')
    expect(till.sales()).toHaveLength(before)
  })
})

test('VAL-17 a payload with another name for the topic opens no checkout: the report would be on another', async () => {
  const order = { sku: 'SKU_INQUIRY_01', buyerId: 'buyer', payload: { topic: 'fed' } }
  const ports = { cards, provider, answers, clock: realClock, goods: boards(7) }
  expect(await openCheckout(order, BUYER, ports)).toEqual({
    problem: 'invalid_parameter',
    detail: 'payload.topic: is not a parameter here; q is',
  })
})

describe('I17 an answer that was drawn at opening is not sold when it has grown too old', () => {
  /** Opens a checkout over fresh boards, pays it, and looks at it `laterMs` later, over the boards `paidOver`. */
  async function paidAfter(laterMs: number, paidOver: GoodPorts | null) {
    const order = { sku: 'SKU_INQUIRY_01', buyerId: 'buyer', payload: { q: 'fed' } }
    const ports = { cards, provider, answers, clock: realClock }
    const begun = await openCheckout(order, BUYER, { ...ports, goods: boards(7) })
    if (isProblem(begun)) throw new Error(begun.problem)
    const { digest, sessionId, createdMs } = begun.checkout
    till.act(sessionId, 'pay')
    vi.useFakeTimers({ toFake: ['Date'], now: createdMs + laterMs })
    const looked = async (goods: GoodPorts | null) => {
      const how: RefreshPorts = { cards, provider, answers, clock: realClock, log: quietLog, goods }
      const after = await refresh((await cards.find(digest))!, { gapMs: 0 }, how)
      if (isProblem(after)) throw new Error(after.problem)
      const claim = await opened.ledger.find(cardKey(digest))
      const gapCents = claim && JSON.parse(claim.draft).result.inquiry.spread.gapCents
      return [after.status, after.claimed, gapCents]
    }
    return { digest, looked, first: await looked(paidOver) }
  }
  const places: [string, GoodPorts | null][] = [
    ['the worker', null],
    ['boards that are too old themselves', boards(12, OLD)],
  ]

  test.each(places)('%s: as old as may be is sold', async (_, paidOver) => {
    expect((await paidAfter(MAX_AGE, paidOver)).first).toEqual(['paid', true, 7])
  })

  test.each(places)(
    '%s: a millisecond older is not; whoever holds boards draws it again',
    async (_, over) => {
      const { looked, first } = await paidAfter(MAX_AGE + 1, over)
      expect(first).toEqual(['paid', false, null])
      expect(await looked(over)).toEqual(['paid', false, null])
      expect(await looked(boards(9))).toEqual(['paid', true, 9])
    },
  )

  test('what no boards decide does not age', async () => {
    const order = { sku: 'SKU_DLQ_01', buyerId: 'buyer', payload: { samples: ['timeout'] } }
    const ports = { cards, provider, answers, clock: realClock }
    const begun = await openCheckout(order, BUYER, { ...ports, goods: boards(7) })
    if (isProblem(begun)) throw new Error(begun.problem)
    const { digest, sessionId, createdMs } = begun.checkout
    till.act(sessionId, 'pay')
    vi.useFakeTimers({ toFake: ['Date'], now: createdMs + 50 * 60_000 })
    const known = (await cards.find(digest))!
    await refresh(
      known,
      { gapMs: 0 },
      { cards, provider, answers, clock: realClock, log: quietLog, goods: null },
    )
    expect((await cards.find(digest))!.claimed).toBe(true)
  })

  test('an event is not taken before the answer is drawn, so that it is sent again; then nobody is asked about it', async () => {
    const { digest } = await paidAfter(MAX_AGE + 1, null)
    const away = async () => {
      throw new UnavailableError('card_provider_unavailable', 'no answer')
    }
    const told = async (goods: GoodPorts, truth = provider.truth) => {
      const how: RefreshPorts = {
        cards,
        provider: { ...provider, truth },
        answers,
        clock: realClock,
        log: quietLog,
        goods,
      }
      const request = { header: () => '', rawQuery: '', body: async () => Buffer.from('{}') }
      const reply = await webhook(
        () => ({ id: 'evt_1', about: { reference: digest, sessionId: 'cs' } }),
        how,
      )(request as never)
      return [reply.status, await cards.knowsEvent('evt_1')]
    }
    expect(await told(boards(12, OLD))).toEqual([503, false])
    expect(await told(boards(9))).toEqual([200, true])
    expect((await cards.find(digest))!.claimed).toBe(true)
    expect(await told(boards(9), away)).toEqual([200, true])
  })
})

describe('OPS-19 an input that comes once it is paid, while there is no room for it', () => {
  test.each(['busy', 'utility_timeout'] as const)(
    '%s: nobody is told that nothing was charged; the same input is answered later',
    async (problem) => {
      const order = { sku: 'SKU_DLQ_01', buyerId: 'buyer' }
      const goods = boards(7)
      const begun = await openCheckout(order, BUYER, { cards, provider, answers, clock: realClock, goods })
      if (isProblem(begun)) throw new Error(begun.problem)
      const { digest, sessionId } = begun.checkout
      till.act(sessionId, 'pay')
      const how: RefreshPorts = { cards, provider, answers, clock: realClock, log: quietLog, goods }
      const payload = { samples: ['timeout'] }
      const looked = async (over: GoodPorts) =>
        await refresh(
          (await cards.find(digest))!,
          { gapMs: 0, late: { input: payload, payload } },
          { ...how, goods: over },
        )
      expect(await looked({ ...goods, compute: async () => ({ problem }) })).toMatchObject({
        problem,
        extra: { next: expect.stringMatching(/^What was paid for it is kept; do not pay again\./) },
      })
      expect(await looked(goods)).toMatchObject({ status: 'paid', claimed: true })
    },
  )
})

describe('I7 the receipt is over the input that was answered', () => {
  const early = { samples: ['timeout A'], mine: 'that nobody reads' }
  const late = { samples: ['timeout B'], mine: 'nor this' }
  test.each([
    ['came with the order', { payload: early }, undefined, early],
    ['came with the order, and another one later', { payload: early }, late, early],
    ['came once it was paid', {}, late, late],
  ])('%s', async (_, ordered, sent, answered) => {
    const order = { sku: 'SKU_DLQ_01', buyerId: 'buyer', ...ordered }
    const goods = boards(7)
    const begun = await openCheckout(order, BUYER, { cards, provider, answers, clock: realClock, goods })
    if (isProblem(begun)) throw new Error(begun.problem)
    const { digest, sku, sessionId } = begun.checkout
    till.act(sessionId, 'pay')
    const how: RefreshPorts = { cards, provider, answers, clock: realClock, log: quietLog, goods }
    const input = sent && { late: { input: { ...sent, limit: 5 }, payload: sent } }
    await refresh((await cards.find(digest))!, { gapMs: 0, ...input }, how)
    const wanted = requestHashOf({ digest, sku, cents: 1_045 }, answered)
    expect((await opened.ledger.find(cardKey(digest)))!.fingerprint).toBe(wanted)
    expect((await cards.find(digest))!.requestHash).toBe(wanted)
  })
})

describe('OPS-19 an old story told late changes nothing', () => {
  test.each(['open', 'expired'] as const)('%s, of what was paid', async (status) => {
    const { after } = await soldInquiry(boards(7), null)
    const truth = async (sessionId: string) => ({ ...(await provider.truth(sessionId)), status })
    const how = {
      cards,
      provider: { ...provider, truth },
      answers,
      clock: realClock,
      log: quietLog,
      goods: null,
    }
    expect(await refresh(after, { gapMs: 0 }, how)).toEqual(after)
    expect((await cards.find(after.digest))!.status).toBe('paid')
  })
})

describe('OPS-19 of two looks the later one stands, also when it only says what is known', () => {
  test.each([
    ['paid', 'refunded'],
    ['refunded', 'paid'],
  ] as const)('it is %s; meanwhile it was told that it is %s', async (isNow, was) => {
    const { after } = await soldInquiry(boards(7), null)
    const saying = (status: typeof isNow, then = async () => {}) => {
      const truth = async (sessionId: string) => {
        const said = { ...(await provider.truth(sessionId)), status }
        await then()
        return said
      }
      return {
        cards,
        provider: { ...provider, truth },
        answers,
        clock: realClock,
        log: quietLog,
        goods: null,
      }
    }
    const look = async (how: RefreshPorts) => refresh((await cards.find(after.digest))!, { gapMs: 0 }, how)
    if (isNow === 'refunded') await look(saying('refunded'))
    await look(saying(was, async () => void (await look(saying(isNow)))))
    expect((await cards.find(after.digest))!.status).toBe(isNow)
  })
})

test('OPS-19 money that went back, came again and went back once more has three names in the journal', async () => {
  const { after } = await soldInquiry(boards(7), null)
  const truth = await provider.truth(after.sessionId)
  const statuses = ['refunded', 'paid', 'refunded'] as const
  const changes = statuses.map((status, at) => reversalOf(after, { ...truth, status }, at + 1, answers))
  expect(new Set(changes.map(({ eventId }) => eventId)).size).toBe(3)
  expect(changes.map((change) => change.amountMicroUsdc)).toEqual(['-2490000', '2490000', '-2490000'])
})

test('DATA-04 the journal and the receipts name one buyer by one name, which is nothing that he has', async () => {
  const { after, claim } = await soldInquiry(boards(7), null)
  const truth = await provider.truth(after.sessionId)
  const drawn = { text: '{}', snapshotVersion: null, requestHash: 'r' }
  const payerOf = (agent: string, digest: string) =>
    saleOf({ ...after, agent, digest }, drawn, truth, answers).terms.payer
  expect(payerOf(after.agent, 'another checkout of his')).toBe(claim.payer)
  expect(payerOf('of somebody else', after.digest)).not.toBe(claim.payer)
  expect(payerOf('', 'one')).not.toBe(payerOf('', 'two')) //  two without a name are not the same buyer
  expect(after.agent).not.toContain(claim.payer.replace('card:', ''))
  //  anybody may buy under any name: what is shown then must not show which account has spent credit
  expect(accountPayer(answers.secret, after.agent)).not.toContain(claim.payer.replace('card:', ''))
  const { payer, requestHash } = reversalOf(after, { ...truth, status: 'refunded' }, 1, answers)
  expect([payer, requestHash]).toEqual([claim.payer, claim.fingerprint])
})

describe('a truth about something else is not booked', () => {
  test('another amount at the till: stays open, and is said to the operator', async () => {
    const order = { sku: 'SKU_TOR_MCP_PRO', buyerId: 'buyer' }
    const begun = await openCheckout(order, BUYER, {
      cards,
      provider,
      answers,
      clock: realClock,
      goods: boards(7),
    })
    if (isProblem(begun)) throw new Error(begun.problem)
    till.sales().find(({ id }) => id === begun.checkout.sessionId)!.cents = 1
    till.act(begun.checkout.sessionId, 'pay')
    const known = (await cards.find(begun.checkout.digest))!
    const said: unknown[] = []
    const log = Object.assign(Object.create(quietLog), { error: (fields: unknown) => said.push(fields) })
    await refresh(known, { gapMs: 0 }, { cards, provider, answers, clock: realClock, log, goods: null })
    expect((await cards.find(known.digest))!.status).toBe('open')
    expect(await opened.ledger.find(cardKey(known.digest))).toBeNull()
    expect(said).toEqual([{ sku: 'SKU_TOR_MCP_PRO', reason: 'amount_mismatch' }])
  })
})

describe('OPS-19 every checkout has its turn', () => {
  const license = async () => {
    const ports = { cards, provider, answers, clock: realClock, goods: boards(7) }
    const begun = await openCheckout({ sku: 'SKU_TOR_MCP_PRO', buyerId: 'buyer' }, BUYER, ports)
    if (isProblem(begun)) throw new Error(begun.problem)
    return begun.checkout
  }
  const how = (change: Partial<RefreshPorts> = {}): RefreshPorts => ({
    cards,
    provider,
    answers,
    clock: realClock,
    log: quietLog,
    goods: null,
    ...change,
  })

  test('an event about several: one that is not ours hides none that is', async () => {
    const { digest, sessionId } = await license()
    till.act(sessionId, 'pay')
    const several = {
      ...provider,
      sessionsOf: async () =>
        ['of-somebody-else', digest].map((reference) => ({ reference, sessionId: 'cs' })),
    }
    const event = { id: 'evt_several', about: { paymentId: 'pi' } }
    const request = { header: () => '', rawQuery: '', body: async () => Buffer.from('{}') }
    const reply = await webhook(() => event, how({ provider: several }))(request as never)
    expect([reply.status, (await cards.find(digest))!.status]).toEqual([200, 'paid'])
  })

  test('sessions that do not answer end the round when three in a row do not, and not when others do between', async () => {
    const before = till.sales().length
    const all = await Promise.all(Array.from({ length: 6 }, license))
    const order = await cards.due(Date.now() + MINUTE, 10)
    const sessions = order.map((digest) => all.find((one) => one.digest === digest)!.sessionId)
    const looked = async (silent: readonly number[]) => {
      const asked: number[] = []
      const truth = async (sessionId: string) => {
        asked.push(sessions.indexOf(sessionId))
        if (!silent.includes(asked.at(-1)!)) return await provider.truth(sessionId)
        throw new UnavailableError('card_provider_unavailable', 'silent')
      }
      for (const digest of order) await opened.redis.zadd(KEYS.checkouts, order.indexOf(digest), digest)
      const round = pollCheckouts(how({ provider: { ...provider, truth } }), Date.now())
      return [await round.then(() => 'done').catch(() => 'ended'), asked.length]
    }
    expect(till.sales()).toHaveLength(before + 6)
    expect(await looked([0, 1, 3, 4])).toEqual(['done', 6])
    expect(await looked([1, 2, 3])).toEqual(['ended', 4])
  })

  test('DATA-08 three of which something is broken hold up no other, and each is told of; one that is lost is told of once', async () => {
    const [lost, row, ...others] = await Promise.all(Array.from({ length: 5 }, license))
    const [unread, unsaid, last] = others as [typeof row, typeof row, typeof row]
    for (const [at, { digest }] of [lost!, row!, unread!, unsaid!, last!].entries())
      await opened.redis.zadd(KEYS.checkouts, at, digest)
    await opened.redis.del(KEYS.checkout(lost!.digest))
    await opened.redis.multi().del(KEYS.checkout(row!.digest)).set(KEYS.checkout(row!.digest), 'wrong').exec()
    await opened.redis.hset(KEYS.checkout(unread!.digest), 'amount', 'wrong')
    till.act(last!.sessionId, 'pay')
    const truth = async (sessionId: string) => {
      if (sessionId === unsaid!.sessionId) throw new Error('an answer of another shape')
      return await provider.truth(sessionId)
    }
    const said: unknown[] = []
    const log = Object.assign(Object.create(quietLog), { error: (fields: unknown) => said.push(fields) })
    const nowMs = Date.now()
    const round = (atMs: number) => pollCheckouts(how({ provider: { ...provider, truth }, log }), atMs)
    const broken = [row, unread].map((one) => expect.objectContaining({ checkout: one!.digest }))
    await round(nowMs)
    expect((await cards.find(last!.digest))!.status).toBe('paid')
    const unsaidToo = expect.objectContaining({ checkout: unsaid!.digest })
    expect(said).toEqual([{ checkout: lost!.digest }, ...broken, unsaidToo])
    await opened.redis.zrem(KEYS.checkouts, unsaid!.digest)
    await round(nowMs + MINUTE - 1)
    expect(said).toHaveLength(4)
    await round(nowMs + MINUTE)
    // both are due at the same millisecond: their names decide which comes first
    expect(said).toHaveLength(6)
    expect(said.slice(4)).toEqual(expect.arrayContaining(broken))
    expect(await opened.redis.zscore(KEYS.checkouts, lost!.digest)).toBeNull()
  })

  test('I4 what was paid before nobody could look for 32 days is sold', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 32 * DAY })
    const { digest, sessionId } = await license()
    till.act(sessionId, 'pay')
    vi.useRealTimers()
    await pollCheckouts(how(), Date.now())
    expect(await cards.find(digest)).toMatchObject({ status: 'paid', claimed: true })
  })

  test.each([
    ['nobody has said that it ended', {}],
    ['it is not what was ordered, and nobody has paid', { cents: 1 }],
  ])('%s: looked at until a month after its end, and known for another', async (_, change) => {
    const { digest, expiresMs } = await license()
    const truth = async (id: string) => ({
      ...(await provider.truth(id)),
      status: 'open' as const,
      ...change,
    })
    const isFollowed = async (atMs: number) => {
      vi.useFakeTimers({ toFake: ['Date'], now: atMs })
      await pollCheckouts(how({ provider: { ...provider, truth } }), atMs)
      return (await opened.redis.zscore(KEYS.checkouts, digest)) !== null
    }
    expect(await isFollowed(expiresMs + 30 * DAY - 1)).toBe(true)
    expect(await opened.redis.pttl(KEYS.checkout(digest))).toBe(-1)
    await opened.redis.hdel(KEYS.checkout(digest), 'lookedMs')
    expect(await isFollowed(expiresMs + 90 * DAY)).toBe(false)
    expect(Math.round((await opened.redis.pttl(KEYS.checkout(digest))) / DAY)).toBe(30)
  })

  test('one that cannot be looked at is put behind, never ahead, and not put back on the list', async () => {
    const [{ digest }, ended] = [await license(), await license()]
    await cards.unlook(ended.digest)
    const dueMs = async () => Number(await opened.redis.zscore(KEYS.checkouts, digest))
    const before = await dueMs()
    for (const laterMs of [HOUR, MINUTE]) await cards.postpone(digest, before + laterMs)
    expect(await dueMs()).toBe(before + HOUR)
    await cards.postpone(ended.digest, before)
    expect(await opened.redis.zscore(KEYS.checkouts, ended.digest)).toBeNull()
  })

  test('the worker looks every ten seconds for ten minutes, then every minute, every hour for what was paid slowly', async () => {
    const ages = [0, 10 * MINUTE - 1, 10 * MINUTE, 120 * MINUTE - 1, 120 * MINUTE, 30 * DAY]
    const rests = [10 * SECOND, 10 * SECOND, MINUTE, MINUTE, HOUR, HOUR]
    expect(ages.map(againAfterMs)).toEqual(rests)
    const { digest, createdMs } = await license()
    const next = async () => {
      await refresh((await cards.find(digest))!, { gapMs: 0 }, how())
      return Number(await opened.redis.zscore(KEYS.checkouts, digest)) - createdMs
    }
    expect(await next()).toBeLessThan(40 * SECOND)
    vi.useFakeTimers({ toFake: ['Date'], now: createdMs + 10 * MINUTE })
    expect(await next()).toBeGreaterThan(40 * SECOND)
  })

  test('ten thousand are open at most; nobody is sent to pay beyond them', async () => {
    const open = async (count: number) => {
      await opened.redis.flushall()
      const pipeline = opened.redis.pipeline()
      for (let at = 0; at < count; at++) pipeline.zadd(KEYS.checkouts, 1, String(at))
      await pipeline.exec()
      const ports = { cards, provider, answers, clock: realClock }
      const order = { sku: 'SKU_TOR_MCP_PRO', buyerId: 'buyer' }
      const begun = await openCheckout(order, BUYER, { ...ports, goods: boards(7) })
      return isProblem(begun) ? begun.problem : 'opened'
    }
    const before = till.sales().length
    expect([await open(9_999), await open(10_000)]).toEqual(['opened', 'busy'])
    expect(till.sales()).toHaveLength(before + 1)
  })

  test('one address has a share of all, an IPv6 /48 another; others buy; what is paid or ended makes room', async () => {
    const limits = { open: 9, perAddress: 2, perSite: 3, unpaidKept: 9 }
    const ports = { cards: createCardLedger(opened.redis, limits), provider, answers, clock: realClock }
    const open = async (address: string) => {
      const order = { sku: 'SKU_TOR_MCP_PRO', buyerId: 'buyer' }
      const begun = await openCheckout(order, { buyer: 'buyer', address }, { ...ports, goods: boards(7) })
      return isProblem(begun) ? begun.problem : begun.checkout
    }
    const of = (net: string, host = 1) => `2001:0db8:0001:${net}:0000:0000:0000:000${host}`
    const [first, , third] = [await open(of('000a', 1)), await open(of('000a', 2)), await open(of('000a', 3))]
    expect(third).toBe('too_many_checkouts')
    expect(await open(of('000b'))).toMatchObject({ sku: 'SKU_TOR_MCP_PRO' })
    expect(await open(of('000c'))).toBe('too_many_checkouts') //  the /48 already has its three
    expect(await open('2001:0db8:0002:000a:0000:0000:0000:0001')).toMatchObject({ sku: 'SKU_TOR_MCP_PRO' })
    expect(await open('203.0.113.7')).toMatchObject({ sku: 'SKU_TOR_MCP_PRO' })
    const keys = await opened.redis.keys('*')
    const rows = keys.filter((key) => key.startsWith(KEYS.checkout('')))
    const kept = [keys, await Promise.all(rows.map((row) => opened.redis.hgetall(row)))]
    expect(JSON.stringify(kept), 'an address in the clear').not.toMatch(/2001:0?db8|203\.0\./)
    if (typeof first === 'string') throw new Error(first)
    till.act(first.sessionId, 'pay')
    await refresh((await cards.find(first.digest))!, { gapMs: 0 }, how())
    expect(await open(of('000c'))).toMatchObject({ sku: 'SKU_TOR_MCP_PRO' })
    expect((await cards.find(first.digest))!.from).toBeNull() //  where a paid one came from is not kept either
  })

  test('a provider that is away uses up no share', async () => {
    const limits = { open: 9, perAddress: 1, perSite: 1, unpaidKept: 9 }
    const away = {
      ...provider,
      open: () => Promise.reject(new UnavailableError('card_provider_unavailable', 'away')),
    }
    const ports = {
      cards: createCardLedger(opened.redis, limits),
      answers,
      clock: realClock,
      goods: boards(7),
    }
    const order = { sku: 'SKU_TOR_MCP_PRO', buyerId: 'buyer' }
    await expect(openCheckout(order, BUYER, { ...ports, provider: away })).rejects.toThrow('away')
    expect(await openCheckout(order, BUYER, { ...ports, provider })).toHaveProperty('checkout')
  })

  test('a long answer is not kept until it is paid: it is drawn again from its input', async () => {
    const order = { sku: 'SKU_INQUIRY_01', buyerId: 'buyer', payload: { q: 'fed '.repeat(2_000) } }
    const begun = await openCheckout(order, BUYER, {
      cards,
      provider,
      answers,
      clock: realClock,
      goods: boards(7),
    })
    if (isProblem(begun)) throw new Error(begun.problem)
    const { digest, sessionId } = begun.checkout
    const known = (await cards.find(digest))!
    expect([known.draft, known.input?.length]).toEqual([null, expect.any(Number)])
    till.act(sessionId, 'pay')
    const look = async (goods: GoodPorts | null) => {
      const how: RefreshPorts = { cards, provider, answers, clock: realClock, log: quietLog, goods }
      const after = await refresh((await cards.find(digest))!, { gapMs: 0 }, how)
      return isProblem(after) ? after.problem : [after.status, after.claimed]
    }
    expect(await look(null)).toEqual(['paid', false])
    expect(await look(boards(12))).toEqual(['paid', true])
  })
})
