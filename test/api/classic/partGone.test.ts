import { beforeEach, expect, test } from 'vitest'
import { accountDigest, creditAuthDigest } from '../../../api/entitlements/credit.ts'
import { DAY, HOUR, MINUTE } from '../../../ops/units.ts'
import { allBoards, classicWorld, SECRET, signedFor } from './world.ts'

/** I3, I4, I9, CHN-03: paid in parts, of which some leave their chain before anything was delivered for them. */
const world = classicWorld()
let buyerId = ''
beforeEach(({ task }) => {
  buyerId = `buyer-${task.id}`
  world.cash.whole(true)
  world.goods = allBoards()
})

const PART = 100_000n

/** A purchase with its money, of which the parts of these indexes are gone when it is asked for. */
async function withoutParts(...lost: number[]) {
  const terms = { sku: 'SKU_AG_HOUR_PASS_01', paymentRail: 'usdc_base', creditSpendAuth: SECRET, buyerId }
  const { intentId } = await world.open(terms)
  const body = { buyerId, intentId }
  const first = world.cash.send('usdc_base', { atomic: PART })
  const { json } = await world.post('/fulfill', await signedFor({ ...body, txHash: first }))
  expect(json.code).toBe('underpaid')
  const rest = BigInt(json.settlement.missing[0].amountAtomic)
  const second = world.cash.send('usdc_base', { atomic: rest })
  const paid = await world.post('/checkout/settle', { ...body, txHash: second })
  expect(paid.json.settlement.state).toBe('Confirmed')
  const returns = lost.map((index) => world.cash.forget([first, second][index]!))
  expect((await world.post('/fulfill', body)).json.code).toBe('settlement_pending')
  const bringBack = () => {
    for (const back of returns) back()
  }
  return { body, parts: [PART, rest] as const, bringBack }
}
const standing = async (body: object) => (await world.post('/checkout/settle', body)).json.settlement
const balance = async () => {
  const holder = { account: accountDigest(buyerId), auth: creditAuthDigest(world.secret, buyerId, SECRET) }
  return (await world.credits.balance(holder))?.balanceMicro ?? 0n
}
/** A look of the worker after this time, and the next one. */
async function watchAfter(ms: number) {
  for (const wait of [ms, MINUTE + 1]) {
    world.pass(wait)
    await world.watch()
  }
}

test.each([0, 1] as const)(
  'part %i is gone for good: the other one becomes store credit after a day',
  async (lost) => {
    const { body, parts } = await withoutParts(lost)
    await watchAfter(DAY / 2)
    expect([(await standing(body)).state, await balance()]).toEqual(['Confirmed', 0n])
    await watchAfter(DAY / 2)
    expect([(await standing(body)).state, await balance()]).toEqual(['Refunded', parts[1 - lost]])
    expect((await standing(body)).notes).toMatchObject([
      { creditUsdc: Number(parts[1 - lost]) / 1e6, revoked: false },
      { creditUsdc: Number(parts[lost]) / 1e6, revoked: true },
    ])
    await watchAfter(8 * DAY)
    expect(await balance()).toBe(parts[1 - lost])
    expect((await standing(body)).notes).toHaveLength(1)
  },
)

test.each([0, 1] as const)(
  'part %i returns after the refund: it becomes store credit too, once',
  async (lost) => {
    const { body, parts, bringBack } = await withoutParts(lost)
    await watchAfter(DAY)
    expect(await balance()).toBe(parts[1 - lost])
    bringBack()
    await watchAfter(MINUTE + 1)
    expect(await balance()).toBe(parts[0] + parts[1])
    expect((await standing(body)).notes).toMatchObject([{ revoked: false }, { revoked: false }])
    await watchAfter(MINUTE + 1)
    expect(await balance()).toBe(parts[0] + parts[1])
  },
)

test('a part that returns in time: the purchase is delivered', async () => {
  const { body, bringBack } = await withoutParts(0)
  bringBack()
  expect((await world.post('/fulfill', body)).status).toBe(200)
})

test('all parts are gone: nothing is given, and what returns is', async () => {
  const { body, parts, bringBack } = await withoutParts(0, 1)
  await watchAfter(2 * DAY)
  expect([(await standing(body)).state, await balance()]).toEqual(['Confirmed', 0n])
  bringBack()
  await watchAfter(MINUTE + 1)
  expect([(await standing(body)).state, await balance()]).toEqual(['Refunded', parts[0] + parts[1]])
})

test('CHN-04 a server that could not know a part has no say', async () => {
  const { body } = await withoutParts(1)
  world.cash.whole(false)
  await watchAfter(2 * DAY)
  expect([(await standing(body)).state, await balance()]).toEqual(['Confirmed', 0n])
})

/** Two parts that are less than was due; the parts of these indexes are gone when the time is over. */
async function neverCompleted(...lost: number[]) {
  const terms = { sku: 'SKU_AG_HOUR_PASS_01', paymentRail: 'usdc_base', creditSpendAuth: SECRET, buyerId }
  const { intentId } = await world.open(terms)
  const body = { buyerId, intentId }
  const parts = [PART, 2n * PART] as const
  const sent = parts.map((atomic) => world.cash.send('usdc_base', { atomic }))
  for (const txHash of sent)
    expect((await world.post('/fulfill', await signedFor({ ...body, txHash }))).json.code).toBe('underpaid')
  const returns = lost.map((index) => world.cash.forget(sent[index]!))
  const bringBack = () => {
    for (const back of returns) back()
  }
  return { body, parts, bringBack }
}

test('never completed, and a part is gone: only the other one becomes store credit, and that one when it returns', async () => {
  const { body, parts, bringBack } = await neverCompleted(1)
  await watchAfter(HOUR)
  expect([(await standing(body)).state, await balance()]).toEqual(['Expired', parts[0]])
  bringBack()
  await watchAfter(MINUTE + 1)
  expect(await balance()).toBe(parts[0] + parts[1])
  await watchAfter(MINUTE + 1)
  expect(await balance()).toBe(parts[0] + parts[1])
})

test('never completed, and all parts are gone: nothing is given for them', async () => {
  const { body } = await neverCompleted(0, 1)
  await watchAfter(HOUR)
  expect([(await standing(body)).state, await balance()]).toEqual(['Expired', 0n])
  expect((await standing(body)).notes).toMatchObject([{ revoked: true }, { revoked: true }])
})

test('CHN-04 never completed, and a server that cannot tell: nothing is given until one can', async () => {
  const { body, parts } = await neverCompleted(1)
  world.cash.whole(false)
  await watchAfter(HOUR)
  expect(await balance()).toBe(0n)
  world.cash.whole(true)
  await watchAfter(MINUTE + 1)
  expect([(await standing(body)).state, await balance()]).toEqual(['Expired', parts[0]])
})

test('never completed, and a part is gone: late money that comes before the worker looks gives no credit for that part', async () => {
  const { body, parts } = await neverCompleted(1)
  world.pass(HOUR)
  const late = world.cash.send('usdc_base', { atomic: PART })
  await standing(await signedFor({ ...body, txHash: late }))
  expect(await balance()).toBe(parts[0] + PART)
})

test.each([
  ['when the day is over', DAY],
  ['when it is held', 2 * DAY],
])(
  'CHN-06 money that is back in a young block is no store credit before it is deep enough: %s',
  async (_, ms) => {
    const { body, parts, bringBack } = await withoutParts(1)
    const { transactions } = await standing(body)
    if (ms > DAY) await watchAfter(DAY)
    bringBack()
    world.cash.amend(transactions[1], { confirmations: 1 })
    await watchAfter(DAY)
    expect(await balance()).toBe(ms > DAY ? parts[0] : 0n)
    world.cash.amend(transactions[1], { confirmations: 2 })
    await watchAfter(MINUTE)
    expect(await balance()).toBe(parts[0] + parts[1])
  },
)
