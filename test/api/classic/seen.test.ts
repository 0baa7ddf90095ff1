import { expect, test } from 'vitest'
import { encodeIntent, type Intent } from '../../../api/classic/intent.ts'
import { readIntent } from '../../../api/classic/money.ts'
import { whereabouts } from '../../../api/classic/whereabouts.ts'
import { buyerDigest } from '../../../api/entitlements/credit.ts'
import { intentClaimKey } from '../../../api/ledger/intentKeys.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { formerTransferKey } from '../../../api/ledger/ledger.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../ops/units.ts'
import { classicWorld } from './world.ts'

const world = classicWorld()
const ETH = { sku: 'SKU_AG_HOUR_PASS_01', paymentRail: 'eth_base' }

/** An intent of another buyer over the very amounts of this one. */
async function openLike(like: Intent, buyerId: string, change: Partial<Intent>): Promise<string> {
  const id = `pi_${buyerId}`
  const own = { ...like, state: 'New' as const, seen: null, buyerDigest: buyerDigest(world.secret, buyerId) }
  const names = change.state === 'Expired' ? [] : like.quotes
  const amounts = names.map(({ rail, atomic }) => ({
    amount: `${rail}:${atomic}`,
    untilMs: Date.now() + DAY,
    kinds: 1_000,
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

  world.pass(2 * HOUR) //  the amounts are free again, by the ledger's own clock too
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
    const amount = KEYS.amount(`${rail}:${atomic}`) //  no longer reserved, by the ledger's own clock too
    await world.store.redis.del(amount)
    await world.store.redis.zadd(amount, Date.now() - 1, `${Date.now() - 1}:${world.nameOf(thief.intentId)}`)
  }
  world.pass(HOUR)
  const honest = { buyerId: 'careful', txHash: '', intentId: '' }
  const graceUntilMs = world.nowMs + 45 * MINUTE
  honest.intentId = await openLike(intent, honest.buyerId, { createdMs: world.nowMs, graceUntilMs })
  const { atomic } = intent.quotes.find(({ rail }) => rail === 'eth_base')!
  thief.txHash = honest.txHash = world.cash.send('eth_base', { atomic, from: null })
  world.pass(2 * HOUR)
  const stolen = await world.post('/fulfill', thief)
  await world.shownNow(honest.txHash)
  expect([stolen.status, stolen.json.code]).toEqual([409, 'transfer_mismatch'])
  expect((await world.post('/fulfill', honest)).status).toBe(200)
})

test('CLS-04 the last seconds of an intent’s grace are its own, also when the clock of the ledger gave its amount away early', async () => {
  const honest = { buyerId: 'last-minute', intentId: '', txHash: '' }
  const payment = await world.open({ ...ETH, buyerId: honest.buyerId })
  honest.intentId = payment.intentId
  const { intent } = (await readIntent(world.nameOf(honest.intentId), world.ports))!
  const { graceUntilMs } = intent
  const amountOf = ({ rail, atomic }: Intent['quotes'][number]) => KEYS.amount(`${rail}:${atomic}`)
  for (const quote of intent.quotes)
    await world.store.redis.rename(amountOf(quote), `${amountOf(quote)}:kept`)
  const early = { createdMs: graceUntilMs - 5 * SECOND, graceUntilMs: graceUntilMs + 45 * MINUTE }
  const next = { ...honest, buyerId: 'next', intentId: await openLike(intent, 'next', early) }
  for (const quote of intent.quotes) {
    const [last] = await world.store.redis.zrange(amountOf(quote), '0', '0')
    await world.store.redis.rename(`${amountOf(quote)}:kept`, amountOf(quote))
    await world.store.redis.zadd(amountOf(quote), graceUntilMs - SECOND, last!)
  }
  world.pass(graceUntilMs - 2 * SECOND - world.nowMs)
  next.txHash = honest.txHash = world.cash.send('eth_base', { atomic: payment.amountAtomic, from: null })
  world.pass(MINUTE)
  const stolen = await world.post('/fulfill', next)
  await world.shownNow(honest.txHash)
  expect([stolen.status, stolen.json.code]).toEqual([409, 'transfer_mismatch'])
  expect((await world.post('/fulfill', honest)).status).toBe(200)
})

test('RAIL-09, CLS-09 what an intent saw and gave up is its late money when it is mined, whoever had the amount since', async () => {
  const slow = { buyerId: 'slow', intentId: '', txHash: '' }
  const payment = await world.open({ ...ETH, buyerId: slow.buyerId })
  slow.intentId = payment.intentId
  slow.txHash = world.cash.send('eth_base', { atomic: payment.amountAtomic, from: null })
  world.cash.amend(slow.txHash, { confirmations: 0 })
  expect((await world.post('/fulfill', slow)).status).toBe(202)
  const { intent } = (await readIntent(world.nameOf(slow.intentId), world.ports))!
  world.pass(3 * DAY + HOUR)
  await world.watch()
  expect((await readIntent(world.nameOf(slow.intentId), world.ports))!.intent.state).toBe('Expired')
  for (const { rail, atomic } of intent.quotes) {
    await world.store.redis.del(KEYS.amount(`${rail}:${atomic}`))
    await world.store.redis.zadd(KEYS.amount(`${rail}:${atomic}`), world.nowMs, `${world.nowMs + DAY}:other`)
  }
  world.cash.amend(slow.txHash, { confirmations: 2, atMs: world.nowMs })
  const said = await world.post('/fulfill', slow)
  expect([said.status, said.json.code]).toEqual([409, 'intent_lapsed'])
  expect(said.json.settlement.notes).toMatchObject([{ kind: 'late', transactions: [slow.txHash] }])
})

test('RAIL-11 the first sight of a transfer counts as its time, however late it is in a block and how often it is seen', async () => {
  const early = { buyerId: 'early', intentId: '', txHash: '' }
  const payment = await world.open({ ...ETH, buyerId: early.buyerId })
  early.intentId = payment.intentId
  early.txHash = world.cash.send('eth_base', { atomic: payment.amountAtomic, from: null })
  for (const confirmations of [0, 1]) {
    world.cash.amend(early.txHash, { confirmations, atMs: world.nowMs })
    const said = await world.post('/fulfill', early)
    expect([said.status, said.json.settlement.confirmations]).toEqual([202, { have: confirmations, need: 2 }])
    world.pass(HOUR)
  }
  world.cash.amend(early.txHash, { confirmations: 2 })
  expect((await world.post('/fulfill', early)).status).toBe(200)
})

test('CLS-06 the worker takes a transfer whose block is stamped a little before its intent, and none of before that', async () => {
  const own = { sku: 'SKU_AG_HOUR_PASS_01', paymentRail: 'usdc_base', buyerId: 'stamped' }
  for (const [beforeMs, taken] of [[15 * SECOND, 1] as const, [15 * SECOND + 1, 0] as const]) {
    const { intentId, amountAtomic } = await world.open(own)
    const [had] = await world.store.redis.zrange(KEYS.amount(`usdc_base:${amountAtomic}`), '0', '0')
    await world.store.redis.zadd(KEYS.amount(`usdc_base:${amountAtomic}`), world.nowMs, had!)
    world.cash.send('usdc_base', { atomic: amountAtomic, from: null, atMs: world.nowMs - beforeMs })
    expect(await world.watch()).toMatchObject({ taken, failed: 0 })
    const read = await readIntent(world.nameOf(intentId), world.ports)
    expect(read!.intent.state).toBe(taken === 1 ? 'Confirmed' : 'New')
  }
})

test('CRA-06 died between its sight of a transfer and the note that it is nobody else’s: it was in time all the same', async () => {
  const buyerId = 'saw-it-and-died'
  const { intentId, amountAtomic } = await world.open({ ...ETH, buyerId })
  const txHash = world.cash.send('eth_base', { atomic: amountAtomic, from: null })
  world.cash.amend(txHash, { confirmations: 0 })
  const { see } = world.intents
  world.intents.see = async () => {
    throw new Error('dies')
  }
  expect((await world.post('/fulfill', { intentId, buyerId, txHash })).status).toBe(500)
  world.intents.see = see
  world.pass(HOUR)
  world.cash.amend(txHash, { confirmations: 2, atMs: world.nowMs })
  const said = await world.post('/fulfill', { intentId, buyerId, txHash })
  expect(said.status, said.text).toBe(200)
})

test('CLS-06 a buyer without its hash finds one that is stamped so too', async () => {
  const buyerId = 'stamped-early'
  const { intentId, amountAtomic } = await world.open({ sku: 'SKU_AG_HOUR_PASS_01', buyerId })
  world.cash.send('usdc_base', { atomic: amountAtomic, from: null, atMs: world.nowMs - 15 * SECOND })
  expect((await world.post('/fulfill', { intentId, buyerId })).status).toBe(200)
})

test('I1, I4 what an intent took under its former name is there, and taken once, under the new one', async () => {
  const buyerId = 'former-name'
  const { intentId, amountAtomic } = await world.open({ sku: 'SKU_AG_HOUR_PASS_01', buyerId })
  const txHash = world.cash.send('usdc_base', { atomic: amountAtomic, from: null })
  await world.watch()
  const formerKey = formerTransferKey(8453, txHash, 7)
  const name = world.nameOf(intentId)
  const { intent } = (await readIntent(name, world.ports))!
  const transfers = intent.transfers.map((taken) => ({ ...taken, key: formerKey }))
  await world.store.redis.hset(KEYS.intent(name), 'body', encodeIntent({ ...intent, transfers }))
  world.cash.amend(txHash, { formerKey })
  expect(await whereabouts({ ...intent, transfers }, world.cash.rails)).toBe('there')
  const { json } = await world.post('/checkout/settle', { intentId, buyerId, txHash })
  expect(json.settlement).toMatchObject({ state: 'Confirmed', transactions: [txHash], notes: [] })
})

test('5.3 a worker that was away finds what came in an intent’s time, to the end of its grace', async () => {
  const { intentId, amountAtomic } = await world.open({ sku: 'SKU_AG_HOUR_PASS_01', buyerId: 'away' })
  world.cash.send('usdc_base', { atomic: amountAtomic, from: null })
  world.pass(45 * MINUTE)
  expect(await world.watch()).toMatchObject({ taken: 1, failed: 0 })
  const read = await readIntent(world.nameOf(intentId), world.ports)
  expect(read!.intent.state).toBe('Confirmed')
})

test('I4 what was paid on a rail that is offered no more counts as it did: nobody can tell otherwise', async () => {
  const buyerId = 'withdrawn'
  const { intentId, amountAtomic } = await world.open({ sku: 'SKU_AG_HOUR_PASS_01', buyerId })
  world.cash.send('usdc_base', { atomic: amountAtomic, from: null })
  await world.watch()
  const { intent } = (await readIntent(world.nameOf(intentId), world.ports))!
  const others = world.cash.rails.filter(({ id }) => id !== 'usdc_base')
  expect(await whereabouts(intent, others)).toBe('final')
  expect(await whereabouts(intent, world.cash.rails)).toBe('there')
})

test('I4 of what paid for one purchase the worst counts: gone, then what no server can tell', async () => {
  const buyerId = 'two-parts'
  const { intentId, amountAtomic } = await world.open({ sku: 'SKU_AG_HOUR_PASS_01', buyerId })
  const txHash = world.cash.send('usdc_base', { atomic: amountAtomic, from: null })
  await world.watch()
  const { intent } = (await readIntent(world.nameOf(intentId), world.ports))!
  const other = { ...intent.transfers[0]!, key: 'other', tx: `0x${'0'.repeat(64)}` }
  const both = { ...intent, transfers: [...intent.transfers, other] }
  world.cash.whole(false)
  expect(await whereabouts(both, world.cash.rails)).toBe('unsure')
  world.cash.fail(txHash)
  expect(await whereabouts(both, world.cash.rails)).toBe('gone')
  world.cash.whole(true)
})

test.each([
  ['for an hour more late money is found by its amount alone', HOUR, [{ kind: 'late' }]],
  ['after that it has to be named', HOUR + 1, []],
])('CLS-09 %s', async (_, afterMs, notes) => {
  const buyerId = `late-${afterMs}`
  const payment = await world.open({ sku: 'SKU_AG_HOUR_PASS_01', buyerId })
  world.pass(45 * MINUTE + 1)
  const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic, from: null })
  world.pass(afterMs - 1)
  const fulfil = { intentId: payment.intentId, buyerId }
  await world.post('/checkout/settle', fulfil)
  await world.unclaimed(txHash)
  const { json } = await world.post('/checkout/settle', fulfil)
  expect(json.settlement.notes).toMatchObject(notes)
  await world.post('/checkout/settle', { ...fulfil, txHash })
  await world.unclaimed(txHash)
  const named = await world.post('/checkout/settle', { ...fulfil, txHash })
  expect(named.json.settlement.notes).toMatchObject([{ kind: 'late', transactions: [txHash] }])
})

test('I4 an answer that is kept no longer is not made again, also where nobody noted that it was delivered', async () => {
  const buyerId = 'a-day-later'
  const payment = await world.open({ sku: 'SKU_AG_HOUR_PASS_01', buyerId })
  const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic, from: null })
  const fulfil = { intentId: payment.intentId, buyerId, txHash }
  expect((await world.post('/fulfill', fulfil)).status).toBe(200)
  const name = world.nameOf(payment.intentId)
  await world.store.redis.del(KEYS.claim(intentClaimKey(name)))
  const { intent } = (await readIntent(name, world.ports))!
  for (const state of ['Delivered', 'Confirmed'] as const) {
    await world.store.redis.hset(KEYS.intent(name), 'body', encodeIntent({ ...intent, state }))
    const said = await world.post('/fulfill', fulfil)
    expect([state, said.json.code]).toEqual([state, 'answer_expired'])
  }
})
