import { describe, expect, test } from 'vitest'
import { encodeIntent, type Intent } from '../../../api/classic/intent.ts'
import { readIntent } from '../../../api/classic/money.ts'
import { show, takeTransfer } from '../../../api/classic/take.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import type { Rail, RailTransfer } from '../../../api/rails/rail.ts'
import { MINUTE, SECOND } from '../../../ops/units.ts'
import { classicWorld } from './world.ts'

const world = classicWorld()
const ATOMIC = 20_123n

/** An intent over this amount of bitcoin, opened now. */
async function opened(name: string): Promise<Intent> {
  await world.store.redis.del(KEYS.amount(`btc:${ATOMIC}`))
  const { intentId } = await world.open({ sku: 'SKU_AG_HOUR_PASS_01' })
  const { intent } = (await readIntent(world.nameOf(intentId), world.ports))!
  const quote = {
    rail: 'btc',
    atomic: ATOMIC,
    plain: 20_500n,
    validUntilMs: world.nowMs,
    source: 'test',
  } as const
  const own: Intent = { ...intent, rail: 'btc', quotes: [quote], opener: name, place: name, site: name }
  const graceUntilMs = world.nowMs + 45 * MINUTE
  const amounts = [{ amount: `btc:${ATOMIC}`, untilMs: graceUntilMs + 60 * MINUTE, kinds: 1_000 }]
  expect(await world.intents.open(name, encodeIntent(own), { graceUntilMs, buyer: name, amounts })).toBe(
    'opened',
  )
  return own
}
const arrived = (nth: number, beforeMs: number): RailTransfer => ({
  key: `bitcoin:${String(nth).repeat(64)}:0`,
  rail: 'btc',
  tx: String(nth).repeat(64),
  index: 0,
  from: null,
  to: 'bc1q',
  atomic: ATOMIC,
  confirmations: 6,
  atMs: world.nowMs - beforeMs,
  byAuthorization: false,
})
const rail = () =>
  ({ ...world.cash.rails[0]!, id: 'btc', chain: 'bitcoin', confirmationsFor: () => 1 }) as Rail

describe('CLS-03, CLS-06 a block that is stamped before the intent, by more than clocks differ', () => {
  test('who sees money that nobody has told of yet, and opens intents until one fits, does not have it at once', async () => {
    const transfer = arrived(1, 40 * MINUTE)
    const thief = await opened('early-thief')
    const take = () => takeTransfer('early-thief', thief, transfer, rail(), false, world.ports)
    expect((await take()).kind).toBe('waits')
    await show('early-owner', { creditTo: null }, transfer, world.ports) //  whatever the answer
    await world.store.redis.zincrby(KEYS.contenders(transfer.key), -10 * MINUTE, 'early-thief')
    expect(await take()).toEqual({ kind: 'refused', why: 'contended' })
  })

  test('nobody else tells of it for ten minutes: it is in time, and pays', async () => {
    const transfer = arrived(2, 60 * MINUTE)
    const mine = await opened('early-mine')
    const take = () => takeTransfer('early-mine', mine, transfer, rail(), false, world.ports)
    expect((await take()).kind).toBe('waits')
    await world.store.redis.zincrby(KEYS.contenders(transfer.key), -10 * MINUTE, 'early-mine')
    expect(await take()).toMatchObject({ kind: 'booked', intent: { state: 'Confirmed' } })
  })

  test.each([
    ['as much as clocks differ', 15 * SECOND, false],
    ['seen before its block came', 40 * MINUTE, true],
  ])('%s: it pays at once', async (name, beforeMs, isSeen) => {
    const transfer = arrived(isSeen ? 3 : 4, beforeMs)
    const mine = await opened(name)
    if (isSeen) await world.intents.see(transfer.key, name)
    const taking = await takeTransfer(name, mine, transfer, rail(), false, world.ports)
    expect(taking).toMatchObject({ kind: 'booked', intent: { state: 'Confirmed' } })
  })
})
