import { describe, expect, test } from 'vitest'
import { decimalOf } from '../../../api/classic/show.ts'
import { createIntentLedger, INTENT_LIMITS } from '../../../api/ledger/intents.ts'
import { BUYER, classicWorld } from './world.ts'

const world = classicWorld({ rates: { openings: { perS: 1, burst: 5 }, looks: { perS: 1, burst: 3 } } })
const open = () => world.post('/purchase-intent', { sku: 'SKU_AG_PING_01', buyerId: BUYER })

describe('CLS-21, 8 limits of the classic path', () => {
  test('beyond the burst 429 with Retry-After; a second later one more', async () => {
    for (let at = 0; at < 5; at++) expect((await open()).status).toBe(402)
    const said = await open()
    expect([said.status, said.json.code, said.retryAfter]).toEqual([429, 'rate_limited', '1'])
    world.pass(1_000)
    expect((await open()).status).toBe(402)
    expect((await open()).status).toBe(429)
  })

  test('a body beyond its bound: 413', async () => {
    world.pass(60_000)
    const said = await world.post('/fulfill', JSON.stringify({ intentId: 'x'.repeat(200_000) }))
    expect([said.status, said.json.code]).toEqual([413, 'body_too_large'])
  })

  test.each([
    ['too_many', { perBuyer: 2 }],
    ['full', { open: 0 }],
  ])('%s: the ledger refuses another intent', async (outcome, limits) => {
    const intents = createIntentLedger(world.store.redis, { ...INTENT_LIMITS, ...limits })
    const at = { graceUntilMs: Date.now() + 60_000, buyer: `buyer-${outcome}` }
    const outcomes: string[] = []
    for (const nth of [1, 2, 3])
      outcomes.push(await intents.open(`${outcome}${nth}`, '{}', { ...at, amounts: [`${outcome}:${nth}`] }))
    expect(outcomes.at(-1)).toBe(outcome)
    expect(await intents.ownerOf(`${outcome}:3`)).toBeNull()
  })

  test('an opening repeated after a lost reply is the same one; another one never gets its amount', async () => {
    const at = { graceUntilMs: Date.now() + 60_000, buyer: 'b', amounts: ['usdc_base:7'] }
    expect(await world.intents.open('first', '{}', at)).toBe('opened')
    expect(await world.intents.open('first', '{}', at)).toBe('opened')
    expect(await world.intents.open('second', '{}', at)).toBe('collision')
    expect(await world.intents.ownerOf('usdc_base:7')).toBe('first')
  })

  test('unpaid intents that are over are kept up to a bound, the oldest are forgotten', async () => {
    const intents = createIntentLedger(world.store.redis, { ...INTENT_LIMITS, kept: 2 })
    const step = {
      ...{ body: '{}', buyer: 'k', waiting: false, unanswered: false, transfers: [] },
      forgetAtMs: Date.now() + 60_000,
    }
    for (const name of ['k1', 'k2', 'k3']) {
      await intents.open(name, '{}', { graceUntilMs: Date.now() + 60_000, buyer: 'k', amounts: [] })
      expect(await intents.step(name, 1, step)).toBe('stored')
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    expect(await intents.find('k1')).toBeNull()
    expect(await intents.find('k3')).not.toBeNull()
  })
})

test.each([
  [0n, 6, '0'],
  [1n, 6, '0.000001'],
  [2_490_000n, 6, '2.49'],
  [10n ** 18n, 18, '1'],
  [123_456_789_012_345_678_901n, 18, '123.456789012345678901'],
])('%d with %d decimals is %s', (atomic, decimals, text) => {
  expect(decimalOf(atomic, decimals)).toBe(text)
})
