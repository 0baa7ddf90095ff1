import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CreditHolder, createCreditLedger } from '../../../api/ledger/credits.ts'
import { createFinalityLedger } from '../../../api/ledger/finality.ts'
import { intentClaimKey } from '../../../api/ledger/intentKeys.ts'
import { createIntentLedger, INTENT_LIMITS, type IntentLedger } from '../../../api/ledger/intents.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import type { Sale } from '../../../api/ledger/ledger.ts'
import { PAID_KEPT_MS } from '../../../api/ledger/redis.ts'
import { createReferralLedger } from '../../../api/ledger/referrals.ts'
import { DAY } from '../../../ops/units.ts'
import { named, openLedger, someTerms } from '../../support/ledger.ts'
import { startRedis } from '../../support/redis.ts'

let server: Awaited<ReturnType<typeof startRedis>>
let store: ReturnType<typeof openLedger>
let credits: ReturnType<typeof createCreditLedger>
let intents: IntentLedger
beforeAll(async () => {
  server = await startRedis({ appendfsync: 'always' })
  store = openLedger(server.url)
  credits = createCreditLedger(store.redis)
  intents = createIntentLedger(store.redis)
})
afterAll(async () => {
  store.close()
  await server.stop()
})

const MICRO = 2_000_000n
const FAR = 4_000_000_000_000
let seeds = 0
const SETTLED = { tx: 'tx', index: 0, atMs: 1 }
const NOTHING_TAKEN = { hold: null, saleBuyer: null, referral: null, body: 'claimed' }

async function funded(): Promise<CreditHolder> {
  const holder = { account: `account${seeds++}`, auth: 'secret' }
  await credits.deposit(`lot${seeds++}`, MICRO, holder.account, holder.auth)
  return holder
}
async function opened(): Promise<string> {
  const intent = `intent${seeds++}`
  await intents.open(intent, 'v1', { graceUntilMs: FAR, buyer: intent, amounts: [] })
  return intent
}
/** A purchase for which credit is held. */
async function held(micro: bigint) {
  const [holder, purchase] = [await funded(), await opened()]
  await credits.hold(purchase, micro, holder, FAR, named())
  const takes = { ...NOTHING_TAKEN, hold: { purchase, micro, holder } }
  const claim = () => intents.claim(purchase, 1, someTerms({ via: 'credit' }), SETTLED, takes)
  return { holder, purchase, claim }
}

describe('a hold that was released before its purchase was claimed is taken anew', () => {
  const claimed = async (change: (holder: CreditHolder) => Promise<unknown>) => {
    const { holder, purchase, claim } = await held(MICRO)
    await credits.endHold(purchase, holder.account, 'released')
    await change(holder)
    return [await claim(), await store.redis.hget(KEYS.account(holder.account), 'balance')]
  }
  const set = (field: string, text: string) => (holder: CreditHolder) =>
    store.redis.hset(KEYS.account(holder.account), field, text)

  test.each([
    ['while it is there', async () => {}, ['won', '0']],
    ['not from a frozen account', set('frozen', '1'), ['hold_gone', '2000000']],
    ['not from one of another secret', set('auth', 'other'), ['hold_gone', '2000000']],
    ['not from what is held for another', set('held', '1'), ['hold_gone', '2000000']],
  ])('%s', async (_, change, expected) => {
    expect(await claimed(change)).toEqual(expected)
  })
})

describe('I11 a hold that was released and taken again for another amount is spent as its purchase says', () => {
  test.each([
    ['for less', 300_000n, MICRO - 500_000n, 'won'],
    ['for more', 700_000n, MICRO - 500_000n, 'won'],
    ['for less, and no more than the rest is there', 300_000n, 0n, 'won'],
    ['for less, and the rest is not there', 300_000n, 400_000n, 'hold_gone'],
  ])('%s', async (_, again, balance, outcome) => {
    const { holder, purchase, claim } = await held(500_000n)
    await credits.endHold(purchase, holder.account, 'released')
    const before = outcome === 'won' ? balance + 500_000n : balance
    await store.redis.hset(KEYS.account(holder.account), 'balance', `${before}`)
    expect(await credits.hold(purchase, again, holder, FAR, named())).toEqual({
      outcome: 'held',
      micro: again,
    })
    expect(await claim()).toBe(outcome)
    const heldMicro = outcome === 'won' ? 0n : again
    expect(await credits.balance(holder)).toMatchObject({ balanceMicro: balance, heldMicro })
  })
})

test('I11 a hold that its claim has spent is held by nobody: nothing gives it back, and it is forgotten after a month', async () => {
  const { holder, purchase, claim } = await held(500_000n)
  expect(await claim()).toBe('won')
  for (const end of ['released', 'spent'] as const)
    expect(await credits.endHold(purchase, holder.account, end)).toBe('spent')
  const left = MICRO - 500_000n
  expect(await credits.balance(holder)).toMatchObject({ balanceMicro: left, heldMicro: 0n, freeMicro: left })
  expect(await store.redis.zscore(KEYS.holds, purchase)).toBeNull()
  expect(Math.round((await store.redis.pttl(KEYS.hold(purchase))) / 86_400_000)).toBe(30)
})

test('DATA-17 what is held is not free; a hold that has ended is forgotten after a month, one that stands never', async () => {
  const holder = await funded()
  await credits.hold('standing', 1n, holder, FAR, named())
  await credits.hold('over', 2n, holder, FAR, named('other'))
  const standing = { balanceMicro: MICRO, heldMicro: 3n, freeMicro: MICRO - 3n, frozen: false }
  expect(await credits.balance(holder)).toEqual(standing)
  await credits.endHold('over', holder.account, 'released')
  const keptMs = await Promise.all(['standing', 'over'].map((name) => store.redis.pttl(KEYS.hold(name))))
  expect(keptMs.map((ms) => (ms < 0 ? ms : Math.round(ms / 86_400_000)))).toEqual([-1, 30])
})

test('I2 a paid intent is claimed as it stands and once: not one that was given back meanwhile, nor for something else', async () => {
  const intent = await opened()
  const claim = (version: number, fingerprint = 'asked') =>
    intents.claim(intent, version, someTerms({ fingerprint }), SETTLED, NOTHING_TAKEN)
  const step = {
    body: 'later',
    buyer: intent,
    waiting: false,
    unanswered: true,
    forgetAtMs: null,
    transfers: [],
  }
  expect(await intents.step(intent, 1, step)).toBe('stored')
  expect([await claim(1), (await intents.find(intent))?.body]).toEqual(['changed', 'later'])
  expect([await claim(2), await claim(2), await claim(3, 'other')]).toEqual(['won', 'settled', 'bound'])
  //  a writer that read it before the claim does not overwrite what was sold
  expect(await intents.step(intent, 2, { ...step, body: 'of before' })).toBe('changed')
  expect(await intents.find(intent)).toEqual({ version: 3, body: 'claimed' })
})

test('CRA-04, I4 a claimed intent is in the list of what was paid and not answered, settled when the ledger says so', async () => {
  const sinceMs = Date.now() - 1_000
  const intent = await opened()
  expect(await intents.claim(intent, 1, someTerms(), SETTLED, NOTHING_TAKEN)).toBe('won')
  const key = intentClaimKey(intent)
  const atMs = Number(await store.redis.zscore(KEYS.claims.undelivered, key))
  expect(atMs).toBeGreaterThan(sinceMs)
  expect(await store.redis.hmget(KEYS.claim(key), 'state', 'created', 'settledAt')).toEqual([
    'settled',
    String(atMs),
    String(atMs),
  ])
})

describe('DATA-17 what a referral account is owed is kept until it is paid out; one that is owed nothing is forgotten', () => {
  const KEPT_DAYS = PAID_KEPT_MS / DAY
  /** One sale for a new account. @property days until it is forgotten; -1: it is kept. */
  async function sold() {
    const [referral, intent] = [{ account: `ref${seeds++}`, micro: 5n }, await opened()]
    const claim = (of: string) => intents.claim(of, 1, someTerms(), SETTLED, { ...NOTHING_TAKEN, referral })
    expect(await claim(intent)).toBe('won')
    const row = KEYS.referral(referral.account)
    const days = async () => {
      const leftMs = await store.redis.pttl(row)
      return leftMs < 0 ? leftMs : Math.round(leftMs / DAY)
    }
    const payOut = (micro: bigint) => {
      const payout = { operation: `payout${seeds++}`, code: referral.account, micro, reason: 'r' }
      return createReferralLedger(store.redis).payOut(payout, 1)
    }
    return { referral, intent, claim, row, days, payOut }
  }

  test('earned by a sale: kept, also by an account that an earlier version would have forgotten', async () => {
    const { row, days, claim } = await sold()
    expect(await days()).toBe(-1)
    await store.redis.pexpire(row, 60_000)
    expect(await claim(await opened())).toBe('won')
    expect([await days(), await store.redis.hgetall(row)]).toEqual([-1, { sales: '2', earned: '10' }])
  })

  test('paid out in part: kept; in full: forgotten a long time later; earned again: kept', async () => {
    const { days, claim, payOut } = await sold()
    expect([await payOut(4n), await days()]).toEqual(['booked', -1])
    expect([await payOut(1n), await days()]).toEqual(['booked', KEPT_DAYS])
    expect([await claim(await opened()), await days()]).toEqual(['won', -1])
  })

  test('the claim is undone: nothing is owed any more', async () => {
    const { referral, intent, days } = await sold()
    expect(await intents.unclaim(intent, 2, { hold: null, referral, body: 'paid' })).toBe('undone')
    expect(await days()).toBe(KEPT_DAYS)
  })

  test('the money leaves its chain: nothing is owed, or less than nothing, until it is back', async () => {
    const finality = createFinalityLedger(store.redis)
    for (const [paidOut, daysOfBack] of [
      [0n, -1],
      [5n, KEPT_DAYS],
    ] as const) {
      const { referral, intent, days, payOut } = await sold()
      if (paidOut > 0n) await payOut(paidOut)
      const key = intentClaimKey(intent)
      await store.redis.hset(KEYS.claim(key), { body: 'answer', missing: 1 })
      const entitled = { token: null, lot: null, referral }
      const reversal = { eventId: 'e', attestationId: 'a' } as Sale
      expect([await finality.suspend(key, entitled, reversal), await days()]).toEqual([
        'suspended',
        KEPT_DAYS,
      ])
      expect([await finality.restore(key, entitled, reversal), await days()]).toEqual([
        'restored',
        daysOfBack,
      ])
    }
  })
})

test('DATA-02, I4 of two who have read an intent one writes it: the other books nothing; nor does a step whose reply was lost', async () => {
  const intent = await opened()
  const [first, second] = [`tx:1:0x${seeds++}:log0`, `tx:1:0x${seeds++}:log0`]
  const step = (version: number, body: string, transfers: string[], isPaid = true) =>
    intents.step(intent, version, {
      body,
      buyer: intent,
      waiting: !isPaid,
      unanswered: isPaid,
      forgetAtMs: null,
      transfers,
    })
  expect(await step(1, 'has the first', [first])).toBe('stored')
  const lists = () => Promise.all([intents.waiting(1_000), intents.unanswered(1_000, FAR)])
  const before = await lists()
  expect(await step(1, 'has the second', [second])).toBe('changed')
  expect(await step(1, 'has nothing', [], false)).toBe('changed')
  expect(await step(1, 'has the first', [first])).toBe('changed')
  expect(await intents.find(intent)).toEqual({ version: 2, body: 'has the first' })
  expect(await intents.spent([first, second])).toEqual([true, false])
  expect(await lists()).toEqual(before)
  expect(await step(2, 'has both', [second])).toBe('stored')
})

test('I9 what is in no list any more is not put back by who puts it off, or looks at it again', async () => {
  const intent = await opened()
  const over = { body: 'over', buyer: intent, waiting: false, unanswered: false, forgetAtMs: null }
  expect(await intents.step(intent, 1, { ...over, transfers: [] })).toBe('stored')
  for (const list of ['waiting', 'unanswered'] as const) await intents.putOff(intent, list, 1)
  await intents.lookAgain(intent, 1)
  const lists = [intents.waiting(1_000), intents.unanswered(1_000, FAR), intents.unfinal(1_000, FAR)]
  expect((await Promise.all(lists)).flat()).not.toContain(intent)
})

test('DATA-02 who asks again for a slot, since the reply was lost, has the one he has, also where it is the last', async () => {
  await store.redis.del(KEYS.sale.reserved, KEYS.sale.served)
  const oneSlot = createIntentLedger(store.redis, { ...INTENT_LIMITS, saleSlots: 1 })
  const ask = (buyer: string) => oneSlot.reserveSlot(buyer)
  expect([await ask('one'), await ask('one'), await ask('another')]).toEqual([
    'reserved',
    'reserved',
    'sold_out',
  ])
  expect(await store.redis.zrange(KEYS.sale.reserved, '0', '-1')).toEqual(['one'])
  await store.redis.del(KEYS.sale.reserved)
})

test('CLS-22 the slot of whose lease is over is free for whoever has paid; one that is reserved is not', async () => {
  const oneSlot = createIntentLedger(store.redis, { ...INTENT_LIMITS, saleSlots: 1 })
  const claim = async (leaseEndMs: number) => {
    await store.redis.zadd(KEYS.sale.reserved, leaseEndMs, 'another')
    const takes = { ...NOTHING_TAKEN, saleBuyer: 'buyer' }
    return oneSlot.claim(await opened(), 1, someTerms(), SETTLED, takes)
  }
  expect([await claim(FAR), await claim(1)]).toEqual(['sale_over', 'won'])
  expect(await store.redis.smembers(KEYS.sale.served)).toEqual(['buyer'])
})
