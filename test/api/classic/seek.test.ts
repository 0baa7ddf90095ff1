import { describe, expect, test } from 'vitest'
import { readIntent } from '../../../api/classic/money.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { transferKey } from '../../../api/ledger/ledger.ts'
import { createSoughtLedger, SOUGHT_KEPT_MS, SOUGHT_LIMITS } from '../../../api/ledger/sought.ts'
import { HOUR, MINUTE, SECOND } from '../../../ops/units.ts'
import { BUYER, classicWorld } from './world.ts'

const world = classicWorld()
const PACK = { sku: 'SKU_AG_HOUR_PASS_01' }
const ask = (body: Record<string, unknown>) => world.post('/fulfill', { buyerId: BUYER, ...body })
const intentOf = async (id: string) => (await readIntent(world.nameOf(id), world.ports))!.intent
/** Lets the worker run for this long, without any request of a buyer. */
async function watchFor(ms: number, tx?: string) {
  for (let passed = 0; passed < ms; passed += MINUTE) {
    world.pass(MINUTE)
    await world.watch()
    if (tx !== undefined && passed === 11 * MINUTE) await world.unclaimed(tx)
  }
}

describe('I4 who has asked for his money once is looked for when he asks no more', () => {
  test('a transaction that was not on its chain yet, where only its hash finds it', async () => {
    const payment = await world.open({ ...PACK, paymentRail: 'eth_base' })
    const txHash = world.cash.send('eth_base', { atomic: payment.amountAtomic })
    const mined = world.cash.forget(txHash)
    expect((await ask({ intentId: payment.intentId, txHash })).status).toBe(202)
    await watchFor(5 * MINUTE)
    mined()
    await watchFor(2 * MINUTE)
    expect((await intentOf(payment.intentId)).state).toBe('Confirmed')
    expect((await ask({ intentId: payment.intentId })).status).toBe(200)
  })

  test('one that does not lie deep enough yet', async () => {
    const payment = await world.open({ ...PACK, paymentRail: 'eth_base' })
    const txHash = world.cash.send('eth_base', { atomic: payment.amountAtomic })
    world.cash.amend(txHash, { confirmations: 0 })
    expect((await ask({ intentId: payment.intentId, txHash })).status).toBe(202)
    world.cash.amend(txHash, { confirmations: 9 })
    await watchFor(2 * MINUTE)
    expect((await intentOf(payment.intentId)).state).toBe('Confirmed')
  })

  test.each([
    ['an ether transaction', 'eth_base'],
    ['one in a token', 'usdc_base'],
  ])('CHN-05 %s that was named while its chain did not answer', async (_, paymentRail) => {
    const payment = await world.open({ ...PACK, paymentRail })
    const txHash = world.cash.send(paymentRail as 'eth_base', { atomic: payment.amountAtomic })
    world.cash.down(true)
    expect((await ask({ intentId: payment.intentId, txHash })).status).toBe(503)
    await watchFor(HOUR)
    world.cash.down(false)
    await watchFor(HOUR)
    expect((await intentOf(payment.intentId)).confirmedMs).not.toBe(null)
    expect((await ask({ intentId: payment.intentId })).status).toBe(200)
  })

  test('a rail that is out of service for a while', async () => {
    const payment = await world.open({ ...PACK, paymentRail: 'eth_base' })
    const txHash = world.cash.send('eth_base', { atomic: payment.amountAtomic })
    const mined = world.cash.forget(txHash)
    expect((await ask({ intentId: payment.intentId, txHash })).status).toBe(202)
    const all = world.ports.rails
    Object.assign(world.ports, { rails: all.filter(({ id }) => id !== 'eth_base') })
    await watchFor(HOUR)
    Object.assign(world.ports, { rails: all })
    mined()
    await watchFor(HOUR)
    expect((await intentOf(payment.intentId)).confirmedMs).not.toBe(null)
  })

  test('late money that he has named: it is his when nobody else came for ten minutes', async () => {
    const { intentId, amountAtomic } = await world.open(PACK)
    world.pass(HOUR)
    await world.watch()
    const txHash = world.cash.send('usdc_base', { atomic: amountAtomic })
    expect((await ask({ intentId, txHash })).status).toBe(202)
    await watchFor(20 * MINUTE, txHash)
    expect((await intentOf(intentId)).notes).toMatchObject([{ kind: 'late', deposited: true }])
  })

  test('late money that came after he had asked in time, without a hash', async () => {
    const { intentId, amountAtomic } = await world.open(PACK)
    expect((await ask({ intentId })).status).toBe(202)
    world.pass(50 * MINUTE)
    await world.watch()
    const txHash = world.cash.send('usdc_base', { atomic: amountAtomic })
    await watchFor(30 * MINUTE, txHash)
    expect((await intentOf(intentId)).notes).toMatchObject([{ kind: 'late', deposited: true }])
  })

  test('of whom nobody has asked nothing is taken: an ended intent costs nothing', async () => {
    const { intentId, amountAtomic } = await world.open(PACK)
    world.pass(50 * MINUTE)
    await world.watch()
    await world.open({ ...PACK, buyerId: 'another' }) //  makes the worker look through the rail
    const txHash = world.cash.send('usdc_base', { atomic: amountAtomic })
    await watchFor(30 * MINUTE, txHash)
    expect((await intentOf(intentId)).notes).toEqual([])
    expect(await world.store.redis.exists(KEYS.contenders(transferKey(8453, txHash, 0)))).toBe(0)
  })

  test('CLS-03 to look without him is not to say that another’s money is his', async () => {
    const { intentId, amountAtomic } = await world.open({ ...PACK, buyerId: 'gave-up' })
    await world.post('/fulfill', { intentId, buyerId: 'gave-up' })
    world.pass(50 * MINUTE)
    await world.watch()
    const txHash = world.cash.send('usdc_base', { atomic: BigInt(amountAtomic) })
    const name = `${world.nowMs + 45 * MINUTE}:${'e'.repeat(64)}` //  another intent has this amount by now
    await world.store.redis.zadd(KEYS.amount(`usdc_base:${amountAtomic}`), world.nowMs, name)
    await watchFor(30 * MINUTE)
    expect((await intentOf(intentId)).notes).toEqual([])
    expect(await world.store.redis.exists(KEYS.contenders(transferKey(8453, txHash, 0)))).toBe(0)
  })

  test('CLS-03 nor does a look without him show what the transaction moved on another rail', async () => {
    const { intentId, amountAtomic } = await world.open({ ...PACK, buyerId: 'named-it' })
    const txHash = world.cash.send('usdc_polygon', { atomic: amountAtomic })
    const shown = KEYS.contenders(transferKey(137, txHash, 0))
    const mined = world.cash.forget(txHash)
    const asked = { intentId, txHash, buyerId: 'named-it' }
    expect((await world.post('/fulfill', asked)).status).toBe(202)
    mined()
    await watchFor(HOUR)
    expect(await world.store.redis.exists(shown)).toBe(0)
    await world.post('/fulfill', asked)
    expect(await world.store.redis.exists(shown)).toBe(1)
  })

  test('a rail that takes its time holds up the rest for a while only; whose turn it was comes first in the next pass', async () => {
    await world.store.redis.del(KEYS.sought)
    for (const nth of [1, 2, 3, 4]) {
      const { intentId } = await world.open({ ...PACK, paymentRail: 'eth_base' })
      expect((await ask({ intentId, txHash: `0x${String(nth).repeat(64)}` })).status).toBe(202)
    }
    const due = () => world.intents.soughtDue(9, world.nowMs)
    world.pass(2 * MINUTE)
    const [first, second, ...others] = await due()
    expect(others).toHaveLength(2)
    for (const left of [others, []]) {
      let looks = 0
      const discovering = world.cash.rails.filter(({ discovers }) => discovers).length
      world.cash.onLook(async () => {
        if (++looks > discovering) world.pass(6 * SECOND)
      })
      world.cash.down(true)
      await world.watch()
      expect(await due()).toEqual(left)
    }
    world.cash.down(false)
    world.cash.onLook(async () => {})
    world.pass(MINUTE)
    expect((await due()).sort()).toEqual([first, second, ...others].sort())
  })

  test('what was found, refused or given up is looked for no more', async () => {
    await watchFor(HOUR)
    const left = await world.store.redis.zrange(KEYS.sought, '0', '-1')
    for (const name of left) await world.store.redis.del(KEYS.soughtOf(name)) //  as it is after a day
    world.pass(HOUR)
    await world.watch()
    expect(await world.store.redis.zcard(KEYS.sought)).toBe(0)
  })
})

describe('CLS-21 what is looked for without a buyer is bounded', () => {
  const sought = { rail: 'usdc_base', tx: '', sinceMs: Date.now() }
  test('in all and by site; one that is listed may ask for something else', async () => {
    const ledger = createSoughtLedger(world.store.redis, { all: 3, perSite: 2 })
    for (const [name, site] of [
      ['a', 's'],
      ['b', 's'],
      ['c', 's'],
      ['d', 't'],
      ['e', 'u'],
    ] as const)
      await ledger.seek(name, site, sought, 5)
    expect(await ledger.soughtDue(10, 5)).toEqual(['a', 'b', 'd'])
    await ledger.seek('a', 's', { ...sought, tx: '0x1' }, 9)
    expect(await ledger.sought('a')).toEqual({ ...sought, tx: '0x1' })
    expect(await ledger.soughtDue(10, 5)).toEqual(['a', 'b', 'd']) //  its turn is unchanged
    for (const row of [KEYS.soughtOf('a'), KEYS.soughtFrom('s')]) {
      const leftMs = await world.store.redis.pttl(row)
      expect(leftMs).toBeGreaterThan(0) //  -1 would mean: kept for ever
      expect(leftMs).toBeLessThanOrEqual(SOUGHT_KEPT_MS)
    }
    await ledger.seekAgain('b', null)
    await ledger.seek('e', 'u', sought, 5)
    expect(await ledger.soughtDue(10, 5)).toEqual(['a', 'd', 'e'])
    await ledger.seekAgain('d', null)
    await ledger.seek('f', 's', { ...sought, sinceMs: sought.sinceMs + SOUGHT_KEPT_MS }, 5) //  a day later
    expect(await ledger.soughtDue(10, 5)).toEqual(['a', 'e', 'f'])
  })

  test('transactions that were made up, from the same address, keep none from being found that was seen', async () => {
    const perSite = SOUGHT_LIMITS.perSite
    const { intentId, amountAtomic } = await world.open({ ...PACK, paymentRail: 'eth_base' })
    const { site } = await intentOf(intentId)
    for (let nth = 0; nth < perSite; nth++) await world.intents.seek(`made-up-${nth}`, site, sought, 5)
    const isSought = async () =>
      (await world.store.redis.zscore(KEYS.sought, world.nameOf(intentId))) !== null
    const txHash = world.cash.send('eth_base', { atomic: amountAtomic })
    world.cash.amend(txHash, { confirmations: 0 })
    const mined = world.cash.forget(txHash)
    expect([(await ask({ intentId, txHash })).status, await isSought()]).toEqual([202, false])
    mined()
    expect([(await ask({ intentId, txHash })).status, await isSought()]).toEqual([202, true])
    for (let nth = 0; nth < perSite; nth++) await world.intents.seek(`seen-${nth}`, site, sought, 5, true)
    expect(await world.store.redis.zcard(KEYS.soughtFrom(site))).toBe(2 * perSite)
    await world.store.redis.del(KEYS.sought, KEYS.soughtFrom(site))
  })

  test('what is sought no more takes no share of its site', async () => {
    const ledger = createSoughtLedger(world.store.redis, { all: 99, perSite: 1 })
    const isSought = async (name: string) => (await ledger.soughtDue(99, 5)).includes(name)
    await ledger.seek('first', 'one site', sought, 5)
    await ledger.seek('second', 'one site', sought, 5)
    expect([await isSought('first'), await isSought('second')]).toEqual([true, false])
    await ledger.seekAgain('first', null)
    await ledger.seek('second', 'one site', sought, 5)
    expect([await isSought('first'), await isSought('second')]).toEqual([false, true])
  })

  test('money that comes in time on a rail that tells of it is found without that: the first look is when its time is over', async () => {
    const { intentId } = await world.open(PACK)
    await ask({ intentId })
    const { graceUntilMs } = await intentOf(intentId)
    const isDue = async (atMs: number) =>
      (await world.intents.soughtDue(100, atMs)).includes(world.nameOf(intentId))
    expect([await isDue(graceUntilMs), await isDue(graceUntilMs + MINUTE)]).toEqual([false, true])
  })
})

describe('I4 who is looked for, and for how long', () => {
  const NONE = `0x${'7e'.repeat(32)}`
  const nextOf = async (id: string) => await world.store.redis.zscore(KEYS.sought, world.nameOf(id))

  test.each([
    ['in time, without a hash', {}, {}, 0, true],
    ['until late money is found by its amount no more', {}, {}, 45 * MINUTE + HOUR, true],
    ['not after that', {}, {}, 45 * MINUTE + HOUR + 1, false],
    ['by its hash also then', {}, { txHash: NONE }, 45 * MINUTE + HOUR + 1, true],
    ['not without one where only that finds it', { paymentRail: 'eth_base' }, {}, 0, false],
    ['nor on such a rail that he names now', {}, { paymentRail: 'eth_base' }, 0, false],
  ])('%s', async (_, order, how, afterMs, isSought) => {
    const { intentId } = await world.open({ ...PACK, ...order })
    world.pass(afterMs)
    await ask({ intentId, ...how })
    expect((await nextOf(intentId)) !== null).toBe(isSought)
  })

  test('not whose money was there at once', async () => {
    const { intentId, amountAtomic } = await world.open(PACK)
    world.cash.send('usdc_base', { atomic: amountAtomic })
    expect((await ask({ intentId })).status).toBe(200)
    expect(await nextOf(intentId)).toBe(null)
  })

  test.each([
    ['it was found', 0n, 'Confirmed'],
    ['it does not pay', 1n, 'New'],
  ])('no more once %s, on the rail that he has named', async (_, more, state) => {
    const { intentId, paymentOptions } = await world.open(PACK)
    const ether = paymentOptions.find((option: { paymentRail: string }) => option.paymentRail === 'eth_base')
    const txHash = world.cash.send('eth_base', { atomic: BigInt(ether.amountAtomic) + more })
    const mined = world.cash.forget(txHash)
    expect((await ask({ intentId, txHash, paymentRail: 'eth_base' })).status).toBe(202)
    mined()
    await watchFor(2 * MINUTE)
    expect([(await intentOf(intentId)).state, await nextOf(intentId)]).toEqual([state, null])
  })

  test.each([
    [
      'it came in its time',
      async (atomic: string) => void world.cash.send('usdc_base', { atomic }),
      46 * MINUTE,
    ],
    ['its time is long over', async () => {}, 45 * MINUTE + HOUR + 1],
    [
      'it is forgotten',
      (_: string, id: string) => world.store.redis.del(KEYS.intent(world.nameOf(id))),
      HOUR,
    ],
  ])('no more, by its amount, when %s', async (_, before, afterMs) => {
    const { intentId, amountAtomic } = await world.open(PACK)
    expect((await ask({ intentId })).status).toBe(202)
    await before(amountAtomic, intentId)
    await world.watch()
    world.pass(afterMs)
    await world.watch()
    expect(await nextOf(intentId)).toBe(null)
  })

  test('an eighth of the time since he asked later, and an hour at most', async () => {
    for (const [afterMs, nextMs] of [
      [4 * MINUTE, MINUTE],
      [4 * HOUR, HOUR / 2],
      [20 * HOUR, HOUR],
    ] as const) {
      const { intentId } = await world.open({ ...PACK, paymentRail: 'eth_base' })
      await ask({ intentId, txHash: NONE })
      world.pass(afterMs)
      await world.watch()
      expect(Number(await nextOf(intentId))).toBe(world.nowMs + nextMs)
    }
  })
})
