import { beforeEach, describe, expect, test } from 'vitest'
import { accountDigest, creditAuthDigest } from '../../../api/entitlements/credit.ts'
import { PROBLEMS } from '../../../api/errors.ts'
import { DAY, MINUTE } from '../../../ops/units.ts'
import { allBoards, classicWorld, SECRET, signedFor } from './world.ts'

/** CHN-02, I3, I4: money that was confirmed leaves its chain for good before anything was given for it. */
const world = classicWorld()
let buyerId = ''
beforeEach(({ task }) => {
  buyerId = `buyer-${task.id}`
  world.cash.whole(true)
  world.goods = allBoards()
})

/** A purchase that is paid, with so much too much, and not fetched. */
async function paid(rail: 'usdc_base' | 'eth_base' = 'usdc_base', extra = 0n) {
  const terms = { sku: 'SKU_AG_HOUR_PASS_01', paymentRail: rail, creditSpendAuth: SECRET, buyerId }
  const { intentId, amountAtomic, graceUntil } = await world.open(terms)
  const body = { buyerId, intentId }
  const first = world.cash.send(rail, { atomic: BigInt(amountAtomic) + extra })
  const { json } = await world.post('/checkout/settle', await signedFor({ ...body, txHash: first }))
  expect(json.settlement.state).toBe('Confirmed')
  const send = (atomic = BigInt(amountAtomic)) => world.cash.send(rail, { atomic })
  const dueMicro = BigInt(Math.round(Number(json.settlement.dueUsdc) * 1e6))
  return { body, first, send, dueMicro, graceMs: Date.parse(graceUntil) }
}
const fulfill = (body: object) => world.post('/fulfill', body)
const standing = async (body: object) => (await world.post('/checkout/settle', body)).json.settlement
const balance = async () => {
  const holder = { account: accountDigest(buyerId), auth: creditAuthDigest(world.secret, buyerId, SECRET) }
  return (await world.credits.balance(holder))?.balanceMicro ?? 0n
}
async function watchAfter(ms: number) {
  for (const wait of [ms, MINUTE + 1]) {
    world.pass(wait)
    await world.watch()
  }
}

describe('the buyer pays again', () => {
  test.each(['usdc_base', 'eth_base'] as const)(
    '%s: the purchase is delivered for that money',
    async (rail) => {
      const { body, first, send } = await paid(rail)
      world.cash.forget(first)
      const waits = await fulfill(body)
      expect([waits.status, waits.json.code]).toEqual([503, 'settlement_pending'])
      expect(waits.json.next).toContain('send the same amount once more before settlement.expiresAt')
      const second = send()
      const said = await fulfill({ ...body, txHash: second })
      expect(said.status, said.text).toBe(200)
      expect(said.json.result.paymentAttestation.payload.transaction).toBe(second)
      expect(await balance()).toBe(0n)
      await watchAfter(8 * DAY)
      expect([(await standing(body)).notes, await balance()]).toEqual([[], 0n])
    },
  )

  test.each([
    ['usdc_base', 1],
    ['eth_base', 0],
  ] as const)('%s: that money is %i deep, and nobody is told to send more', async (rail, confirmations) => {
    const { body, first, send } = await paid(rail)
    world.cash.forget(first)
    const second = send()
    world.cash.amend(second, { confirmations })
    const { status, json } = await fulfill({ ...body, txHash: second })
    expect([status, json.code]).toEqual([503, 'settlement_pending'])
    expect(json.next).toContain('send no more money')
    expect(json.next).not.toContain('once more')
  })

  test('without a hash: the worker finds it, although nothing else waits for money', async () => {
    const { body, first, send } = await paid()
    world.cash.forget(first)
    send()
    expect((await fulfill(body)).status).toBe(503)
    expect(await world.intents.waiting(1)).toEqual([])
    expect((await world.watch()).taken).toBe(1)
    expect((await fulfill(body)).status).toBe(200)
  })

  test('both arrive: one bought, the other becomes store credit, once', async () => {
    const { body, first, send, dueMicro } = await paid()
    const bringBack = world.cash.forget(first)
    const said = await fulfill({ ...body, txHash: send() })
    expect(said.status, said.text).toBe(200)
    const held = { kind: 'paid_twice', transactions: [first] }
    expect((await standing(body)).notes).toMatchObject([{ ...held, revoked: true, attestation: null }])
    bringBack()
    await watchAfter(MINUTE)
    expect((await standing(body)).notes).toMatchObject([{ ...held, revoked: false }])
    expect(await balance()).toBe(dueMicro)
    await watchAfter(MINUTE)
    expect(await balance()).toBe(dueMicro)
    expect((await fulfill(body)).text).toBe(said.text)
  })

  test('too much each time: each surplus is credit of its own', async () => {
    const { body, first, send, dueMicro } = await paid('usdc_base', 50_000n)
    expect(await balance()).toBe(50_000n)
    const bringBack = world.cash.forget(first)
    const second = await signedFor({ ...body, txHash: send(dueMicro + 20_000n) })
    expect((await fulfill(second)).status).toBe(200)
    expect(await balance()).toBe(70_000n)
    bringBack()
    await watchAfter(MINUTE)
    expect(await balance()).toBe(70_000n + dueMicro)
  })

  test.each([
    ['while the first one is there', () => {}, 0n],
    ['less than all', (tx: string) => world.cash.forget(tx), -1n],
  ])('%s: that buys nothing more, and is store credit', async (_, lose, more) => {
    const { body, first, send, dueMicro } = await paid()
    const bringBack = lose(first)
    const second = send(dueMicro + more)
    const { state, notes } = await standing(await signedFor({ ...body, txHash: second }))
    expect(state).toBe('Confirmed')
    expect(notes).toMatchObject([{ kind: 'paid_twice', transactions: [second], revoked: false }])
    expect(await balance()).toBe(dueMicro + more)
    bringBack?.()
    const said = await fulfill(body)
    expect(said.json.result.paymentAttestation.payload.transaction).toBe(first)
  })

  test.each([
    ['at the end of the time for paying: it buys', 0, 'Confirmed', 0n],
    ['a millisecond later: it is store credit', 1, 'Confirmed', 1n],
  ])('%s', async (_, late, state, credits) => {
    const { body, first, send, dueMicro, graceMs } = await paid()
    world.cash.forget(first)
    world.pass(graceMs + late - world.nowMs)
    const second = send()
    const after = await standing(await signedFor({ ...body, txHash: second }))
    expect([after.state, await balance()]).toEqual([state, credits * dueMicro])
    expect((await fulfill(body)).status).toBe(credits === 0n ? 200 : 503)
  })

  test('CHN-04 a server that could not know the first one decides nothing', async () => {
    const { body, first, send } = await paid()
    const bringBack = world.cash.forget(first)
    world.cash.whole(false)
    const second = send()
    const { code, next } = (await fulfill({ ...body, txHash: second })).json
    expect([code, next]).toEqual(['settlement_pending', PROBLEMS.settlement_pending.next])
    expect(await standing(body)).toMatchObject({ state: 'Confirmed', transactions: [first], notes: [] })
    world.cash.whole(true)
    bringBack()
    await standing({ ...body, txHash: second })
    expect((await standing(body)).notes).toMatchObject([{ kind: 'paid_twice', transactions: [second] }])
  })
})

describe('the buyer does not pay again', () => {
  test('the purchase waits for eight days, and ends; what returns within a week is store credit', async () => {
    const { body, first, dueMicro } = await paid()
    const bringBack = world.cash.forget(first)
    await watchAfter(8 * DAY - 2 * MINUTE)
    expect((await standing(body)).state).toBe('Confirmed')
    await watchAfter(2 * MINUTE)
    expect([(await standing(body)).state, await balance()]).toEqual(['Refunded', 0n])
    expect((await fulfill(body)).json.code).toBe('intent_lapsed')
    bringBack()
    await watchAfter(MINUTE)
    expect(await balance()).toBe(dueMicro)
  })
})
