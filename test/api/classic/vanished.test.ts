import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { GONE_FOR_MS } from '../../../api/classic/vanish.ts'
import { HOUR } from '../../../ops/units.ts'
import { allBoards, BUYER, classicWorld } from './world.ts'

/** RAIL-08, CHN-02 before delivery: a transfer that was seen leaves its chain. */
const world = classicWorld()
beforeEach(() => {
  world.cash.whole(true)
  world.goods = allBoards()
})

/** A purchase whose transfer has been seen, `depth` deep of two. */
async function seen(depth: number) {
  const payment = await world.open({ sku: 'SKU_AG_HOUR_PASS_01', paymentRail: 'eth_base' })
  const txHash = world.cash.send('eth_base', { atomic: payment.amountAtomic })
  world.cash.amend(txHash, { confirmations: depth })
  const body = { buyerId: BUYER, intentId: payment.intentId, txHash }
  const confirmations = { have: depth, need: 2 }
  expect((await world.post('/fulfill', body)).json.settlement).toMatchObject({ state: 'Seen', confirmations })
  return { body, txHash, amountAtomic: payment.amountAtomic }
}
/** Asked without the hash, as by a buyer who waits. */
async function standing({ buyerId, intentId }: { buyerId: string; intentId: string }) {
  const { json } = await world.post('/checkout/settle', { buyerId, intentId })
  const { state, confirmations, next } = json.settlement
  return { state, confirmations, next }
}
/** The buyer asks when it is gone, and again when what is gone has vanished. */
async function standingOnceGone(body: { buyerId: string; intentId: string }) {
  expect((await standing(body)).state).toBe('Seen')
  world.pass(GONE_FOR_MS)
  return await standing(body)
}

test.each([
  ['replaced before it was in a block', 0, (tx: string) => void world.cash.forget(tx)],
  ['dropped by a reorganisation', 1, (tx: string) => void world.cash.forget(tx)],
  ['in another block, as a failed one', 1, (tx: string) => world.cash.fail(tx)],
])('RAIL-08 a seen transfer that is %s: its purchase waits for money again', async (_, depth, lose) => {
  const { body, txHash, amountAtomic } = await seen(depth)
  lose(txHash)
  expect(await standingOnceGone(body)).toEqual({
    state: 'New',
    confirmations: null,
    next: expect.stringContaining('Send the exact amount'),
  })
  const again = world.cash.send('eth_base', { atomic: amountAtomic })
  expect((await world.post('/fulfill', { ...body, txHash: again })).status).toBe(200)
})

test('CHN-02 a seen transfer that returns with a later block never vanished', async () => {
  const { body, txHash } = await seen(1)
  for (const _ of [1, 2, 3]) {
    const bringBack = world.cash.forget(txHash)
    expect((await standing(body)).state).toBe('Seen')
    world.pass(GONE_FOR_MS - 1)
    expect((await standing(body)).state).toBe('Seen')
    bringBack()
    expect((await standing(body)).state).toBe('Seen')
  }
})

test('CHN-04 a server that could not know the transfer has no say', async () => {
  const { body, txHash } = await seen(1)
  world.cash.forget(txHash)
  world.cash.whole(false)
  expect((await standingOnceGone(body)).state).toBe('Seen')
  world.cash.whole(true)
  expect((await standingOnceGone(body)).state).toBe('New')
})

test('RAIL-08 nothing is known of a rail that is out of service, so nothing has vanished there', async () => {
  const { body, txHash } = await seen(0)
  const stored = async () => JSON.parse((await world.intents.find(world.nameOf(body.intentId)))!.body)
  world.cash.forget(txHash)
  const { rails } = world.ports
  world.ports.rails = rails.filter(({ id }) => id !== 'eth_base')
  onTestFinished(() => {
    world.ports.rails = rails
  })
  for (const ms of [HOUR, GONE_FOR_MS]) {
    world.pass(ms)
    await world.watch()
    expect((await stored()).state).toBe('Seen')
  }
})

test('RAIL-08 nobody asks: the worker ends such a purchase when its grace is over, not days later', async () => {
  const { body, txHash } = await seen(0)
  const stored = async () => JSON.parse((await world.intents.find(world.nameOf(body.intentId)))!.body)
  world.cash.forget(txHash)
  world.pass(HOUR)
  await world.watch()
  expect((await stored()).state).toBe('Seen')
  world.pass(GONE_FOR_MS)
  await world.watch()
  expect((await stored()).state).toBe('Expired')
})

test('RAIL-09 a transfer that vanished and returns after the grace buys, since it was seen in time', async () => {
  const { body, txHash } = await seen(0)
  const bringBack = world.cash.forget(txHash)
  expect((await standingOnceGone(body)).state).toBe('New')
  world.pass(HOUR)
  bringBack()
  world.cash.amend(txHash, { confirmations: 2, atMs: world.nowMs })
  expect((await world.post('/fulfill', body)).status).toBe(200)
})
