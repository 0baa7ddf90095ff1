import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type CreditBooking,
  type CreditHolder,
  createCreditLedger,
  type Deposit,
} from '../../../api/ledger/credits.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { named, openLedger, someTerms } from '../../support/ledger.ts'
import { startRedis } from '../../support/redis.ts'

let server: Awaited<ReturnType<typeof startRedis>>
let store: ReturnType<typeof openLedger>
let credits: ReturnType<typeof createCreditLedger>
beforeAll(async () => {
  server = await startRedis({ appendfsync: 'always' })
  store = openLedger(server.url)
  credits = createCreditLedger(store.redis)
})
afterAll(async () => {
  store.close()
  await server.stop()
})

let seeds = 0
const USD = 1_000_000n
const fresh = (prefix: string) => `${prefix}${seeds++}`
const someHolder = (): CreditHolder => ({ account: fresh('account'), auth: 'secret' })
const funded = async (micro: bigint): Promise<CreditHolder> => {
  const holder = someHolder()
  await credits.deposit(fresh('lot'), micro, holder.account, holder.auth)
  return holder
}
const spend = (holder: CreditHolder, micro: bigint, operation = fresh('credit:')) =>
  credits.claim(operation, someTerms({ purchasePath: 'credit', amountMicroUsdc: micro }), holder)
const hold = async (purchase: string, micro: bigint, holder: CreditHolder, expiresMs: number) => {
  const held = await credits.hold(purchase, micro, holder, expiresMs, named(purchase))
  return held.outcome === 'held' ? held.micro : held.outcome
}
const freeze = (account: string) => store.redis.hset(KEYS.account(account), 'frozen', '1')
const balance = async (holder: CreditHolder) => (await credits.balance(holder))?.balanceMicro

describe('3 store credit carries a balance', () => {
  test('CRD-01 200 spends of 0.05 at once on 2.00: exactly 40 succeed, nothing is left', async () => {
    const holder = await funded(2n * USD)
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => spend(holder, 50_000n)))
    expect(outcomes.filter(({ outcome }) => outcome === 'won')).toHaveLength(40)
    expect(outcomes.filter(({ outcome }) => outcome === 'short')).toHaveLength(160)
    expect(await balance(holder)).toBe(0n)
  })

  test('I4 what was spent is answered by the worker, whatever became of the request', async () => {
    const operation = fresh('credit:')
    await spend(await funded(USD), 1n, operation)
    expect((await store.ledger.list('undelivered', 1_000)).map(({ key }) => key)).toContain(operation)
  })

  test('CRD-02 the same spend again (lost reply) is one debit; for another request it is bound', async () => {
    const holder = await funded(USD)
    const operation = fresh('credit:')
    expect((await spend(holder, 10_000n, operation)).outcome).toBe('won')
    expect(await spend(holder, 10_000n, operation)).toEqual({ outcome: 'settled', balanceMicro: 990_000n })
    const other = someTerms({ amountMicroUsdc: 10_000n, fingerprint: 'other' })
    expect((await credits.claim(operation, other, holder)).outcome).toBe('bound')
    expect(await balance(holder)).toBe(990_000n)
  })

  test('a spend is dated by the moment it was paid: its receipt and the journal say so', async () => {
    const operation = fresh('credit:')
    const sinceMs = await store.ledger.nowMs()
    await spend(await funded(USD), 10_000n, operation)
    const paidMs = (await store.ledger.find(operation))!.settled!.blockMs
    expect([paidMs >= sinceMs, paidMs <= (await store.ledger.nowMs())]).toEqual([true, true])
  })

  test.each([
    [1_000_000n, 'won', 0n],
    [1_000_001n, 'short', 1_000_000n],
  ] as const)('of 1.00: %d micro-USDC is %s', async (micro, outcome, after) => {
    const holder = await funded(USD)
    expect((await spend(holder, micro)).outcome).toBe(outcome)
    expect(await balance(holder)).toBe(after)
  })

  test('CRD-13 a thousand times 0.001 of 2.00 leaves exactly 1.00', async () => {
    const holder = await funded(2n * USD)
    await Promise.all(Array.from({ length: 1_000 }, () => spend(holder, 1_000n)))
    expect(await balance(holder)).toBe(USD)
  })
})

describe('5.4 the secret locks for ever', () => {
  test('CRD-03 another secret spends nothing and learns nothing', async () => {
    const holder = await funded(USD)
    const thief = { ...holder, auth: 'guess' }
    expect((await spend(thief, 1n)).outcome).toBe('refused')
    expect(await credits.balance(thief)).toBeNull()
    expect(await hold(fresh('p'), 1n, thief, 1)).toBe('refused')
    expect(await balance(holder)).toBe(USD)
  })

  test('CRD-04 nobody spends first for a buyer who came without a secret: the claim code opens it', async () => {
    const buyer = someHolder()
    const lot = fresh('lot')
    expect(await credits.deposit(lot, USD, buyer.account, null)).toEqual({ outcome: 'lot', lotMicro: USD })
    expect((await spend({ ...buyer, auth: 'thief' }, 1n)).outcome).toBe('refused')
    expect(await credits.openLot(fresh('guess'), buyer)).toBe('unknown')
    expect(await credits.openLot(lot, buyer)).toBe('opened')
    expect(await credits.openLot(lot, buyer)).toBe('opened')
    expect(await balance(buyer)).toBe(USD)
    expect(await credits.openLot(lot, someHolder())).toBe('unknown')
  })

  test('an account somebody else locked takes nothing of a buyer: his money stays under his claim code', async () => {
    const name = fresh('account')
    const squatter = { account: name, auth: 'squatter' }
    await credits.deposit(fresh('lot'), 1n, name, squatter.auth)
    const lot = fresh('lot')
    expect((await credits.deposit(lot, USD, name, 'mine')).outcome).toBe('lot')
    expect(await credits.openLot(lot, { account: name, auth: 'mine' })).toBe('mismatch')
    const elsewhere = someHolder()
    expect(await credits.openLot(lot, elsewhere)).toBe('opened')
    expect([await balance(squatter), await balance(elsewhere)]).toEqual([1n, USD])
  })

  test('a lot that is on an account is opened nowhere besides', async () => {
    const [holder, other] = [someHolder(), someHolder()]
    const lot = fresh('lot')
    await credits.deposit(lot, USD, holder.account, holder.auth)
    for (const who of [other, holder]) expect(await credits.openLot(lot, who)).toBe('unknown')
    expect([await balance(holder), await credits.balance(other)]).toEqual([USD, null])
  })

  test('CRD-05 two first secrets at once: one locks, the other’s money is a lot', async () => {
    const name = fresh('account')
    const [one, two] = await Promise.all(
      ['first', 'second'].map((auth) => credits.deposit(fresh('lot'), USD, name, auth)),
    )
    expect([one!.outcome, two!.outcome].sort()).toEqual(['deposited', 'lot'])
  })

  test.each<[string, CreditBooking['way'], boolean, Deposit['outcome']]>([
    ['what was spent with credit goes back to its account, whatever the secret', 'back', false, 'deposited'],
    ['also where that owes credit', 'back', true, 'deposited'],
    ['CRD-11 what was bought goes nowhere without the secret', 'bought', false, 'lot'],
  ])('%s', async (_, way, owes, outcome) => {
    const { account } = await funded(USD)
    if (owes) await freeze(account)
    const going = { lot: fresh('lot'), micro: USD, account, auth: null, way }
    expect((await credits.look(going)).outcome).toBe(outcome)
  })

  test('CRD-11 an account that owes credit takes nothing, but what it has opened', async () => {
    const holder = await funded(USD)
    const { account, auth } = holder
    const bought = { lot: fresh('lot'), micro: USD, account, auth, way: 'bought' } as const
    const lot = fresh('lot')
    await credits.deposit(lot, USD, account, null)
    expect(await credits.openLot(lot, holder)).toBe('opened')
    expect((await credits.look(bought)).outcome).toBe('deposited')
    await freeze(account)
    expect((await credits.look(bought)).outcome).toBe('lot')
    expect((await credits.deposit(fresh('lot'), USD, account, auth)).outcome).toBe('lot')
    expect(await credits.openLot(lot, holder), 'asked again, since the reply was lost').toBe('opened')
  })

  test('CRD-11 nor does it spend anything, whatever it has: it may come to owe between the look at it and the debit', async () => {
    const holder = await funded(USD)
    await freeze(holder.account)
    expect(await spend(holder, 1n)).toEqual({ outcome: 'short', balanceMicro: 0n })
    expect(await balance(holder)).toBe(USD)
  })

  test('CRD-07 the same purchase booked again is booked once', async () => {
    const holder = someHolder()
    const lot = fresh('lot')
    const first = await credits.deposit(lot, USD, holder.account, holder.auth)
    await spend(holder, 400_000n)
    expect(await credits.deposit(lot, USD, holder.account, holder.auth)).toEqual(first)
    expect(await balance(holder)).toBe(600_000n)
  })
})

describe('I4, CRA-12 a spend without a name of its own stands until its buyer is answered', () => {
  const asks = (holder: CreditHolder, question: string, terms = someTerms({ amountMicroUsdc: 10_000n })) => {
    const key = fresh('credit:')
    return credits.claim(key, terms, holder, question).then((made) => ({ key, ...made }))
  }

  test('the same question again is that spend, at whatever price; once answered it is another', async () => {
    const holder = await funded(USD)
    const question = fresh('question')
    const first = await asks(holder, question)
    expect(first.outcome).toBe('won')
    expect(await credits.unanswered(question)).toBe(first.key)
    expect(await asks(holder, question)).toMatchObject({ outcome: 'open' })
    const dearer = someTerms({ amountMicroUsdc: 20_000n, fingerprint: 'dearer' })
    expect((await credits.claim(fresh('credit:'), dearer, holder, question)).outcome).toBe('open')
    expect(await balance(holder)).toBe(990_000n)
    await credits.answered(question, first.key)
    expect(await credits.unanswered(question)).toBeNull()
    expect((await asks(holder, question)).outcome).toBe('won')
    expect(await balance(holder)).toBe(980_000n)
  })

  test('a hundred at once are one debit; another question and a named operation are others', async () => {
    const holder = await funded(USD)
    const question = fresh('question')
    const all = await Promise.all(Array.from({ length: 100 }, () => asks(holder, question)))
    expect(all.filter(({ outcome }) => outcome === 'won')).toHaveLength(1)
    const [won] = all.filter(({ outcome }) => outcome === 'won')
    for (const each of all.filter((made) => made.outcome === 'open')) expect(each.key).toBe(won!.key)
    expect((await asks(holder, fresh('question'))).outcome).toBe('won')
    expect((await spend(holder, 10_000n)).outcome).toBe('won')
    expect(await balance(holder)).toBe(970_000n)
  })

  test('the answer of an older spend does not end a younger one', async () => {
    const holder = await funded(USD)
    const question = fresh('question')
    const old = await asks(holder, question)
    await credits.answered(question, old.key)
    const young = await asks(holder, question)
    await credits.answered(question, old.key)
    expect(await credits.unanswered(question)).toBe(young.key)
  })

  test('a spend whose claim is forgotten stands in nobody’s way, and none stands for more than a day and an hour', async () => {
    const holder = await funded(USD)
    const question = fresh('question')
    const { key } = await asks(holder, question)
    const days = (await store.redis.pttl(`credit:unanswered:${question}`)) / 86_400_000
    expect([days > 1.04, days <= 1 + 1 / 24]).toEqual([true, true]) //  an hour longer than its answer, for one that came late
    await store.redis.del(`claim:${key}`)
    expect((await asks(holder, question)).outcome).toBe('won')
  })

  test('CRD-03 another secret learns of no spend', async () => {
    const holder = await funded(USD)
    const question = fresh('question')
    await asks(holder, question)
    expect((await asks({ ...holder, auth: 'guess' }, question)).outcome).toBe('refused')
  })
})

describe('CRD-08, CRD-09 credit held for an open purchase', () => {
  test('holds what is there, up to what is wanted; what is held cannot be spent', async () => {
    const holder = await funded(USD)
    const purchase = fresh('p')
    expect(await hold(purchase, 5n * USD, holder, 10)).toBe(USD)
    expect(await hold(purchase, 5n * USD, holder, 10)).toBe(USD)
    expect((await spend(holder, 1n)).outcome).toBe('short')
    expect(await hold(fresh('p'), 1n, holder, 10)).toBe(0n)
  })

  test.each([
    ['spent', 600_000n],
    ['released', 1_000_000n],
  ] as const)('ended as %s, once', async (end, after) => {
    const holder = await funded(USD)
    const purchase = fresh('p')
    await hold(purchase, 400_000n, holder, 10)
    expect(await credits.endHold(purchase, holder.account, end)).toBe(end)
    const other = end === 'spent' ? 'released' : 'spent'
    expect(await credits.endHold(purchase, holder.account, other)).toBe(end)
    const standing = { balanceMicro: after, freeMicro: after, heldMicro: 0n, frozen: false }
    expect(await credits.balance(holder)).toEqual(standing)
    const keptMs = await store.redis.pttl(`credit:hold:${purchase}`)
    expect(Math.round(keptMs / 86_400_000)).toBe(30)
  })

  test('CRD-03 of an account that nobody has, or with another secret, nothing is held', async () => {
    const holder = await funded(USD)
    const others = [someHolder(), { ...holder, auth: 'another' }]
    for (const other of others) expect(await hold(fresh('p'), 1n, other, 10)).toBe('refused')
    expect(await credits.balance(holder)).toMatchObject({ heldMicro: 0n })
  })

  test('CRD-11 a frozen account holds nothing more; what it held before is held', async () => {
    const holder = await funded(USD)
    const [before, after] = [fresh('p'), fresh('p')]
    await hold(before, 1n, holder, 10)
    await freeze(holder.account)
    expect([await hold(before, 1n, holder, 10), await hold(after, 1n, holder, 10)]).toEqual([1n, 0n])
    expect(await credits.balance(holder)).toMatchObject({ heldMicro: 1n, freeMicro: 0n, frozen: true })
  })

  test('what is released because its time is over is not, once its buyer has asked for it again', async () => {
    const holder = await funded(USD)
    const purchase = fresh('p')
    const release = (byMs: number) => credits.endHold(purchase, holder.account, 'released', byMs)
    expect(await release(100)).toBe('none')
    await hold(purchase, USD, holder, 50)
    await hold(purchase, USD, holder, 101)
    expect([await release(50), await release(100)]).toEqual(['held', 'held'])
    expect(await credits.balance(holder)).toMatchObject({ heldMicro: USD })
    expect(await release(101)).toBe('released')
    expect(await credits.balance(holder)).toMatchObject({ heldMicro: 0n })
    await hold(purchase, USD, holder, 200)
    expect(await credits.endHold(purchase, holder.account, 'released')).toBe('released')
  })

  test('holds whose time is over are listed; ended ones are not, nor when they are asked for again', async () => {
    const holder = await funded(USD)
    const [old, young, released, spent] = [fresh('p'), fresh('p'), fresh('p'), fresh('p')]
    await hold(old, 1n, holder, 50)
    await hold(young, 1n, holder, 5_000)
    await hold(released, 1n, holder, 40)
    await hold(spent, 1n, holder, 40)
    await credits.endHold(released, holder.account, 'released')
    await credits.endHold(spent, holder.account, 'spent')
    expect(await hold(spent, 1n, holder, 50)).toBe(1n)
    const listed = (await credits.expiredHolds(100, 1_000)).map(({ purchase }) => purchase)
    const isListed = [old, young, released, spent].map((purchase) => listed.includes(purchase))
    expect(isListed).toEqual([true, false, false, false])
  })
})

describe('I4, CRA-12 a hold without a name of its buyer’s stands until he is answered', () => {
  const asks = (holder: CreditHolder, question: string, purchase = fresh('p'), expiresMs = 10) =>
    credits.hold(purchase, 10_000n, holder, expiresMs, {
      operation: `operation of ${purchase}`,
      asks: question,
      isNamed: false,
    })
  const heldMicro = async (holder: CreditHolder) => (await credits.balance(holder))?.heldMicro

  test('the same question again is that purchase; once answered it is another; a named one is another', async () => {
    const holder = await funded(USD)
    const [question, purchase] = [fresh('question'), fresh('p')]
    expect(await asks(holder, question, purchase)).toEqual({ outcome: 'held', micro: 10_000n })
    expect(await asks(holder, question, purchase)).toEqual({ outcome: 'held', micro: 10_000n })
    const open = { outcome: 'open', operation: `operation of ${purchase}` }
    expect(await asks(holder, question)).toEqual(open)
    expect(await heldMicro(holder)).toBe(10_000n)
    expect(await hold(fresh('p'), 10_000n, holder, 10)).toBe(10_000n)
    expect((await asks(holder, fresh('question'))).outcome).toBe('held')
    expect(await heldMicro(holder)).toBe(30_000n)
    await credits.answered(question, 'another')
    expect(await asks(holder, question)).toEqual(open)
    await credits.answered(question, purchase)
    expect((await asks(holder, question)).outcome).toBe('held')
    expect(await heldMicro(holder)).toBe(40_000n)
  })

  test('a hundred at once hold once; another secret learns of none', async () => {
    const holder = await funded(USD)
    const question = fresh('question')
    const all = await Promise.all(Array.from({ length: 100 }, () => asks(holder, question)))
    expect(all.filter(({ outcome }) => outcome === 'held')).toHaveLength(1)
    expect(await heldMicro(holder)).toBe(10_000n)
    expect(await asks({ ...holder, auth: 'guess' }, question)).toEqual({ outcome: 'refused' })
  })

  test.each([
    ['released', false, 'held'],
    ['spent', true, 'open'],
    ['spent', false, 'held'], //  its claim is gone: the answer can no longer be given
  ] as const)('%s, its claim is kept: %s: %s', async (end, isClaimed, outcome) => {
    const holder = await funded(USD)
    const [question, purchase] = [fresh('question'), fresh('p')]
    await asks(holder, question, purchase)
    await credits.endHold(purchase, holder.account, end)
    if (isClaimed) await store.redis.hset(`claim:intent:${purchase}`, 'state', 'settled')
    expect((await asks(holder, question)).outcome).toBe(outcome)
  })

  test('none stands for more than a day; where nothing was there to hold none stands', async () => {
    const holder = await funded(10_000n)
    const [question, other] = [fresh('question'), fresh('question')]
    await asks(holder, question)
    const days = (await store.redis.pttl(`credit:unanswered:${question}`)) / 86_400_000
    expect([days > 0.99, days <= 1]).toEqual([true, true])
    expect(await asks(holder, other)).toEqual({ outcome: 'held', micro: 0n })
    expect(await store.redis.exists(`credit:unanswered:${other}`)).toBe(0)
  })

  test('under one name for something else: bound, nothing more is held', async () => {
    const holder = await funded(USD)
    const what = { operation: 'o', isNamed: true }
    const purchase = fresh('p')
    await credits.hold(purchase, 10_000n, holder, 10, { ...what, asks: 'one' })
    expect(await credits.hold(purchase, 5n, holder, 10, { ...what, asks: 'two' })).toEqual({
      outcome: 'bound',
    })
    expect(await heldMicro(holder)).toBe(10_000n)
  })

  test('asked again it is held for longer, never for less; what was released is held anew, and kept', async () => {
    const holder = await funded(USD)
    const [question, purchase] = [fresh('question'), fresh('p')]
    const untilMs = () => store.redis.zscore('credits:held', purchase).then(Number)
    await asks(holder, question, purchase, 50)
    await asks(holder, question, purchase, 70)
    await asks(holder, question, purchase, 60)
    expect(await untilMs()).toBe(70)
    await credits.endHold(purchase, holder.account, 'released')
    expect((await asks(holder, question, purchase, 80)).outcome).toBe('held')
    expect([await untilMs(), await heldMicro(holder)]).toEqual([80, 10_000n])
    expect(await store.redis.pttl(`credit:hold:${purchase}`)).toBe(-1)
  })
})

test('I11 property: whatever is bought, spent, held and released, in any order and repeated: deposits − spent = balance, never below zero', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('deposit' as const), micro: fc.bigInt(1n, 5_000n), id: fc.nat(3) }),
    fc.record({ kind: fc.constant('spend' as const), micro: fc.bigInt(1n, 4_000n), id: fc.nat(5) }),
    fc.record({ kind: fc.constant('hold' as const), micro: fc.bigInt(1n, 4_000n), id: fc.nat(5) }),
    fc.record({ kind: fc.constant('end' as const), spent: fc.boolean(), id: fc.nat(5) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const holder = someHolder()
      const run = fresh('run')
      const [deposits, spends, holds] = [
        new Map<number, bigint>(),
        new Map<number, bigint>(),
        new Map<number, bigint>(),
      ]
      let committed = 0n
      const [spent, released] = [new Set<number>(), new Set<number>()]
      for (const each of steps) {
        if (each.kind === 'deposit') {
          await credits.deposit(`${run}-${each.id}`, each.micro, holder.account, holder.auth)
          if (!deposits.has(each.id)) deposits.set(each.id, each.micro)
        } else if (each.kind === 'spend') {
          const { outcome } = await spend(holder, each.micro, `credit:${run}-${each.id}`)
          if (outcome === 'won') spends.set(each.id, each.micro)
        } else if (each.kind === 'hold') {
          const held = await hold(`${run}-${each.id}`, each.micro, holder, 1_000)
          if (typeof held === 'string' || held === 0n) continue
          if (!holds.has(each.id) || released.delete(each.id)) holds.set(each.id, held)
        } else {
          const end = await credits.endHold(
            `${run}-${each.id}`,
            holder.account,
            each.spent ? 'spent' : 'released',
          )
          if (end === 'spent' && !spent.has(each.id)) committed += holds.get(each.id) ?? 0n
          if (end !== 'none') (end === 'spent' ? spent : released).add(each.id)
        }
        const now = await credits.balance(holder)
        if (now === null) continue
        const sum = (values: Iterable<bigint>) => [...values].reduce((total, value) => total + value, 0n)
        expect(now.balanceMicro).toBe(sum(deposits.values()) - sum(spends.values()) - committed)
        const open = [...holds]
          .filter(([id]) => !spent.has(id) && !released.has(id))
          .map(([, micro]) => micro)
        expect(now.heldMicro).toBe(sum(open))
        expect(now.balanceMicro >= now.heldMicro && now.heldMicro >= 0n).toBe(true)
      }
    }),
    { numRuns: 60 },
  )
})
