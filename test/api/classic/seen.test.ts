import { expect, test } from 'vitest'
import { encodeIntent, type Intent } from '../../../api/classic/intent.ts'
import { readIntent } from '../../../api/classic/money.ts'
import { buyerDigest } from '../../../api/entitlements/credit.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { DAY, HOUR, MINUTE } from '../../../ops/units.ts'
import { classicWorld } from './world.ts'

const world = classicWorld()
const ETH = { sku: 'SKU_AG_HOUR_PASS_01', paymentRail: 'eth_base' }

/** An intent of another buyer over the very amounts of this one. */
async function openLike(like: Intent, buyerId: string, change: Partial<Intent>): Promise<string> {
  const id = `pi_${buyerId}`
  const own = { ...like, state: 'New' as const, seen: null, buyerDigest: buyerDigest(world.secret, buyerId) }
  const names = change.state === 'Expired' ? [] : like.quotes
  const amounts = names.map(({ rail, atomic }) => ({
    ...{ amount: `${rail}:${atomic}`, untilMs: Date.now() + DAY, kinds: 1_000 },
  }))
  const at = { graceUntilMs: Date.now() + DAY, buyer: buyerId, amounts }
  expect(await world.intents.open(world.nameOf(id), encodeIntent({ ...own, ...change }), at)).toBe('opened')
  return id
}

test('CLS-04, RAIL-09 a transfer seen in time stays its intent’s until it is mined, whoever had or has the amount', async () => {
  const honest = { buyerId: 'honest', intentId: '', txHash: '' }
  const payment = await world.open({ ...ETH, buyerId: honest.buyerId })
  honest.intentId = payment.intentId
  honest.txHash = world.cash.send('eth_base', { atomic: payment.amountAtomic, from: null })
  world.cash.amend(honest.txHash, { confirmations: 0 })
  const seen = await world.post('/fulfill', honest)
  expect([seen.status, seen.json.settlement.state]).toEqual([202, 'Seen'])
  const { intent } = (await readIntent(world.nameOf(honest.intentId), world.ports))!

  world.pass(2 * HOUR) //  by the ledger's own clock too: the amounts are free again
  await world.store.redis.del(intent.quotes.map(({ rail, atomic }) => KEYS.amount(`${rail}:${atomic}`)))
  const { nowMs } = world
  const graceUntilMs = nowMs + 45 * MINUTE
  const others = {
    older: await openLike(intent, 'older', { state: 'Expired', createdMs: nowMs - DAY }),
    newer: await openLike(intent, 'newer', { createdMs: nowMs, graceUntilMs }),
  }
  world.pass(MINUTE)
  world.cash.amend(honest.txHash, { confirmations: 2, atMs: world.nowMs })
  for (const [buyerId, intentId] of Object.entries(others)) {
    const said = await world.post('/fulfill', { ...honest, buyerId, intentId })
    expect([buyerId, said.status, said.json.code]).toEqual([buyerId, 409, 'transfer_mismatch'])
  }
  expect((await world.post('/fulfill', honest)).status).toBe(200)
})

test('CLS-04, CLS-09 an older intent over the same amount takes no money that came in another’s time, as late', async () => {
  const thief = { buyerId: 'thief', intentId: '', txHash: '' }
  thief.intentId = (await world.open({ ...ETH, buyerId: thief.buyerId })).intentId
  const { intent } = (await readIntent(world.nameOf(thief.intentId), world.ports))!
  for (const { rail, atomic } of intent.quotes) {
    const amount = KEYS.amount(`${rail}:${atomic}`) //  reserved no longer, by the ledger's own clock too
    await world.store.redis.zadd(amount, Date.now() - 1, `${Date.now() - 1}:${world.nameOf(thief.intentId)}`)
    await world.store.redis.zrem(amount, `${intent.graceUntilMs}:${world.nameOf(thief.intentId)}`)
  }
  world.pass(HOUR)
  const honest = { buyerId: 'careful', txHash: '', intentId: '' }
  const graceUntilMs = world.nowMs + 45 * MINUTE
  honest.intentId = await openLike(intent, honest.buyerId, { createdMs: world.nowMs, graceUntilMs })
  const { atomic } = intent.quotes.find(({ rail }) => rail === 'eth_base')!
  thief.txHash = honest.txHash = world.cash.send('eth_base', { atomic, from: null })
  world.pass(2 * HOUR)
  const stolen = await world.post('/fulfill', thief)
  expect([stolen.status, stolen.json.code]).toEqual([409, 'transfer_mismatch'])
  expect((await world.post('/fulfill', honest)).status).toBe(200)
})
