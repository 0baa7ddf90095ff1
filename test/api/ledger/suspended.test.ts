import type { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HELD_MS } from '../../../api/classic/watch.ts'
import { type CreditHolder, createCreditLedger } from '../../../api/ledger/credits.ts'
import { type CreditEntry, createFinalityLedger } from '../../../api/ledger/finality.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import type { ClaimKey, Sale } from '../../../api/ledger/ledger.ts'
import { LOST_AFTER_MS } from '../../../api/worker/watchFinality.ts'
import { DAY } from '../../../ops/units.ts'
import { named, openLedger, someSettled, someTerms } from '../../support/ledger.ts'
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

const MICRO = 2_000_000n
const FAR = 4_000_000_000_000
let seeds = 0
const someHolder = (): CreditHolder => ({ account: `account${seeds++}`, auth: 'secret' })
const reversal = { eventId: 'e', attestationId: 'a' } as Sale
const entry = { eventId: 'e' } as CreditEntry

/**
 * A delivered sale of credit whose money is missing.
 * @param auth null: no secret came with it, and nobody has opened the lot yet.
 */
async function pack({ account }: CreditHolder, auth: string | null) {
  const key = `auth:${seeds++}` as const
  const digest = `lot${seeds}`
  await store.redis.hset(KEYS.claim(key), { state: 'settled', body: 'b' })
  await lose(key)
  await credits.deposit(digest, MICRO, account, auth)
  return { key, entitled: { token: null, lot: { digest, micro: MICRO, account } } }
}

const lose = (key: ClaimKey) => createFinalityLedger(store.redis).gone(key, someSettled(1), 8453)

/** A ledger in which something happens between the look at a lot and the step that this look decided. */
function racing(meanwhile: () => Promise<unknown>): ReturnType<typeof createFinalityLedger> {
  const redis = Object.create(store.redis) as Redis
  const look = async (...args: Parameters<Redis['hmget']>) => {
    const read = await store.redis.hmget(...args)
    await meanwhile()
    return read
  }
  return createFinalityLedger(Object.assign(redis, { hmget: look }))
}

describe('CRD-11 the money of credit leaves its chain', () => {
  test('of two purchases, and that of one returns: frozen over the other until it is back too', async () => {
    const finality = createFinalityLedger(store.redis)
    const holder = someHolder()
    const packs = [await pack(holder, holder.auth), await pack(holder, holder.auth)]
    const frozen: unknown[] = []
    const note = async () => void frozen.push((await credits.balance(holder))?.frozen)
    for (const { key, entitled } of packs) await finality.suspend(key, entitled, reversal)
    await note()
    for (const { key, entitled } of packs) {
      await finality.restore(key, entitled, reversal)
      await note()
    }
    expect(frozen).toEqual([true, true, false])
  })

  test.each([
    ['nothing', 0n, { balanceMicro: MICRO, freeMicro: MICRO, frozen: false }],
    ['more than the other credit', MICRO + 5n, { balanceMicro: 0n, freeMicro: 0n, frozen: true }],
  ])(
    'given up, %s of it was spent: what is unspent pays for it, once, and all returns with the money',
    async (_, spent, standing) => {
      const finality = createFinalityLedger(store.redis)
      const holder = someHolder()
      await credits.deposit(`other${seeds}`, MICRO, holder.account, holder.auth)
      const { key, entitled } = await pack(holder, holder.auth)
      if (spent > 0n) await credits.claim(`credit:${key}`, someTerms({ amountMicroUsdc: spent }), holder)
      const before = await credits.balance(holder)
      await finality.lost(key, entitled)
      expect(await credits.balance(holder), 'its money is there').toEqual(before)
      await finality.suspend(key, entitled, reversal)
      for (let time = 0; time < 2; time++) await finality.lost(key, entitled)
      expect(await credits.balance(holder)).toMatchObject(standing)
      for (let time = 0; time < 2; time++) await finality.restore(key, entitled, reversal)
      expect(await credits.balance(holder)).toEqual(before)
      expect(await store.redis.hget(KEYS.account(holder.account), 'debt')).toBeNull()
    },
  )

  test('given up while other credit is held: once that is free or back it pays the rest, and the account is not frozen for good', async () => {
    const finality = createFinalityLedger(store.redis)
    const holder = someHolder()
    const { key, entitled } = await pack(holder, holder.auth)
    await credits.hold(`open${key}`, MICRO - 5n, holder, FAR, named())
    await finality.suspend(key, entitled, reversal)
    await finality.lost(key, entitled)
    expect(await credits.balance(holder)).toMatchObject({ balanceMicro: MICRO - 5n, frozen: true })
    await credits.endHold(`open${key}`, holder.account, 'released')
    for (let time = 0; time < 2; time++) await finality.lost(key, entitled)
    expect(await credits.balance(holder)).toMatchObject({ balanceMicro: 0n, frozen: false })
    await finality.restore(key, entitled, reversal)
    expect(await credits.balance(holder)).toMatchObject({ balanceMicro: MICRO, frozen: false })
    expect(await store.redis.hget(KEYS.account(holder.account), 'debt')).toBeNull()
  })

  test('given up, back, and gone and back once more: the credit is there once, and the second loss has a grace of its own', async () => {
    const finality = createFinalityLedger(store.redis)
    const holder = someHolder()
    const { key, entitled } = await pack(holder, holder.auth)
    await finality.suspend(key, entitled, reversal)
    await finality.lost(key, entitled)
    await finality.restore(key, entitled, reversal)
    expect(await store.redis.hget(KEYS.claim(key), 'missing')).toBeNull()
    await lose(key)
    expect(await finality.suspend(key, entitled, reversal)).toBe('suspended')
    await finality.restore(key, entitled, reversal)
    expect(await credits.balance(holder)).toMatchObject({ balanceMicro: MICRO, frozen: false })
  })

  test.each([1, 30])(
    'its claim, kept for %i days more, lasts until its money is not waited for any more, and no shorter than before',
    async (days) => {
      const { key, entitled } = await pack(someHolder(), null)
      await store.redis.pexpire(KEYS.claim(key), days * DAY)
      await createFinalityLedger(store.redis).suspend(key, entitled, reversal)
      const waitedFor = Math.max(LOST_AFTER_MS + HELD_MS, (days - 1) * DAY)
      expect(await store.redis.pttl(KEYS.claim(key))).toBeGreaterThan(waitedFor)
    },
  )

  test('said twice, since a reply was lost: owed once, given back once, and the receipt is revoked until then', async () => {
    const finality = createFinalityLedger(store.redis)
    const holder = someHolder()
    const { key, entitled } = await pack(holder, holder.auth)
    const twice = async (step: 'suspend' | 'restore') => [
      await finality[step](key, entitled, reversal),
      await finality[step](key, entitled, reversal),
      await store.redis.hget(KEYS.account(holder.account), 'debt'),
      await store.redis.exists(KEYS.revoked(reversal.attestationId)),
    ]
    const before = await store.redis.xlen(KEYS.sales)
    expect(await twice('suspend')).toEqual(['suspended', 'already', `${MICRO}`, 1])
    expect(await twice('restore')).toEqual(['restored', 'unknown', null, 0])
    expect((await store.redis.xlen(KEYS.sales)) - before).toBe(2)
  })

  test.each<[string, (row: string) => Promise<unknown>]>([
    ['not answered', (row) => store.redis.hdel(row, 'body')],
    ['void', (row) => store.redis.hset(row, 'state', 'void')],
  ])('of a claim that is %s nothing was given, and nothing is taken back', async (_, become) => {
    const holder = someHolder()
    const { key, entitled } = await pack(holder, holder.auth)
    await become(KEYS.claim(key))
    const [before, sales] = [await store.redis.hgetall(KEYS.claim(key)), await store.redis.xlen(KEYS.sales)]
    expect(await createFinalityLedger(store.redis).suspend(key, entitled, reversal)).toBe('unknown')
    expect(await credits.balance(holder)).toMatchObject({ balanceMicro: MICRO, frozen: false })
    expect(await store.redis.hgetall(KEYS.claim(key))).toEqual(before)
    expect(await store.redis.xlen(KEYS.sales)).toBe(sales)
  })

  /** What is lost when the money for it leaves, and how its row reads from then on. */
  const LOST = {
    'an unlock key': async () => {
      const [{ key }, token] = [await pack(someHolder(), null), { kind: 'unlock', digest: 'd' } as const]
      await store.redis.hset(KEYS.grant(token), { expires: FAR, sku: 's' })
      const over = (revoked: string) => ({ sku: 's', heldExpires: String(FAR), expires: revoked, revoked })
      return { key, row: KEYS.grant(token), entitled: { token, lot: null }, over }
    },
    'credit that nobody has opened': async () => {
      const { key, entitled } = await pack(someHolder(), null)
      const row = KEYS.lot(entitled.lot.digest)
      const { state: _, ...rest } = await store.redis.hgetall(row)
      return { key, row, entitled, over: (revoked: string) => ({ ...rest, revoked }) }
    },
  }
  test.each(Object.entries(LOST))(
    '%s: over while the money is gone, as it was once it is back, as often as that happens',
    async (_, make) => {
      const finality = createFinalityLedger(store.redis)
      const { key, row, entitled, over } = await make()
      const [before, sinceMs] = [await store.redis.hgetall(row), await store.ledger.nowMs()]
      for (let time = 0; time < 2; time++) {
        expect(await finality.suspend(key, entitled, reversal)).toBe('suspended')
        const [lost, nowMs] = [await store.redis.hgetall(row), await store.ledger.nowMs()]
        expect(lost).toEqual(over(lost.revoked!))
        expect([Number(lost.revoked) >= sinceMs, Number(lost.revoked) <= nowMs]).toEqual([true, true])
        expect(await finality.restore(key, entitled, reversal)).toBe('restored')
        expect(await store.redis.hgetall(row)).toEqual(before)
        await lose(key)
      }
    },
  )

  test.each(Object.entries(LOST))(
    'CHN-03 %s: whoever was held up since it was missing takes nothing back if it has returned meanwhile',
    async (_, make) => {
      const finality = createFinalityLedger(store.redis)
      const { key, row, entitled } = await make()
      await finality.found(key)
      const books = async () => [
        await store.redis.hgetall(KEYS.claim(key)),
        await store.redis.hgetall(row),
        await store.redis.xlen(KEYS.sales),
      ]
      const before = await books()
      expect(await finality.suspend(key, entitled, reversal)).toBe('changed')
      expect(await books()).toEqual(before)
    },
  )

  test('in the moment in which its code opens it: read again, and the account that has it now owes it', async () => {
    const holder = someHolder()
    const { key, entitled } = await pack(someHolder(), null)
    const { digest } = entitled.lot
    const late = await racing(() => credits.openLot(digest, holder)).suspend(key, entitled, reversal)
    expect([late, await credits.balance(holder)]).toMatchObject(['changed', { frozen: false }])
    await createFinalityLedger(store.redis).suspend(key, entitled, reversal)
    expect(await credits.balance(holder)).toMatchObject({ frozen: true, balanceMicro: MICRO })
  })

  test('the same of credit that bought nothing', async () => {
    const holder = someHolder()
    const { lot } = (await pack(someHolder(), null)).entitled
    expect(await racing(() => credits.openLot(lot.digest, holder)).takeBack(lot, entry)).toBe('changed')
    expect(await credits.balance(holder)).toMatchObject({ balanceMicro: MICRO })
    await createFinalityLedger(store.redis).takeBack(lot, entry)
    expect(await credits.balance(holder)).toMatchObject({ balanceMicro: 0n, frozen: false })
  })

  test('of credit that bought nothing each loss counts once, and each return; what was spent is owed until all is back', async () => {
    const finality = createFinalityLedger(store.redis)
    const holder = someHolder()
    const lots = [(await pack(holder, 'secret')).entitled.lot, (await pack(holder, 'secret')).entitled.lot]
    const [one, other] = lots as [(typeof lots)[number], (typeof lots)[number]]
    const standing = async () => {
      const { balanceMicro, frozen } = (await credits.balance(holder))!
      return [balanceMicro, frozen]
    }
    expect(await finality.takeBack({ ...one, digest: 'of-nobody' }, entry)).toBe('unknown')
    expect(await standing()).toEqual([2n * MICRO, false])
    expect([await finality.takeBack(one, entry), await finality.takeBack(one, entry)]).toEqual([
      'revoked',
      'already',
    ])
    expect(await standing()).toEqual([MICRO, false])
    expect([await finality.giveBack(one, entry), await finality.giveBack(one, entry)]).toEqual([
      'restored',
      'unknown',
    ])
    expect(await standing()).toEqual([2n * MICRO, false])
    await credits.claim(`credit:${seeds++}`, someTerms({ amountMicroUsdc: 2n * MICRO }), holder)
    for (const lot of lots) expect(await finality.takeBack(lot, entry)).toBe('revoked')
    expect(await standing()).toEqual([0n, true])
    await finality.giveBack(one, entry)
    expect(await standing()).toEqual([0n, true])
    await finality.giveBack(other, entry)
    expect(await standing()).toEqual([0n, false])
  })
})

test('CHN-03 an account that owes spends nothing, not even what a look a moment before has found free', async () => {
  const holder = someHolder()
  await credits.deposit(`lot${seeds++}`, MICRO, holder.account, holder.auth)
  await store.redis.hset(KEYS.account(holder.account), 'frozen', '1')
  const spend = credits.claim(`credit:${seeds++}`, someTerms({ via: 'credit' }), holder)
  expect(await spend).toEqual({ outcome: 'short', balanceMicro: 0n })
  expect(await store.redis.hget(KEYS.account(holder.account), 'balance')).toBe(String(MICRO))
})
