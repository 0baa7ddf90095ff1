import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accountDigest, creditAuthDigest } from '../../../api/entitlements/credit.ts'
import { digestOfToken } from '../../../api/entitlements/token.ts'
import { createFinalityLedger } from '../../../api/ledger/finality.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { rowsOfSale } from '../../../api/worker/journal.ts'
import { type ClassicMoneyPorts, watchClassicMoney } from '../../../api/worker/watchClassicMoney.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { DAY, SECOND } from '../../../ops/units.ts'
import { named, quietLog } from '../../support/ledger.ts'
import { allBoards, BUYER, classicWorld, SECRET, signedFor } from './world.ts'

/** CHN-03, CRD-11 for money that bought nothing and became store credit: too much, too late, twice. */
const world = classicWorld()
let ports: ClassicMoneyPorts
let atMs = 0
let buyers = 0
let buyer = ''
beforeAll(() => {
  ports = {
    intents: world.intents,
    credits: world.credits,
    rails: world.cash.rails,
    answers: world.ports.answers,
    chainId: 8453,
    log: quietLog,
    finality: createFinalityLedger(world.store.redis),
  }
})
beforeEach(() => {
  atMs = Date.now()
  buyer = `note-buyer-${buyers++}`
  world.goods = allBoards()
})

const watchAfter = (seconds: number) => {
  atMs += seconds * SECOND
  return watchClassicMoney(ports, atMs)
}
async function watchPastGrace() {
  expect((await watchAfter(16)).credit_revoked).toBe(0)
  return await watchAfter(31)
}
const holder = () => ({
  account: accountDigest(buyer),
  auth: creditAuthDigest(world.secret, buyer, SECRET),
})
const figures = async () => {
  const found = (await world.credits.balance(holder()))!
  const debt = Number((await world.store.redis.hget(`credit:account:${holder().account}`, 'debt')) ?? 0)
  return [Number(found.balanceMicro), debt, found.frozen]
}
const entries = async () =>
  (await world.store.redis.xrange(KEYS.sales, '-', '+')).flatMap(([id, fields]) =>
    fields[0] === 'credit' ? [{ id, fields, entry: JSON.parse(fields[1]!) }] : [],
  )
const isWatched = async (intentId: string) =>
  (await world.store.redis.zscore('intents:unfinal', world.nameOf(intentId))) !== null
const settle = async (intentId: string, body: object = {}) =>
  (await world.post('/checkout/settle', { buyerId: buyer, intentId, ...body })).json.settlement

/** A purchase that was answered, and was paid a second time: that money is credit. */
async function paidTwice(body: object = { creditSpendAuth: SECRET }) {
  const payment = await world.open({ sku: 'SKU_INQUIRY_01', payload: {}, buyerId: buyer, ...body })
  const micro = Number(payment.amountAtomic)
  const intentId: string = payment.intentId
  const first = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
  expect((await world.post('/fulfill', { buyerId: buyer, intentId })).status).toBe(200)
  const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
  const { notes } = await settle(intentId, { txHash })
  expect(notes).toMatchObject([{ kind: 'paid_twice', creditUsdc: micro / 1e6, revoked: false }])
  return { intentId, micro, first, txHash, claimCode: notes[0].claimCode as string | null }
}
const hold = (purchase: string, micro: number) =>
  world.credits.hold(purchase, BigInt(micro), holder(), Date.now() + DAY, named(purchase))
const spend = async (micro: number) => {
  expect(await hold(`spend-${buyer}`, micro)).toEqual({ outcome: 'held', micro: BigInt(micro) })
  await world.credits.endHold(`spend-${buyer}`, holder().account, 'spent')
}

describe('the money of a note leaves its chain', () => {
  test('unspent: all of it is taken back and comes back; the sale and other credit stay', async () => {
    const { intentId, micro, txHash } = await paidTwice()
    await world.credits.deposit(`own-${buyer}`, 700_000n, holder().account, holder().auth)
    expect(await figures()).toEqual([700_000 + micro, 0, false])
    const before = (await entries()).length
    const restore = world.cash.forget(txHash)
    expect(await watchPastGrace()).toMatchObject({ credit_revoked: 1, suspended: 0 })
    expect(await figures()).toEqual([700_000, 0, false])
    expect((await settle(intentId)).notes).toMatchObject([{ revoked: true }])
    expect((await watchAfter(16)).credit_revoked).toBe(0)
    restore()
    expect((await watchAfter(16)).credit_restored).toBe(1)
    expect(await figures()).toEqual([700_000 + micro, 0, false])
    expect((await settle(intentId)).notes).toMatchObject([{ revoked: false }])
    expect((await entries()).slice(before).map(({ entry }) => [entry.change, entry.amountMicroUsdc])).toEqual(
      [
        ['revoked', `-${micro}`],
        ['restored', `${micro}`],
      ],
    )
  })

  test('for 30 seconds it is waited for, however often one looks: most of what a reorganisation drops is mined again', async () => {
    const { micro, txHash } = await paidTwice()
    world.cash.forget(txHash)
    for (const seconds of [16, 29.999]) expect((await watchAfter(seconds)).credit_revoked).toBe(0)
    expect(await figures()).toEqual([micro, 0, false])
    expect((await watchAfter(15)).credit_revoked).toBe(1)
    expect(await figures()).toEqual([0, 0, false])
  })

  test('CRD-11 half spent: never below zero; the rest is owed and the account is frozen until the money is back', async () => {
    const { micro, txHash } = await paidTwice()
    await spend(1_000_000)
    const restore = world.cash.forget(txHash)
    await watchPastGrace()
    expect(await figures()).toEqual([0, 1_000_000, true])
    expect(await hold('more', 1)).toEqual({ outcome: 'held', micro: 0n })
    const last = (await entries()).at(-1)!
    expect(last.fields.slice(2)).toEqual(['taken', String(micro - 1_000_000), 'owed', '1000000'])
    restore()
    await watchAfter(16)
    expect(await figures()).toEqual([micro - 1_000_000, 0, false])
  })

  test('CRD-11 all spent: nothing is there to take, all of it is owed and the account is frozen', async () => {
    const { micro, txHash } = await paidTwice()
    await spend(micro)
    const restore = world.cash.forget(txHash)
    expect(await watchPastGrace()).toMatchObject({ credit_revoked: 1 })
    expect(await figures()).toEqual([0, micro, true])
    expect((await entries()).at(-1)!.fields.slice(2)).toEqual(['taken', '0', 'owed', String(micro)])
    restore()
    expect((await watchAfter(16)).credit_restored).toBe(1)
    expect(await figures()).toEqual([0, 0, false])
  })

  test('what is held for an open purchase is not taken from under it: it is owed', async () => {
    const { micro, txHash } = await paidTwice()
    await hold(`open-${buyer}`, 500_000)
    world.cash.forget(txHash)
    await watchPastGrace()
    expect(await figures()).toEqual([500_000, 500_000, true])
    await world.credits.endHold(`open-${buyer}`, holder().account, 'spent')
    expect(await figures()).toEqual([0, 500_000, true])
    expect(micro).toBeGreaterThan(500_000)
  })

  test('nobody opened its claim code yet: the code is unknown, and good again with the money', async () => {
    const { txHash, claimCode, micro } = await paidTwice({})
    const open = () => world.credits.openLot(digestOfToken(claimCode!), holder())
    const restore = world.cash.forget(txHash)
    await watchPastGrace()
    expect(await open()).toBe('unknown')
    restore()
    await watchAfter(16)
    expect(await open()).toBe('opened')
    expect(await figures()).toEqual([micro, 0, false])
  })

  test('its claim code was opened: taken from the account that opened it', async () => {
    const { txHash, claimCode, micro } = await paidTwice({})
    await world.credits.openLot(digestOfToken(claimCode!), holder())
    expect(await figures()).toEqual([micro, 0, false])
    world.cash.forget(txHash)
    await watchPastGrace()
    expect(await figures()).toEqual([0, 0, false])
  })

  test('overpaid: the sale and the credit of the rest are taken back, each once', async () => {
    const payment = await world.open({
      sku: 'SKU_INQUIRY_01',
      payload: {},
      buyerId: BUYER,
      creditSpendAuth: SECRET,
    })
    buyer = BUYER
    const txHash = world.cash.send('usdc_base', { atomic: 9_000_000n })
    const body = await signedFor({ buyerId: BUYER, intentId: payment.intentId, txHash })
    const said = await world.post('/fulfill', body)
    expect(said.status, said.text).toBe(200)
    const [balance] = await figures()
    expect(balance).toBeGreaterThan(6_000_000)
    const restore = world.cash.forget(txHash)
    expect(await watchPastGrace()).toMatchObject({ suspended: 1, credit_revoked: 1 })
    expect(await figures()).toEqual([0, 0, false])
    restore()
    expect(await watchAfter(16)).toMatchObject({ restored: 1, credit_restored: 1 })
    expect(await figures()).toEqual([balance, 0, false])
  })

  test('late money, whose purchase was never answered, is watched as well', async () => {
    const payment = await world.open({
      sku: 'SKU_INQUIRY_01',
      payload: {},
      buyerId: buyer,
      creditSpendAuth: SECRET,
    })
    world.pass(46 * 60 * SECOND)
    await world.watch()
    const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    await settle(payment.intentId, { txHash })
    await world.unclaimed(txHash)
    expect(await settle(payment.intentId, { txHash })).toMatchObject({ state: 'Late' })
    world.cash.forget(txHash)
    expect((await watchPastGrace()).credit_revoked).toBe(1)
    expect(await figures()).toEqual([0, 0, false])
  })

  test('CRA the worker that took it back died before it wrote so: it comes back with the money all the same', async () => {
    const { micro, txHash } = await paidTwice()
    const restore = world.cash.forget(txHash)
    await watchAfter(16)
    const { finality } = ports
    const takeBack = async (...asked: Parameters<typeof finality.takeBack>) => {
      await finality.takeBack(...asked)
      throw new UnavailableError('ledger_unavailable', 'the reply is lost')
    }
    atMs += 31 * SECOND
    await watchClassicMoney({ ...ports, finality: { ...finality, takeBack } }, atMs)
    expect(await figures()).toEqual([0, 0, false])
    restore()
    expect((await watchAfter(16)).credit_restored).toBe(1)
    expect(await figures()).toEqual([micro, 0, false])
    expect((await watchAfter(16)).credit_restored).toBe(0)
  })

  test('back within the grace, or a chain that does not answer: nothing is taken', async () => {
    const { micro, txHash } = await paidTwice()
    const restore = world.cash.forget(txHash)
    await watchAfter(16)
    restore()
    await watchAfter(16)
    world.cash.down(true)
    await watchAfter(16)
    await watchAfter(31)
    world.cash.down(false)
    expect(await figures()).toEqual([micro, 0, false])
  })

  test('lost for a day: watched no more, and stays taken', async () => {
    const { intentId, first, txHash } = await paidTwice()
    world.cash.amend(first, { confirmations: 6 }) //  the sale is final
    world.cash.forget(txHash)
    await watchPastGrace()
    expect(await isWatched(intentId)).toBe(true)
    expect((await watchAfter(DAY / SECOND)).credit_lost).toBeGreaterThanOrEqual(1)
    expect(await isWatched(intentId)).toBe(false)
    expect(await figures()).toEqual([0, 0, false])
  })

  test('watched until it is final too, however long the sale has been, which is counted once, by one worker', async () => {
    const { intentId, first, txHash } = await paidTwice()
    world.cash.amend(first, { confirmations: 6 })
    for (const seconds of [16, 16]) expect((await watchAfter(seconds)).final).toBe(0)
    expect(await isWatched(intentId)).toBe(true)
    world.cash.amend(txHash, { confirmations: 6 })
    atMs += 16 * SECOND
    const counts = await Promise.all([watchClassicMoney(ports, atMs), watchClassicMoney(ports, atMs)])
    expect(counts.reduce((sum, { final }) => sum + final, 0)).toBe(1)
    expect(await isWatched(intentId)).toBe(false)
  })

  test('lost while other credit of the purchase is still waited for: counted once, or its alert would not end before', async () => {
    const { intentId, first, txHash, micro } = await paidTwice()
    const third = world.cash.send('usdc_base', { atomic: String(micro) })
    expect((await settle(intentId, { txHash: third })).notes).toHaveLength(2)
    world.cash.amend(first, { confirmations: 6 })
    world.cash.forget(txHash)
    await watchPastGrace()
    world.cash.forget(third)
    await watchAfter(DAY / SECOND / 2)
    const counted = { credit_lost: 0, credit_revoked: 0, final: 0 }
    for (const seconds of [31, DAY / SECOND / 2, 16, 16, DAY / SECOND / 2]) {
      const counts = await watchAfter(seconds)
      for (const name of ['credit_lost', 'credit_revoked', 'final'] as const) counted[name] += counts[name]
    }
    expect(counted).toEqual({ credit_lost: 2, credit_revoked: 1, final: 1 })
    expect(await isWatched(intentId)).toBe(false)
  })

  test('of the sale no server could tell for seven days: the note is watched on', async () => {
    const { intentId, first } = await paidTwice()
    world.cash.forget(first)
    world.cash.whole(false)
    await watchAfter((world.nowMs + 7 * DAY - atMs) / SECOND)
    world.cash.whole(true)
    expect(await isWatched(intentId)).toBe(true)
  })

  test('money that comes while the last look is under way is watched: the look does not end the watch', async () => {
    const payment = await world.open({
      sku: 'SKU_INQUIRY_01',
      payload: {},
      buyerId: buyer,
      creditSpendAuth: SECRET,
    })
    const { intentId } = payment
    const first = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    expect((await world.post('/fulfill', { buyerId: buyer, intentId })).status).toBe(200)
    world.cash.amend(first, { confirmations: 6 }) //  final
    const again = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    world.cash.onLook(async () => {
      world.cash.onLook(async () => {})
      await settle(intentId, { txHash: again })
    })
    await watchAfter(16)
    world.cash.forget(again)
    expect((await watchPastGrace()).credit_revoked).toBe(1)
  })

  test('the journal entry is no sale: no row of it goes to the table', async () => {
    const { txHash } = await paidTwice()
    world.cash.forget(txHash)
    await watchPastGrace()
    const { fields } = (await entries()).at(-1)!
    expect(rowsOfSale({ ms: 1, seq: 0, fields: { [fields[0]!]: fields[1]! } } as never)).toEqual([])
  })
})
