import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  CARD_LIMITS,
  type CardSale,
  type Checkout,
  cardKey,
  createCardLedger,
  type Undone,
} from '../../../api/ledger/cards.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import type { Sale } from '../../../api/ledger/ledger.ts'
import { createReferralLedger } from '../../../api/ledger/referrals.ts'
import { cardMoney } from '../../../api/ledger/strays.ts'
import { openLedger, someTerms } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

const HOUR = 3_600_000

let server: TestRedis
let opened: ReturnType<typeof openLedger>
let cards: ReturnType<typeof createCardLedger>
let referrals: ReturnType<typeof createReferralLedger>
beforeAll(async () => {
  server = await startRedis({ appendfsync: 'always' })
  opened = openLedger(server.url)
  cards = createCardLedger(opened.redis)
  referrals = createReferralLedger(opened.redis)
})
beforeEach(() => opened.redis.flushall())
afterAll(async () => {
  opened?.close()
  await server?.stop()
})

const DIGEST = 'd'.repeat(64)
const GRANT = `grant:unlock:${'e'.repeat(64)}`
const undone: Undone = {
  issued: { kind: 'unlock', digest: 'e'.repeat(64) },
  entry: { eventId: 'reversal', attestationId: 'receipt-1' } as Sale,
}
const sale: CardSale = {
  terms: someTerms({ purchasePath: 'card', via: 'card', sku: 'SKU_TOR_MCP_PRO' }),
  tx: 'pi_1',
  paidMs: 5,
}
const begin = async (change: Partial<Checkout> = {}): Promise<Checkout> => {
  const nowMs = Date.now()
  await cards.open({
    digest: DIGEST,
    sku: 'SKU_TOR_MCP_PRO',
    amountMicroUsdc: 12_350_000n,
    agent: '',
    referral: '',
    from: null,
    sessionId: 'cs_1',
    url: 'http://127.0.0.1/c',
    requestHash: 'r',
    input: null,
    draft: '{}',
    createdMs: nowMs,
    expiresMs: nowMs + HOUR,
    ...change,
  })
  return (await cards.find(DIGEST))!
}
const look = async (digest = DIGEST): Promise<number> => (await cards.look(digest, 0, 1_000))!
const state = () => opened.redis.hget(`claim:${cardKey(DIGEST)}`, 'state')
const undelivered = () => opened.redis.zrange('claims:undelivered', '0', '-1')
const lookedAfter = () => opened.redis.zcard('cards:open')
const reversals = () => opened.redis.xlen('sales')
const keptDays = async (key: string) => {
  const ttlMs = await opened.redis.pttl(key)
  return ttlMs < 0 ? ttlMs : Math.round(ttlMs / (24 * HOUR))
}

describe('OPS-19 of two looks the later one stands', () => {
  test('a look that began before another one was booked is stale', async () => {
    const checkout = await begin()
    const [early, late] = [await look(), await look()]
    expect(await cards.end(checkout, late, 'refunded', undone)).toBe('booked')
    expect(await cards.paid(checkout, early, sale, undone)).toBe('stale')
    expect((await cards.find(DIGEST))!.status).toBe('refunded')
    expect(await state()).toBeNull()
  })

  test('the same look booked twice counts once', async () => {
    const checkout = await begin({ referral: 'r1' })
    const only = await look()
    expect(await cards.paid(checkout, only, sale, undone)).toBe('claimed')
    expect(await cards.paid(checkout, only, sale, undone)).toBe('stale')
    expect(await cards.end(checkout, only, 'refunded', undone)).toBe('stale')
    expect(await referrals.earnings('r1')).toMatchObject({ sales: 1, earnedMicro: 617_500n })
  })

  test.each(['expired', 'refunded'] as const)('one that ended %s is looked after no more', async (status) => {
    const checkout = await begin()
    expect(await lookedAfter()).toBe(1)
    await cards.end(checkout, await look(), status, undone)
    expect(await lookedAfter()).toBe(0)
  })

  test('nobody looks twice within the gap; an unknown checkout is not looked at', async () => {
    await begin()
    expect(await cards.look(DIGEST, HOUR, 0)).not.toBeNull()
    expect(await cards.look(DIGEST, HOUR, 0)).toBeNull()
    expect(await cards.look('f'.repeat(64), 0, 0)).toBeNull()
  })

  test('a clock that was set back keeps nobody from looking: an event is worked off, and never sent again', async () => {
    await begin()
    await opened.redis.hset(`card:checkout:${DIGEST}`, 'lookedMs', Date.now() + HOUR)
    expect(await look()).not.toBeNull()
  })
})

describe('OPS-19 one claim per checkout, for ever', () => {
  test('paid again after the answer was forgotten: no second claim', async () => {
    const checkout = await begin()
    expect(await cards.paid(checkout, await look(), sale, undone)).toBe('claimed')
    await opened.redis.del(`claim:${cardKey(DIGEST)}`, 'claims:undelivered')
    expect(await cards.paid(checkout, await look(), sale, undone)).toBe('paid')
    expect([await state(), await undelivered()]).toEqual([null, []])
  })

  test('without the input nothing is claimed; with it, once', async () => {
    const checkout = await begin({ draft: null })
    expect(await cards.paid(checkout, await look(), null, undone)).toBe('paid')
    expect((await cards.find(DIGEST))!.claimed).toBe(false)
    expect(await cards.undrawnSinceMs(), 'it waits for its buyer, not for us').toBeNull()
    expect(await cards.paid(checkout, await look(), sale, undone)).toBe('claimed')
    expect(await opened.ledger.find(cardKey(DIGEST))).toMatchObject({
      state: 'settled',
      purchasePath: 'card',
      settled: { tx: 'pi_1', blockMs: 5 },
    })
    expect(await opened.redis.hexists(`card:checkout:${DIGEST}`, 'draft')).toBe(0)
  })

  test('DATA-17 the claim has answer and input now: the checkout, which is kept for longer, has neither', async () => {
    const checkout = await begin({ draft: '{"result":{}}', input: '{"q":"fed"}' })
    expect(await cards.paid(checkout, await look(), sale, undone)).toBe('claimed')
    expect(await cards.find(DIGEST)).toMatchObject({ draft: null, input: null })
  })

  test('a checkout that nobody opened cannot be paid or ended', async () => {
    const checkout = await begin()
    await opened.redis.flushall()
    expect(await cards.paid(checkout, 1, sale, undone)).toBe('unknown')
    expect(await cards.end(checkout, 1, 'expired', undone)).toBe('unknown')
  })
})

describe('OPS-19 the money goes back', () => {
  test('before the answer: it will never be given, and is given after all when the money comes again', async () => {
    const checkout = await begin()
    await cards.paid(checkout, await look(), sale, undone)
    expect([await state(), await undelivered()]).toEqual(['settled', [cardKey(DIGEST)]]) //  the worker answers it
    await cards.end(checkout, await look(), 'refunded', undone)
    expect([await state(), await undelivered(), await reversals()]).toEqual(['void', [], 0])
    await cards.paid(checkout, await look(), null, undone)
    expect([await state(), await undelivered(), await reversals()]).toEqual(['settled', [cardKey(DIGEST)], 0])
  })

  test('after the answer: what was issued ends now, once, and gets its own end back', async () => {
    const checkout = await begin()
    await cards.paid(checkout, await look(), sale, undone)
    await opened.redis.hset(`claim:${cardKey(DIGEST)}`, 'body', '{}')
    await opened.redis.hset(GRANT, { sku: 'SKU_TOR_MCP_PRO', expires: '9000000000000' })
    const expires = async () => Number(await opened.redis.hget(GRANT, 'expires'))
    await cards.end(checkout, await look(), 'refunded', undone)
    expect(await expires()).toBeLessThanOrEqual(Date.now())
    await cards.end(checkout, await look(), 'refunded', undone)
    expect(await reversals()).toBe(1)
    await cards.paid(checkout, await look(), null, undone)
    await cards.paid(checkout, await look(), null, undone)
    expect(await opened.redis.hgetall(GRANT)).toEqual({ sku: 'SKU_TOR_MCP_PRO', expires: '9000000000000' })
    expect(await reversals()).toBe(2)
  })
})

describe('what a code has brought', () => {
  test('is nothing where the money had gone back before anybody looked', async () => {
    const checkout = await begin({ referral: 'r1' })
    await cards.end(checkout, await look(), 'refunded', undone)
    expect(await referrals.earnings('r1')).toMatchObject({ sales: 0, earnedMicro: 0n })
  })

  test('goes back with the money and comes again with it, each time once', async () => {
    const checkout = await begin({ referral: 'r1' })
    const brought: bigint[] = []
    const note = async () => brought.push((await referrals.earnings('r1')).earnedMicro)
    await cards.paid(checkout, await look(), sale, undone)
    await note()
    for (const _ of ['goes', 'is gone']) {
      await cards.end(checkout, await look(), 'refunded', undone)
      await note()
    }
    for (const _ of ['comes', 'is there']) {
      await cards.paid(checkout, await look(), null, undone)
      await note()
    }
    expect(brought).toEqual([617_500n, 0n, 0n, 617_500n, 617_500n])
  })
})

describe('I19, RCP-07 the receipt of a sale whose money went back is revoked', () => {
  const revoked = () => opened.ledger.revokedMs('receipt-1')
  test.each<[string, (claim: string) => Promise<unknown>]>([
    ['its answer is there', (claim) => opened.redis.hset(claim, 'body', '{}')],
    ['its answer was forgotten', (claim) => opened.redis.del(claim)],
  ])('%s: until the money comes again', async (_, answered) => {
    const checkout = await begin()
    await cards.paid(checkout, await look(), sale, undone)
    await answered(`claim:${cardKey(DIGEST)}`)
    expect(await revoked()).toBeNull()
    const beforeMs = Date.now() - 1_000
    await cards.end(checkout, await look(), 'refunded', undone)
    const sinceMs = await revoked()
    expect(sinceMs).toBeGreaterThan(beforeMs)
    expect(await opened.redis.pttl('revoked:receipt-1')).toBe(-1) //  for ever: so long a receipt can be checked
    await cards.end(checkout, await look(), 'refunded', undone)
    expect(await revoked()).toBe(sinceMs)
    await cards.paid(checkout, await look(), null, undone)
    expect(await revoked()).toBeNull()
  })

  test('no receipt, nothing to revoke: unpaid, never claimed, not answered', async () => {
    const checkout = await begin({ draft: null })
    await cards.end(checkout, await look(), 'expired', undone)
    await cards.paid(checkout, await look(), null, undone)
    await cards.end(checkout, await look(), 'refunded', undone)
    await cards.paid(checkout, await look(), sale, undone)
    await cards.end(checkout, await look(), 'refunded', undone)
    expect([await state(), await revoked()]).toEqual(['void', null])
  })
})

describe('DATA-17 a claim whose money went back before it was answered', () => {
  test('is kept with its checkout, and without an end again once the money is back', async () => {
    const claim = `claim:${cardKey(DIGEST)}`
    const checkout = await begin()
    await cards.paid(checkout, await look(), sale, undone)
    expect(await keptDays(claim)).toBe(-1)
    await opened.redis.pexpire(`card:checkout:${DIGEST}`, 500 * 24 * HOUR)
    await cards.end(checkout, await look(), 'refunded', undone)
    const reason = () => opened.redis.hget(claim, 'reason')
    expect([await state(), await reason(), await keptDays(claim)]).toEqual(['void', 'refunded', 500])
    await cards.paid(checkout, await look(), null, undone)
    expect([await state(), await reason(), await keptDays(claim)]).toEqual(['settled', null, -1])
  })
})

describe('I7 the request that a checkout is known by', () => {
  test('is the one it was opened with until it is claimed, then the one that was answered', async () => {
    const checkout = await begin({ draft: null })
    await cards.paid(checkout, await look(), null, undone)
    expect((await cards.find(DIGEST))!.requestHash).toBe('r')
    await cards.paid(checkout, await look(), sale, undone)
    expect((await cards.find(DIGEST))!.requestHash).toBe(sale.terms.fingerprint)
  })
})

describe('who is looked after', () => {
  test('open ones, until they are paid or end', async () => {
    const checkout = await begin()
    expect(await cards.due(Date.now() + HOUR, 10)).toEqual([DIGEST])
    expect(await cards.due(Date.now(), 10)).toEqual([])
    await cards.paid(checkout, await look(), sale, undone)
    expect([await cards.due(Date.now() + HOUR, 10), await lookedAfter()]).toEqual([[], 0])
    await look() //  its buyer fetches it
    expect(await lookedAfter()).toBe(0)
  })

  test('one that is forgotten is taken off the list by the next look', async () => {
    await begin()
    await opened.redis.del(`card:checkout:${DIGEST}`)
    await cards.look(DIGEST, 0, 0)
    expect(await lookedAfter()).toBe(0)
  })

  test('a paid one is kept for longer than money can come back', async () => {
    const checkout = await begin()
    const days = () => keptDays(`card:checkout:${DIGEST}`)
    expect(await days()).toBe(-1) //  for as long as it is followed
    await cards.paid(checkout, await look(), sale, undone)
    expect(await days()).toBe(540)
  })

  test.each([
    [
      'it ended unpaid',
      30,
      async (one: Checkout) => void (await cards.end(one, await look(), 'expired', undone)),
    ],
    [
      'its money came and went',
      540,
      async (one: Checkout) => void (await cards.end(one, await look(), 'refunded', undone)),
    ],
    ['it is followed no longer', 30, async ({ digest }: Checkout) => await cards.unlook(digest)],
    [
      'credit was granted for its money',
      540,
      async (one: Checkout) => {
        await opened.redis.set(KEYS.spent(cardMoney(one.sessionId)), 'by hand')
        expect(await cards.paid(one, await look(), sale, undone)).toBe('taken')
      },
    ],
  ])(
    'an open one is kept until %s; then for %d days, and while it is followed again',
    async (_, kept, ends) => {
      const checkout = await begin()
      const days = () => keptDays(`card:checkout:${DIGEST}`)
      expect(await days()).toBe(-1)
      await ends(checkout)
      expect([await days(), await lookedAfter()]).toEqual([kept, 0])
      const isBooked = (await cards.find(DIGEST))!.status === 'refunded'
      await cards.lookAgain(DIGEST, Date.now())
      await look()
      expect([await days(), await lookedAfter()]).toEqual([isBooked ? kept : -1, 1])
      await cards.unlook(DIGEST)
      expect([await days(), await lookedAfter()]).toEqual([isBooked ? kept : 30, 0])
    },
  )

  test('one of the version before, which would expire while it is followed, is kept from the next look on', async () => {
    await begin()
    await opened.redis.pexpire(`card:checkout:${DIGEST}`, HOUR)
    await look()
    expect(await keptDays(`card:checkout:${DIGEST}`)).toBe(-1)
  })

  test('a paid one is not kept longer because its buyer looks', async () => {
    const checkout = await begin()
    await cards.paid(checkout, await look(), sale, undone)
    await opened.redis.pexpire(`card:checkout:${DIGEST}`, 500 * 24 * HOUR)
    await cards.paid(checkout, await look(), null, undone)
    expect(await keptDays(`card:checkout:${DIGEST}`)).toBe(500)
  })

  test('of those that ended unpaid so many are known, and the one that ended first is forgotten; no other ever is', async () => {
    const few = createCardLedger(opened.redis, { ...CARD_LIMITS, unpaidKept: 2 })
    const digests = ['open', 'late', '1', '2', '3'].map((name) => name.padEnd(64, '0'))
    for (const digest of digests) await begin({ digest })
    const [, late, ...unpaid] = digests as [string, string, ...string[]]
    const end = async (digest: string, status: 'expired' | 'refunded' = 'expired') =>
      few.end((await few.find(digest))!, await look(digest), status, undone)
    await end(late)
    await few.paid((await few.find(late))!, await look(late), sale, undone) //  a slow payment
    expect(await opened.redis.zcard('cards:ended')).toBe(0)
    await opened.redis.zadd('cards:ended', 1, late) //  as an earlier version booked the payment
    for (const digest of unpaid) expect(await end(digest)).toBe('booked')
    const known = async () =>
      (await Promise.all(digests.map((digest) => few.find(digest)))).map((row) => row?.status)
    expect(await known()).toEqual(['open', 'paid', undefined, 'expired', 'expired'])
    await end(late, 'refunded')
    await end(digests[0]!)
    expect(await known()).toEqual(['expired', 'refunded', undefined, undefined, 'expired'])
    expect(await opened.redis.zcard('cards:ended')).toBe(2)
    await end(unpaid[2]!, 'refunded') //  money that came and went between two looks
    expect(await opened.redis.zcard('cards:ended')).toBe(1)
  })

  test('one address has its share of room until what it opened cannot be paid any more', async () => {
    const two = createCardLedger(opened.redis, { ...CARD_LIMITS, perAddress: 2 })
    const room = (digest: string, expiresMs: number, place = 'here') =>
      two.room(digest.padEnd(64, '0'), { place, site: 'around' }, expiresMs)
    const soonMs = Date.now() + 150
    expect([await room('a', soonMs), await room('b', soonMs + HOUR)]).toEqual(['room', 'room'])
    expect(await room('c', soonMs + HOUR, 'there')).toBe('room')
    expect(await room('b', soonMs + HOUR)).toBe('room') //  its reply was lost
    await expect.poll(() => room('d', soonMs + HOUR)).toBe('room')
    expect(await room('e', soonMs + HOUR)).toBe('share')
    for (const list of ['cards:at:here', 'cards:around:around']) {
      const leftMs = await opened.redis.pttl(list)
      expect(leftMs).toBeGreaterThan(0) //  -1 would mean: kept for ever
      expect(leftMs).toBeLessThanOrEqual(HOUR + 150)
    }
  })

  test('what a referral earned is kept until it is paid out; when its money went back, for as long as it may return', async () => {
    const checkout = await begin({ referral: 'r'.repeat(64) })
    const leftMs = () => opened.redis.pttl(`referral:${'r'.repeat(64)}`)
    await cards.paid(checkout, await look(), sale, undone)
    expect(await leftMs()).toBe(-1)
    await cards.end(checkout, await look(), 'refunded', undone)
    expect(await keptDays(`referral:${'r'.repeat(64)}`)).toBe(540)
    await cards.paid(checkout, await look(), null, undone)
    expect(await leftMs()).toBe(-1)
  })
})
