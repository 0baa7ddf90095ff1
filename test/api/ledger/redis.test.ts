import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { durabilityProblem } from '../../../api/ledger/durability.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { authorizationKey, type Delivery, transferKey } from '../../../api/ledger/ledger.ts'
import { createRedisLedger } from '../../../api/ledger/redis.ts'
import { SETTLED_CHANNEL } from '../../../api/ledger/waiters.ts'
import { DAY, HOUR } from '../../../ops/units.ts'
import { openLedger, somePayment, someSettled, someTerms } from '../../support/ledger.ts'
import { startRedis } from '../../support/redis.ts'

let server: Awaited<ReturnType<typeof startRedis>>
let one: ReturnType<typeof openLedger>
let two: ReturnType<typeof openLedger>
beforeAll(async () => {
  server = await startRedis({ appendfsync: 'always' })
  one = openLedger(server.url)
  two = openLedger(server.url)
})
afterAll(async () => {
  one.close()
  two.close()
  await server.stop()
})

let seeds = 1
const fresh = () => {
  const payment = somePayment(seeds++)
  return { payment, key: authorizationKey(payment) }
}
const listedIn = async (key: string) => {
  const lists = ['claims:settling', 'claims:watched']
  const scores = await Promise.all(lists.map((list) => one.redis.zscore(list, key)))
  return lists.filter((_, index) => scores[index] !== null)
}
const delivery = (text: string): Delivery => ({
  body: `{"ok":true,"text":"${text}"}`,
  paymentResponse: `pr-${text}`,
  attestationId: `att-${text}`,
  attestation: '{}',
  sale: { eventId: text } as Delivery['sale'],
  grant: null,
})

describe('I2 one authorization, one sale', () => {
  test('64 claims of one payment over two processes: one wins, the others wait for it', async () => {
    const { key, payment } = fresh()
    const outcomes = await Promise.all(
      Array.from({ length: 64 }, (_, i) =>
        (i % 2 ? one : two).ledger.claim(key, `owner-${i}`, someTerms(), payment),
      ),
    )
    expect(outcomes.filter((outcome) => outcome === 'won')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'settling')).toHaveLength(63)
  })

  test('E1 a repeated call of the same owner (lost reply) is the same claim, not a second one', async () => {
    const { key, payment } = fresh()
    expect(await one.ledger.claim(key, 'me', someTerms(), payment)).toBe('won')
    expect(await one.ledger.claim(key, 'me', someTerms(), payment)).toBe('won')
    expect(await two.ledger.claim(key, 'you', someTerms(), payment)).toBe('settling')
  })

  test.each([
    ['RPL-06 another path', { fingerprint: 'other' }],
    ['RPL-11 another authorization under the same nonce', { paymentHash: 'other' }],
  ])('%s is bound elsewhere, in every state', async (_, change) => {
    const { key, payment } = fresh()
    const other = () => two.ledger.claim(key, 'you', someTerms(change), payment)
    await one.ledger.claim(key, 'me', someTerms(), payment)
    expect(await other()).toBe('bound')
    await one.ledger.recordSettled(key, someSettled(seeds), 8453)
    expect(await other()).toBe('bound')
    await one.ledger.deliver(key, delivery(key))
    expect(await other()).toBe('bound')
  })

  test('FAC-08 one transfer never settles two claims', async () => {
    const [first, second] = [fresh(), fresh()]
    const settled = someSettled(9_000)
    for (const { key, payment } of [first, second]) await one.ledger.claim(key, 'me', someTerms(), payment)
    expect(await one.ledger.recordSettled(first.key, settled, 8453)).toBe('recorded')
    expect(await one.ledger.recordSettled(second.key, settled, 8453)).toBe('taken')
    expect((await one.ledger.find(second.key))?.state).toBe('void')
    expect(await one.ledger.recordSettled(first.key, settled, 8453)).toBe('already')
  })

  test('RPL-15, CLS-01 a transfer booked by one purchase path is spent for the other', async () => {
    const { key, payment } = fresh()
    const settled = someSettled(9_100)
    await one.ledger.claim(key, 'me', someTerms(), payment)
    await one.ledger.recordSettled(key, settled, 8453)
    const legacy = transferKey(8453, settled.tx, settled.logIndex)
    expect(await one.ledger.claimTransfer(legacy, someTerms({ purchasePath: 'legacy' }), settled, 8453)).toBe(
      'taken',
    )
  })

  test('rows from when transfers were named by their place in the block: spent is spent, on both paths', async () => {
    const settled = { ...someSettled(9_300), logIndex: 1, blockIndex: 58 }
    await one.redis.set(`spent:tx:8453:${settled.tx}:58`, 'auth:before')
    const legacy = transferKey(8453, settled.tx, 1)
    expect(await one.ledger.claimTransfer(legacy, someTerms({ via: 'transfer' }), settled, 8453)).toBe(
      'taken',
    )
    const { key, payment } = fresh()
    await one.ledger.claim(key, 'me', someTerms(), payment)
    expect(await one.ledger.recordSettled(key, settled, 8453)).toBe('taken')
    const beside = { ...settled, logIndex: 58, blockIndex: 115 } // another transfer, though its new index looks like the row's
    const other = transferKey(8453, settled.tx, 58)
    expect(await one.ledger.claimTransfer(other, someTerms({ via: 'transfer' }), beside, 8453)).toBe('won')
  })

  test('CLS-03, I4 without its sender’s word a transfer is for who says alone for long enough that it is his', async () => {
    const settled = someSettled(9_710)
    const key = transferKey(8453, settled.tx, settled.logIndex)
    const asked = (client: typeof one, paymentHash: string, objectionMs: number) =>
      client.ledger.claimTransfer(key, someTerms({ paymentHash }), settled, 8453, objectionMs)
    expect(await asked(one, 'hers', 60_000)).toBeGreaterThan(59_000)
    expect(await asked(two, 'hers', 60_000)).toBeLessThanOrEqual(60_000)
    expect(await one.ledger.find(key)).toBeNull()
    expect(await one.redis.pttl(KEYS.contenders(key))).toBeGreaterThan(30 * DAY)
    for (const name of ['his', 'theirs', 'hers']) expect(await asked(one, name, 1), name).toBe('contended')
    expect(await one.redis.zcard(KEYS.contenders(key))).toBe(2)
    expect(await one.redis.pttl(KEYS.contenders(key))).toBeGreaterThan(30 * DAY)
    const say = { fingerprint: 'fp', paymentHash: 'his' }
    expect(await two.ledger.showTransfer(key, say, settled, 8453, 0)).toBe('open')
    expect(await one.ledger.find(key)).toBeNull()
    expect(await asked(two, 'his', 0)).toBe('won')
    expect(await one.redis.exists(KEYS.contenders(key))).toBe(0)
    expect(await asked(one, 'hers', 0)).toBe('bound')
  })

  test('who shows it with his signature first is remembered, though he cannot be answered yet', async () => {
    const settled = someSettled(9_730)
    const key = transferKey(8453, settled.tx, settled.logIndex)
    const say = (paymentHash: string, ms: number) =>
      one.ledger.showTransfer(key, { fingerprint: 'fp', paymentHash }, settled, 8453, ms)
    expect(await say('hers', 0)).toBe('open')
    expect(await one.redis.pttl(KEYS.contenders(key))).toBeGreaterThan(30 * DAY)
    expect(await say('his', 1)).toBe('contended')
  })

  test('a clock of the ledger that steps back makes nobody wait for longer', async () => {
    const settled = someSettled(9_740)
    const key = transferKey(8453, settled.tx, settled.logIndex)
    const claim = () => one.ledger.claimTransfer(key, someTerms(), settled, 8453, 20_000)
    await claim()
    const [name] = await one.redis.zrange(KEYS.contenders(key), '0', '-1')
    await one.redis.zincrby(KEYS.contenders(key), HOUR, name!)
    expect(await claim()).toBeLessThanOrEqual(20_000)
  })

  test('who waits alone has it when the time is over, and not a moment sooner', async () => {
    const settled = someSettled(9_720)
    const key = transferKey(8453, settled.tx, settled.logIndex)
    const claim = () => one.ledger.claimTransfer(key, someTerms(), settled, 8453, 20_000)
    await claim()
    const [name] = await one.redis.zrange(KEYS.contenders(key), '0', '-1')
    await one.redis.zincrby(KEYS.contenders(key), -15_000, name!)
    expect(await claim()).toBeLessThanOrEqual(5_000)
    await one.redis.zincrby(KEYS.contenders(key), -5_000, name!)
    expect(await claim()).toBe('won')
    expect(await claim()).toBe('settled')
  })

  test('CLS-01 64 legacy claims of one transfer by two requests: one request gets it', async () => {
    const settled = someSettled(9_200)
    const key = transferKey(8453, settled.tx, settled.logIndex)
    const outcomes = await Promise.all(
      Array.from({ length: 64 }, (_, i) =>
        (i % 2 ? one : two).ledger.claimTransfer(key, someTerms({ fingerprint: `f${i % 2}` }), settled, 8453),
      ),
    )
    expect(outcomes.filter((outcome) => outcome === 'won')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'settled')).toHaveLength(31)
    expect(outcomes.filter((outcome) => outcome === 'bound')).toHaveLength(32)
  })
})

describe('I16 the first stored answer is the answer', () => {
  test('64 deliveries at once: all get the same bytes, one journal entry', async () => {
    const { key, payment } = fresh()
    await one.ledger.claim(key, 'me', someTerms(), payment)
    await one.ledger.recordSettled(key, someSettled(seeds), 8453)
    const before = await one.redis.xlen(KEYS.sales)
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, i) => (i % 2 ? one : two).ledger.deliver(key, delivery(`answer-${i}`))),
    )
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(await one.redis.xlen(KEYS.sales)).toBe(before + 1)
  })

  test('I3 nothing is delivered before the money has moved', async () => {
    const { key, payment } = fresh()
    await one.ledger.claim(key, 'me', someTerms(), payment)
    expect(await one.ledger.deliver(key, delivery('early'))).toBe('not_settled')
    expect((await one.ledger.find(key))?.answer).toBeNull()
  })

  test('the payment with its signature is forgotten once it is answered', async () => {
    const { key, payment } = fresh()
    await one.ledger.claim(key, 'me', someTerms(), payment)
    expect((await one.ledger.find(key))?.payment).toEqual(payment)
    await one.ledger.recordSettled(key, someSettled(seeds), 8453)
    await one.ledger.deliver(key, delivery(key))
    const claim = await one.ledger.find(key)
    expect(claim?.payment).toBeNull()
    expect(claim?.answer?.body).toContain(key)
  })

  test('a receipt can be checked by its id alone for 400 days, however long its answer is kept', async () => {
    const { key, payment } = fresh()
    await one.ledger.claim(key, 'me', someTerms(), payment)
    await one.ledger.recordSettled(key, someSettled(seeds), 8453)
    const sold = delivery(key)
    await one.ledger.deliver(key, sold)
    expect(Math.round((await one.redis.pttl(KEYS.attestation(sold.attestationId))) / DAY)).toBe(400)
  })

  test('an answer is kept until 24 h after the authorization ends; an undecided claim has no end', async () => {
    const { key, payment } = fresh()
    await one.ledger.claim(key, 'me', someTerms(), payment)
    expect(await one.redis.pttl(`claim:${key}`)).toBe(-1)
    await one.ledger.recordSettled(key, someSettled(seeds), 8453)
    expect(await one.redis.pttl(`claim:${key}`)).toBe(-1)
    await one.ledger.deliver(key, delivery(key))
    const end = Date.now() + (await one.redis.pttl(`claim:${key}`))
    expect(end).toBeGreaterThanOrEqual(Number(payment.authorization.validBefore) * 1_000)
    expect(await one.redis.pttl(`spent:${transferKey(8453, someSettled(seeds).tx, 3)}`)).toBe(-1)
  })
})

describe('refused, void, taken over', () => {
  test('a refused claim may be tried again by the same request, and money that moves late still settles it', async () => {
    const { key, payment } = fresh()
    await one.ledger.claim(key, 'me', someTerms(), payment)
    expect(await one.ledger.recordRefused(key, 'insufficient_funds', 'refused')).toBe('recorded')
    expect((await one.ledger.list('watched', 1_000)).map((claim) => claim.key)).toContain(key)
    expect(await two.ledger.claim(key, 'me-again', someTerms(), payment)).toBe('won')
    await one.ledger.recordRefused(key, 'insufficient_funds', 'refused')
    expect(await one.ledger.recordSettled(key, someSettled(9_300), 8453)).toBe('recorded')
    expect((await one.ledger.list('watched', 1_000)).map((claim) => claim.key)).not.toContain(key)
  })

  test.each<['refused' | 'void']>([['refused'], ['void']])(
    'RPL-18 what is proven void stays void and ends, whoever says %s of it afterwards',
    async (end) => {
      const { key, payment } = fresh()
      await one.ledger.claim(key, 'me', someTerms(), payment)
      await one.ledger.recordRefused(key, 'insufficient_funds', 'refused')
      await one.ledger.recordRefused(key, 'nonce_used', 'void')
      expect(await one.ledger.recordRefused(key, 'expired', end)).toBe('void')
      expect(await one.ledger.find(key)).toMatchObject({ state: 'void', reason: 'nonce_used' })
      expect(await one.redis.pttl(`claim:${key}`)).toBeGreaterThan(0)
      expect(await listedIn(key)).toEqual([])
    },
  )

  test('RPL-12, RPL-18 a claim whose transfer paid for something else is void: in no list, and it ends', async () => {
    const [first, second] = [fresh(), fresh()]
    const settled = someSettled(9_700)
    for (const { key, payment } of [first, second]) await one.ledger.claim(key, 'me', someTerms(), payment)
    await one.ledger.recordSettled(first.key, settled, 8453)
    await one.ledger.recordRefused(second.key, 'transfer_failed', 'refused')
    expect(await listedIn(second.key)).toEqual(['claims:watched'])
    expect(await one.ledger.recordSettled(second.key, settled, 8453)).toBe('taken')
    expect(await listedIn(second.key)).toEqual([])
    const kept = await one.redis.pttl(`claim:${second.key}`)
    expect([kept > 0, kept <= 24 * 3_600_000]).toEqual([true, true])
    expect(await one.ledger.claim(second.key, 'you', someTerms(), second.payment)).toBe('void')
  })

  test('I10 a settled claim is never refused or voided', async () => {
    const { key, payment } = fresh()
    await one.ledger.claim(key, 'me', someTerms(), payment)
    await one.ledger.recordSettled(key, someSettled(9_400), 8453)
    expect(await one.ledger.recordRefused(key, 'expired', 'void')).toBe('settled')
    expect((await one.ledger.find(key))?.state).toBe('settled')
  })

  test('CRA-02 after the lease ran out another process takes the claim over and is told so', async () => {
    const { key, payment } = fresh()
    await one.ledger.claim(key, 'me', someTerms(), payment)
    expect(await two.ledger.claim(key, 'you', someTerms(), payment)).toBe('settling')
    await one.redis.hset(`claim:${key}`, 'lease', 1) // the lease of a process that died long ago
    expect(await two.ledger.claim(key, 'you', someTerms(), payment)).toBe('retake')
    expect(await one.ledger.claim(key, 'third', someTerms(), payment)).toBe('settling')
  })

  test('E1, CRA-02 the reply to who took it over is lost, and his client asks again: he is told the same', async () => {
    const { key, payment } = fresh()
    const claim = (owner: string) => one.ledger.claim(key, owner, someTerms(), payment)
    await claim('me')
    await one.redis.hset(`claim:${key}`, 'lease', 1)
    expect([await claim('you'), await claim('you')]).toEqual(['retake', 'retake'])
    await one.ledger.recordRefused(key, 'transfer_failed', 'refused')
    expect([await claim('me'), await claim('me')]).toEqual(['won', 'won'])
    await one.redis.hdel(`claim:${key}`, 'how') //  a row from before this was recorded: not known
    expect(await claim('me')).toBe('retake')
  })

  test('I5, CRA-02 whoever has lost the claim to another refuses it no more', async () => {
    const { key, payment } = fresh()
    const claim = (owner: string) => one.ledger.claim(key, owner, someTerms(), payment)
    const refuse = (owner: string) => one.ledger.recordRefused(key, 'bad_signature', 'refused', '', owner)
    await claim('me')
    await one.redis.hset(`claim:${key}`, 'lease', 1)
    await claim('you')
    expect([await refuse('me'), (await one.ledger.find(key))?.state]).toEqual(['taken_over', 'settling'])
    expect([await refuse('you'), (await one.ledger.find(key))?.state]).toEqual(['recorded', 'refused'])
  })

  test('I5 what our own settler has sent is not refused by who settles through a facilitator', async () => {
    const { key, payment } = fresh()
    const claim = (owner: string) => one.ledger.claim(key, owner, someTerms({ via: 'facilitator' }), payment)
    await claim('me')
    await one.redis.set(KEYS.fence, '8')
    await one.ledger.recordBroadcast([key], '0xdead', '8')
    expect(await one.ledger.recordRefused(key, 'insufficient_funds', 'refused', '', 'me')).toBe('taken_over')
    expect((await one.ledger.find(key))?.state).toBe('settling')
    expect(await one.ledger.recordRefused(key, 'nonce_used', 'refused')).toBe('recorded') //  the chain says so
  })

  test('I5 what was refused meanwhile is not sent: nothing of its neighbours is noted', async () => {
    const [refused, other] = [fresh(), fresh()]
    for (const { key, payment } of [refused, other]) await one.ledger.claim(key, 'me', someTerms(), payment)
    await one.redis.set(KEYS.fence, '8')
    await one.ledger.recordRefused(refused.key, 'insufficient_funds', 'refused', '', 'me')
    const keys = [other.key, refused.key]
    await expect(one.ledger.recordBroadcast(keys, '0xdead', '8')).rejects.toMatchObject({
      code: 'ledger_unavailable',
      retryable: true,
    })
    expect((await one.ledger.find(other.key))?.txs).toEqual([])
    //  resent with a higher fee: it is out already, and whoever looks for it must know every version
    expect(await one.ledger.recordBroadcast(keys, '0xdead', '8', 'again')).toBe(true)
    expect((await one.ledger.find(refused.key))?.txs).toEqual(['0xdead'])
    //  claimed again, it may be sent
    await one.ledger.claim(refused.key, 'you', someTerms(), refused.payment)
    expect(await one.ledger.recordBroadcast(keys, '0xbeef', '8')).toBe(true)
  })

  test('CRA-11, FAC-19 a settler that lost its term can neither note a broadcast nor refuse a claim', async () => {
    const { key, payment } = fresh()
    await one.ledger.claim(key, 'me', someTerms(), payment)
    await one.redis.set(KEYS.fence, '8')
    expect(await one.ledger.recordBroadcast([key], '0xdead', '7')).toBe(false)
    expect(await one.ledger.recordRefused(key, 'transfer_failed', 'refused', '7')).toBe('fenced')
    expect((await one.ledger.find(key))?.state).toBe('settling')
    expect(await one.ledger.recordBroadcast([key], '0xdead', '8')).toBe(true)
    expect(await one.ledger.recordBroadcast([key], '0xdead', '8')).toBe(true)
    expect(await one.ledger.recordBroadcast([key], '0xbeef', '8')).toBe(true)
    expect((await one.ledger.find(key))?.txs).toEqual(['0xdead', '0xbeef'])
  })

  test('whoever waits is told of the decision, and gets null when there is none', async () => {
    const { key, payment } = fresh()
    await one.ledger.claim(key, 'me', someTerms(), payment)
    const waiting = two.ledger.whenDecided(key, 10_000)
    await one.ledger.recordSettled(key, someSettled(9_500), 8453)
    expect((await waiting)?.state).toBe('settled')
    const other = fresh()
    await one.ledger.claim(other.key, 'me', someTerms(), other.payment)
    expect(await two.ledger.whenDecided(other.key, 30)).toBeNull()
  })

  test('every decision is said on the channel at once, and repeating it says nothing', async () => {
    const [settled, refused, spent] = [fresh(), fresh(), fresh()]
    for (const { key, payment } of [settled, refused, spent])
      await one.ledger.claim(key, 'me', someTerms(), payment)
    const said: string[] = []
    const listener = one.redis.duplicate()
    listener.on('message', (_, key: string) => said.push(key))
    await listener.subscribe(SETTLED_CHANNEL)
    for (let round = 0; round < 2; round++) {
      await one.ledger.recordSettled(settled.key, someSettled(9_510), 8453)
      await one.ledger.recordRefused(refused.key, 'nonce_used', 'void')
      if (round === 0) await one.ledger.recordSettled(spent.key, someSettled(9_510), 8453)
    }
    await one.redis.publish(SETTLED_CHANNEL, 'last')
    await expect.poll(() => said.at(-1), { timeout: 10_000 }).toBe('last')
    listener.disconnect()
    expect(said).toEqual([settled.key, refused.key, spent.key, 'last'])
  })

  test('RPL-18 whatever is decided leaves the lists of what is open, also where a list had it again', async () => {
    const [settled, refused, spent] = [fresh(), fresh(), fresh()]
    for (const { key, payment } of [settled, refused, spent])
      await one.ledger.claim(key, 'me', someTerms(), payment)
    const decide = () =>
      Promise.all([
        one.ledger.recordSettled(settled.key, someSettled(9_520), 8453),
        one.ledger.recordRefused(refused.key, 'nonce_used', 'void'),
      ])
    const lists = () => Promise.all([settled, refused, spent].map(({ key }) => listedIn(key)))
    expect(await decide()).toEqual(['recorded', 'recorded'])
    expect(await one.ledger.recordSettled(spent.key, someSettled(9_520), 8453)).toBe('taken')
    expect(await lists()).toEqual([[], [], []])
    for (const list of ['claims:settling', 'claims:watched'])
      await one.redis.zadd(list, 1, settled.key, 1, refused.key)
    expect(await decide()).toEqual(['already', 'void'])
    expect(await lists()).toEqual([[], [], []])
  })

  test('what is not known cannot be decided, and nothing is written of it', async () => {
    const { key } = fresh()
    expect(await one.ledger.recordSettled(key, someSettled(9_530), 8453)).toBe('unknown')
    expect(await one.ledger.recordRefused(key, 'nonce_used', 'void')).toBe('unknown')
    expect([await one.ledger.find(key), await one.redis.exists(KEYS.claim(key))]).toEqual([null, 0])
  })
})

describe('RPL-18 lists of claims', () => {
  const LIST = 'claims:watched'
  const listed = async (dueMs?: number) => (await one.ledger.list('watched', 2, dueMs)).map(({ key }) => key)

  test('longest due first; one that is postponed comes behind; what is decided is not put back', async () => {
    await one.redis.del(LIST)
    const keys: string[] = []
    for (const validBefore of [10n, 20n, 30n]) {
      const payment = somePayment(seeds++, validBefore)
      keys.push(authorizationKey(payment))
      await one.ledger.claim(authorizationKey(payment), 'me', someTerms(), payment)
      await one.ledger.recordRefused(authorizationKey(payment), 'expired', 'refused')
    }
    const [a, b, c] = keys as [string, string, string]
    expect(await listed()).toEqual([a, b])
    await one.ledger.postpone('watched', a, 30_001)
    expect(await listed()).toEqual([b, c])
    expect(await listed(30_000)).toEqual([b, c])
    await one.ledger.recordRefused(b, 'expired', 'void')
    expect([await listed(30_000), await listed(30_001)]).toEqual([[c], [c, a]])
    await one.ledger.postpone('watched', b, 5)
    expect(await listed()).toEqual([c, a])
  })

  test('DATA-08 one whose row is broken is left out, told of once, and stands behind the others until it is repaired', async () => {
    await one.redis.del(LIST)
    const told: string[] = []
    const news = one.redis.duplicate()
    const ledger = createRedisLedger(one.redis, news, {
      answerTtlMs: 1,
      onBroken: (key, which) => told.push(`${which} ${key}`),
    })
    const keys: string[] = []
    for (const _ of 'abc') {
      const { key, payment } = fresh()
      await one.ledger.claim(key, 'me', someTerms(), payment)
      await one.redis.zadd(LIST, keys.length, key)
      keys.push(key)
    }
    const [a, b, c] = keys as [string, string, string]
    await one.redis.hset(`claim:${a}`, 'amount', 'wrong')
    const lists = async () => (await ledger.list('watched', 2)).map(({ key }) => key)
    expect([await lists(), await lists(), await lists()]).toEqual([[b], [b, c], [b, c]])
    expect(told).toEqual([`watched ${a}`])
    expect(await one.redis.zrange(LIST, '0', '-1')).toEqual([b, c, a])
    await one.redis.hset(`claim:${a}`, 'amount', '1000')
    expect((await ledger.list('watched', 3)).map(({ key }) => key)).toEqual([b, c, a])
    news.disconnect()
  })

  test('a member without a claim takes nobody’s place a second time', async () => {
    await one.redis.del(LIST)
    const { key, payment } = fresh()
    await one.ledger.claim(key, 'me', someTerms(), payment)
    await one.ledger.recordRefused(key, 'expired', 'refused')
    await one.redis.zadd(LIST, 1, 'auth:gone', 2, 'auth:gone-too')
    expect(await listed()).toEqual([])
    expect(await listed()).toEqual([key])
  })
})

describe('I24, OPS-18 the ledger must be durable', () => {
  test('says nothing about appendfsync always and noeviction', async () => {
    expect(await one.ledger.problem()).toBeNull()
  })

  test.each([
    ['appendfsync', 'everysec', 'always'],
    ['maxmemory-policy', 'allkeys-lru', 'noeviction'],
    ['appendonly', 'no', 'yes'],
    ['no-appendfsync-on-rewrite', 'yes', 'no'],
    ['replica-read-only', 'no', 'yes'],
  ])('DATA-06, E2, E3 names %s when it is %s', async (setting, bad, good) => {
    await one.redis.config('SET', setting, bad)
    expect(await one.ledger.problem()).toContain(setting)
    await one.redis.config('SET', setting, good)
    await expect.poll(() => one.ledger.problem()).toBeNull()
  })

  test.each([
    ['loading:0', 'loading:1', 'the ledger is loading its data'],
    ['aof_last_write_status:ok', 'aof_last_write_status:err', 'the ledger could not write its log'],
  ])('DATA-10, DATA-16 of %s that is %s: %s', async (good, bad, problem) => {
    const info = async (section: 'persistence') => (await one.redis.info(section)).replace(good, bad)
    const config = one.redis.config.bind(one.redis)
    expect(await durabilityProblem({ config, info } as unknown as Redis)).toBe(problem)
  })

  test('DATA-10 it cannot save itself (MISCONF): nothing is written, the same may be asked again, and then it is done', async () => {
    const own = await startRedis({ appendfsync: 'always' })
    const client = openLedger(own.url)
    const { key, payment } = fresh()
    const claim = () => client.ledger.claim(key, 'me', someTerms(), payment)
    await mkdir(join(own.dir, 'dump.rdb')) //  in the place of the dump file, so that saving fails
    await client.redis.config('SET', 'save', '3600 1')
    await client.redis.bgsave()
    await expect.poll(() => client.redis.info('persistence')).toContain('rdb_last_bgsave_status:err')
    await expect(client.redis.set('any', '1')).rejects.toThrow('MISCONF')
    await expect(claim()).rejects.toMatchObject({ code: 'ledger_unavailable', retryable: true })
    expect(await client.ledger.find(key)).toBeNull()
    await client.redis.config('SET', 'save', '')
    expect(await claim()).toBe('won')
    client.close()
    await own.stop()
  })

  test('RPL-05 a claim, its registry row and its answer are there after kill -9 of the store', async () => {
    const own = await startRedis({ appendfsync: 'always' })
    const client = openLedger(own.url)
    const { key, payment } = fresh()
    const settled = someSettled(9_600)
    await client.ledger.claim(key, 'me', someTerms(), payment)
    await client.ledger.recordSettled(key, settled, 8453)
    const answer = await client.ledger.deliver(key, delivery('kept'))
    await own.kill()
    await expect(client.ledger.find(key)).rejects.toMatchObject({
      code: 'ledger_unavailable',
      retryable: true,
    })
    await own.restart()
    await expect
      .poll(() => client.ledger.find(key).catch(() => null), { timeout: 10_000 })
      .toMatchObject({ state: 'settled', answer })
    const legacy = transferKey(8453, settled.tx, settled.logIndex)
    expect(await client.ledger.claimTransfer(legacy, someTerms(), settled, 8453)).toBe('taken')
    client.close()
    await own.stop()
  })
})
