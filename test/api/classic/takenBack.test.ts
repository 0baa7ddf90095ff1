import { beforeEach, describe, expect, test } from 'vitest'
import type { MoneyNote } from '../../../api/classic/shapes.ts'
import { accountDigest, creditAuthDigest } from '../../../api/entitlements/credit.ts'
import { createFinalityLedger } from '../../../api/ledger/finality.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { createReferralLedger } from '../../../api/ledger/referrals.ts'
import { answerClaims } from '../../../api/worker/answerClaims.ts'
import { gateWithClassic } from '../../../api/worker/classicGate.ts'
import { watchClassicMoney } from '../../../api/worker/watchClassicMoney.ts'
import { DAY, MINUTE, SECOND } from '../../../ops/units.ts'
import { quietLog } from '../../support/ledger.ts'
import { allBoards, classicWorld, SECRET, signedFor } from './world.ts'

/** I1, I3, I4, I9, CHN-03: money that leaves its chain after the claim and does not return; what stays of it is never kept for nothing. */
const world = classicWorld()
let buyerId = ''
const startMs = Date.now()
beforeEach(({ task }) => {
  buyerId = `buyer-${task.id}`
  world.nowMs = startMs
  world.goods = allBoards()
  world.cash.whole(true)
})

const holderOf = (who = buyerId) => ({
  account: accountDigest(who),
  auth: creditAuthDigest(world.secret, who, SECRET),
})
const balance = async () => (await world.credits.balance(holderOf()))?.balanceMicro ?? 0n
const standing = async (body: object) => (await world.post('/checkout/settle', body)).json.settlement
const claimOf = (intentId: string) => KEYS.claim(`intent:${world.nameOf(intentId)}`)

/** Every duty of the worker that looks after classic money, after each of these times. */
async function passAfter(...waits: number[]) {
  const { ports } = world
  const finality = createFinalityLedger(world.store.redis)
  for (const ms of waits) {
    world.pass(ms)
    await watchClassicMoney({ ...ports, finality, chainId: 8453, log: quietLog }, world.nowMs)
    await world.watch()
    const gate = gateWithClassic({ reached: async () => true }, ports)
    await answerClaims({ ...ports, finality: gate, log: quietLog }, world.nowMs)
  }
}
const UNTIL_TAKEN_BACK = [16 * SECOND, 31 * SECOND]
const UNTIL_GIVEN_UP = [...UNTIL_TAKEN_BACK, DAY, MINUTE]

/** A purchase in two parts, delivered. */
async function delivered(part: bigint, sku = 'SKU_AG_BOT_FUEL_24H') {
  const terms = { sku, paymentRail: 'usdc_base', creditSpendAuth: SECRET, buyerId, payload: {} }
  const { intentId } = await world.open(terms)
  const body = { buyerId, intentId }
  const first = world.cash.send('usdc_base', { atomic: part })
  const { json } = await world.post('/fulfill', await signedFor({ ...body, txHash: first }))
  expect(json.code).toBe('underpaid')
  const rest = BigInt(json.settlement.missing[0].amountAtomic)
  const second = world.cash.send('usdc_base', { atomic: rest })
  const said = await world.post('/fulfill', await signedFor({ ...body, txHash: second }))
  expect(said.status, said.text).toBe(200)
  return { intentId, body, first, second, part, rest }
}

describe('delivered, and a part of its money is gone for good', () => {
  test.each([
    ['half of it', 700_000n],
    ['a millionth of a dollar', 1n],
  ])('%s: what it gave is taken back, and after a day the other part is store credit', async (_, part) => {
    const { body, first, rest } = await delivered(part)
    world.cash.forget(first)
    await passAfter(...UNTIL_TAKEN_BACK)
    const next = expect.stringContaining('resumes by itself if it returns')
    expect(await standing(body)).toMatchObject({ state: 'Delivered', revoked: true, next, notes: [] })
    await passAfter(DAY, MINUTE)
    expect(await balance()).toBe(rest)
    const { state, revoked, notes, next: then } = await standing(body)
    expect([state, revoked, then]).toEqual(['Refunded', true, expect.stringContaining('was taken back')])
    expect(notes).toMatchObject([
      { kind: 'undeliverable', creditUsdc: Number(rest) / 1e6, revoked: false },
      { kind: 'undeliverable', creditUsdc: Number(part) / 1e6, revoked: true },
    ])
    await passAfter(MINUTE, MINUTE)
    expect(await balance()).toBe(rest)
  })

  test('what returns within a week after that is store credit too, once, and what was taken back stays so', async () => {
    const { intentId, body, first, part, rest } = await delivered(700_000n)
    const bringBack = world.cash.forget(first)
    await passAfter(...UNTIL_GIVEN_UP)
    bringBack()
    await passAfter(MINUTE + 1, MINUTE + 1)
    expect(await balance()).toBe(part + rest)
    expect(await standing(body)).toMatchObject({ state: 'Refunded', revoked: true })
    expect(await world.store.redis.hexists(claimOf(intentId), 'suspended')).toBe(1)
  })

  test('back before the day is over: it is as it was, and nothing is store credit, also once its claim is forgotten', async () => {
    const { intentId, body, first } = await delivered(700_000n)
    const bringBack = world.cash.forget(first)
    await passAfter(...UNTIL_TAKEN_BACK)
    bringBack()
    await passAfter(16 * SECOND, DAY)
    await world.store.redis.del(claimOf(intentId))
    await passAfter(MINUTE, 9 * DAY)
    expect(await standing(body)).toMatchObject({ state: 'Delivered', revoked: false, notes: [] })
    expect(await balance()).toBe(0n)
  })

  test.each([
    ['and the money is still gone', false],
    ['and the money is back', true],
  ])('its claim is forgotten meanwhile, %s: store credit for what is there', async (_, isBack) => {
    const { intentId, first, part, rest } = await delivered(700_000n)
    const bringBack = world.cash.forget(first)
    await passAfter(...UNTIL_TAKEN_BACK)
    await world.store.redis.del(claimOf(intentId))
    if (isBack) bringBack()
    await passAfter(MINUTE, MINUTE)
    expect(await balance()).toBe(isBack ? part + rest : rest)
  })

  /** A day of the feed for a dollar of credit and a transfer. */
  async function boughtBesideCredit() {
    const { account, auth } = holderOf()
    await world.credits.deposit(`lot-${buyerId}`, 1_000_000n, account, auth)
    const terms = { sku: 'SKU_AG_BOT_FUEL_24H', creditSpendAuth: SECRET, buyerId, payload: {} }
    const { intentId, amountAtomic } = await world.open(terms)
    const body = { buyerId, intentId }
    const txHash = world.cash.send('usdc_base', { atomic: amountAtomic })
    expect((await world.post('/fulfill', { ...body, txHash })).status).toBe(200)
    return { account, body, txHash }
  }

  test('credit that was spent beside it is the account’s again', async () => {
    const { body, txHash } = await boughtBesideCredit()
    expect(await balance()).toBe(0n)
    world.cash.forget(txHash)
    await passAfter(...UNTIL_GIVEN_UP)
    expect(await balance()).toBe(1_000_000n)
    await passAfter(MINUTE, 9 * DAY, MINUTE)
    expect(await balance()).toBe(1_000_000n)
    expect((await standing(body)).notes).toMatchObject([
      { kind: 'undeliverable', creditUsdc: 1, transactions: [] },
    ])
  })

  test('CRD-11 also onto an account that owes credit by then: no code takes it off', async () => {
    const { account, body, txHash } = await boughtBesideCredit()
    await world.store.redis.hset(KEYS.account(account), { debt: 2_000_000, frozen: 1 })
    world.cash.forget(txHash)
    await passAfter(...UNTIL_GIVEN_UP)
    const back = (await standing(body)).notes.find(({ transactions }: MoneyNote) => transactions.length === 0)
    expect(back).toMatchObject({ kind: 'undeliverable', creditUsdc: 1, claimCode: null })
    expect(await balance()).toBe(1_000_000n)
  })

  test('CHN-04 while a server cannot tell nothing is given up', async () => {
    const { body, first } = await delivered(700_000n)
    world.cash.forget(first)
    await passAfter(...UNTIL_TAKEN_BACK)
    world.cash.whole(false)
    await passAfter(2 * DAY, MINUTE)
    expect([(await standing(body)).state, await balance()]).toEqual(['Delivered', 0n])
  })
})

describe('credit that was bought, and its money is gone for more than a day', () => {
  async function bought() {
    const { account, auth } = holderOf()
    await world.credits.deposit(`other-${buyerId}`, 5_000_000n, account, auth)
    const terms = { sku: 'SKU_AG_CREDITS_02', creditSpendAuth: SECRET, buyerId, payload: {} }
    const { intentId, amountAtomic } = await world.open(terms)
    const body = { buyerId, intentId }
    const txHash = world.cash.send('usdc_base', { atomic: amountAtomic })
    expect((await world.post('/fulfill', { ...body, txHash })).status).toBe(200)
    const spent = { buyerId, sku: 'SKU_AG_HOUR_PASS_01', creditSpendAuth: SECRET, payload: {} }
    expect((await world.post('/purchase-intent', spent)).status).toBe(200)
    return { body, bringBack: world.cash.forget(txHash) }
  }

  test('CRD-11 what is unspent of it is taken, and the other credit of its account can be spent again', async () => {
    const { body } = await bought()
    await passAfter(...UNTIL_TAKEN_BACK)
    expect(await world.credits.balance(holderOf())).toMatchObject({ freeMicro: 0n, frozen: true })
    await passAfter(DAY, MINUTE)
    expect(await world.credits.balance(holderOf())).toMatchObject({ freeMicro: 4_500_000n, frozen: false })
    await passAfter(8 * DAY, MINUTE, MINUTE)
    expect(await standing(body)).toMatchObject({ state: 'Refunded', revoked: true })
    expect(await balance()).toBe(4_500_000n)
  })

  test('CRD-11 also with what was held at the end of that day, once it is free', async () => {
    const { body } = await bought()
    const { account } = holderOf()
    const all = await balance()
    await world.store.redis.hset(KEYS.account(account), 'held', String(all))
    await passAfter(...UNTIL_TAKEN_BACK, DAY)
    expect(await world.credits.balance(holderOf())).toMatchObject({ balanceMicro: all, frozen: true })
    await world.store.redis.hset(KEYS.account(account), 'held', '0')
    await passAfter(MINUTE)
    expect(await world.credits.balance(holderOf())).toMatchObject({ freeMicro: 4_500_000n, frozen: false })
    expect(await standing(body)).toMatchObject({ state: 'Delivered', revoked: true })
  })

  test('back within a week: it is as it was, not credit for a second time', async () => {
    const { body, bringBack } = await bought()
    await passAfter(...UNTIL_TAKEN_BACK, DAY, 3 * DAY)
    bringBack()
    await passAfter(MINUTE, MINUTE, 9 * DAY)
    expect(await standing(body)).toMatchObject({ state: 'Delivered', revoked: false, notes: [] })
    expect(await world.credits.balance(holderOf())).toMatchObject({ freeMicro: 6_500_000n, frozen: false })
  })

  test('CHN-04 no server can tell for a moment on the eighth day: it is still waited for', async () => {
    const { body, bringBack } = await bought()
    await passAfter(...UNTIL_TAKEN_BACK, DAY, 6.5 * DAY)
    world.cash.whole(false)
    await passAfter(MINUTE)
    bringBack()
    world.cash.whole(true)
    await passAfter(MINUTE, MINUTE)
    expect(await standing(body)).toMatchObject({ state: 'Delivered', revoked: false, notes: [] })
  })

  test('CRD-11 back after the week: it is not credit beside what was bought with it', async () => {
    const { body, bringBack } = await bought()
    const { account } = holderOf()
    await world.store.redis.hset(KEYS.account(account), 'balance', 0) //  all of it is spent
    await passAfter(...UNTIL_TAKEN_BACK, DAY, 8 * DAY, MINUTE)
    bringBack()
    await passAfter(MINUTE + 1, MINUTE + 1)
    expect(await standing(body)).toMatchObject({ state: 'Refunded', revoked: true, notes: [] })
    expect(await balance()).toBe(0n)
  })
})

describe('claimed, its process dies before the answer, and its money leaves', () => {
  const CODE = 'a-friend'
  async function claimed(more: object = {}) {
    const terms = { sku: 'SKU_AG_HOUR_PASS_01', buyerId, creditSpendAuth: SECRET, referralCode: CODE }
    const { intentId, amountAtomic } = await world.open({ ...terms, ...more })
    const body = { buyerId, intentId }
    const txHash = world.cash.send('usdc_base', { atomic: amountAtomic })
    world.atFaultPoint = (point) => {
      if (point === 'CP8') throw new Error('the process dies')
    }
    expect((await world.post('/fulfill', { ...body, txHash })).status).toBe(500)
    world.atFaultPoint = () => {}
    return { intentId, body, txHash, amountAtomic, bringBack: world.cash.forget(txHash) }
  }
  const earned = async () => {
    const { sales, owedMicro } = await createReferralLedger(world.store.redis).earnings(accountDigest(CODE))
    return { sales, owedMicro }
  }
  const isListed = async (intentId: string) => {
    const { redis } = world.store
    const undelivered = await redis.zscore(KEYS.claims.undelivered, `intent:${world.nameOf(intentId)}`)
    return undelivered !== null || (await redis.zscore(KEYS.intents.unfinal, world.nameOf(intentId))) !== null
  }

  test('ENT-17 the claim is undone: nobody earned by it, and it is listed no more', async () => {
    const { intentId, body } = await claimed()
    expect((await earned()).sales).toBe(1)
    await passAfter(16 * SECOND, 16 * SECOND)
    expect(await earned()).toEqual({ sales: 0, owedMicro: 0n })
    expect(await isListed(intentId)).toBe(false)
    expect(await standing(body)).toMatchObject({ state: 'Confirmed', notes: [] })
    await passAfter(9 * DAY, MINUTE)
    expect((await standing(body)).state).toBe('Refunded')
    expect((await world.post('/fulfill', body)).json.code).toBe('intent_lapsed')
  })

  test('credit that it spent is the account’s again, and is taken anew when the money is back', async () => {
    const { account, auth } = holderOf()
    await world.credits.deposit(`lot-${buyerId}`, 200_000n, account, auth)
    const { body, bringBack } = await claimed()
    expect(await balance()).toBe(0n)
    await passAfter(16 * SECOND)
    expect(await world.credits.balance(holderOf())).toMatchObject({ balanceMicro: 200_000n, heldMicro: 0n })
    bringBack()
    const said = await world.post('/fulfill', body)
    expect(said.status, said.text).toBe(200)
    expect([await balance(), (await earned()).sales]).toEqual([0n, 1])
  })

  test('money sent again in time takes its place', async () => {
    const { body, amountAtomic } = await claimed()
    await passAfter(16 * SECOND)
    const again = world.cash.send('usdc_base', { atomic: amountAtomic })
    const said = await world.post('/fulfill', { ...body, txHash: again })
    expect(said.status, said.text).toBe(200)
  })

  test('one that is answered meanwhile is not undone', async () => {
    const { intentId, body, bringBack } = await claimed()
    const name = world.nameOf(intentId)
    const { version } = (await world.intents.find(name))!
    bringBack()
    const takes = { hold: null, referral: null, body: 'wrong' }
    expect((await world.post('/fulfill', body)).status).toBe(200)
    expect(await world.intents.unclaim(name, version, takes)).toBe('changed')
    const now = (await world.intents.find(name))!
    expect(await world.intents.unclaim(name, now.version, takes)).toBe('answered')
    expect(await world.intents.find(name)).toEqual(now)
  })
})
