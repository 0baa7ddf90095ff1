import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { REFUND_AFTER_MS } from '../../../api/classic/deliver.ts'
import { accountDigest, creditAuthDigest } from '../../../api/entitlements/credit.ts'
import { CreditNote } from '../../../api/receipts/creditNote.ts'
import { verifyParts } from '../../../api/receipts/verify.ts'
import { DAY, MINUTE } from '../../../ops/units.ts'
import { someGap } from '../../support/boards.ts'
import { gapsBody, portsOver } from '../goods/support.ts'
import { allBoards, BUYER, classicWorld, receiptKeys, SECRET, signedFor } from './world.ts'

const world = classicWorld({ openingSale: true })
const REPORT = { sku: 'SKU_INQUIRY_01', payload: { q: 'fed' } }
const NOBODYS = { sku: 'SKU_INQUIRY_01', payload: { q: 'zzqqxx' } }
let buyers = 0
let buyer = ''
beforeEach(() => {
  buyer = `unserved-${buyers++}`
  world.goods = allBoards()
})

const noBoards = () => {
  world.goods = { ...allBoards(), boards: {} }
}
const buy = (body: object, options = {}) =>
  world.post('/purchase-intent', { buyerId: buyer, ...body }, options)
const withCredit = (body: object, key = '') =>
  buy({ creditSpendAuth: SECRET, ...body }, key === '' ? {} : { headers: { 'idempotency-key': key } })
const fulfill = (intentId: string, body: object = {}) =>
  world.post('/fulfill', { buyerId: BUYER, intentId, ...body })
const stateOf = async (intentId: string) =>
  JSON.parse((await world.intents.find(world.nameOf(intentId)))!.body).state
async function paid(body: Record<string, unknown> = REPORT) {
  const payment = await world.open(body)
  const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
  return { intentId: payment.intentId as string, txHash }
}
const holder = () => ({
  account: accountDigest(buyer),
  auth: creditAuthDigest(world.secret, buyer, SECRET),
})
const give = (micro: bigint) =>
  world.credits.deposit(`lot-${buyer}-${micro}`, micro, holder().account, holder().auth)
const figures = async () => {
  const { balanceMicro, heldMicro } = (await world.credits.balance(holder()))!
  return [Number(balanceMicro), Number(heldMicro)]
}

describe('design 4 refunds: what could not be delivered for 60 s becomes store credit by itself', () => {
  test('asked for once, and never again: the worker gives the money back, with a note', async () => {
    const { intentId } = await paid()
    noBoards()
    expect((await fulfill(intentId)).json.code).toBe('no_data')
    world.pass(REFUND_AFTER_MS - 1)
    await world.watch()
    expect(await stateOf(intentId)).toBe('Confirmed')
    world.pass(1)
    await world.watch()
    const { settlement } = (await world.post('/checkout/settle', { buyerId: BUYER, intentId })).json
    expect(settlement).toMatchObject({
      state: 'Refunded',
      notes: [{ kind: 'undeliverable', creditUsdc: Number(settlement.receivedUsdc) }],
    })
    expect(settlement.notes[0].claimCode).toMatch(/^credit_/)
    world.goods = allBoards()
    expect((await fulfill(intentId)).json.code).toBe('intent_lapsed')
  })

  test('its answer was bound, and its process died: it is delivered, not refunded, and is looked at no more', async () => {
    const { intentId } = await paid()
    world.atFaultPoint = (name) => {
      if (name === 'CP8') throw new Error('killed')
    }
    expect((await fulfill(intentId)).status).toBe(500)
    world.atFaultPoint = () => {}
    expect(await stateOf(intentId)).toBe('Confirmed')
    world.pass(DAY + MINUTE)
    await world.watch()
    expect(await stateOf(intentId)).toBe('Delivered')
    expect(await world.intents.unanswered(9, Number.MAX_SAFE_INTEGER)).not.toContain(world.nameOf(intentId))
    expect((await fulfill(intentId)).status).toBe(200)
  })

  test('CRA-06 what came late was noted, and its process died before it was booked: the worker books it', async () => {
    const { intentId, amountAtomic } = await world.open({ sku: 'SKU_AG_HOUR_PASS_01' })
    world.pass(46 * MINUTE)
    await world.watch()
    const txHash = world.cash.send('usdc_base', { atomic: amountAtomic })
    const late = await signedFor({ buyerId: BUYER, intentId, txHash })
    const { deposit } = world.credits
    world.credits.deposit = () => Promise.reject(new Error('killed'))
    expect((await world.post('/checkout/settle', late)).status).toBe(500)
    world.credits.deposit = deposit
    const notes = async () => JSON.parse((await world.intents.find(world.nameOf(intentId)))!.body).notes
    expect(await notes()).toMatchObject([{ kind: 'late', deposited: false }])
    world.pass(MINUTE)
    await world.watch()
    expect(await notes()).toMatchObject([{ kind: 'late', deposited: true, to: 'lot' }])
  })

  test('the note is signed: anybody can check it, and it holds for nothing else', async () => {
    const { intentId, txHash } = await paid()
    noBoards()
    await fulfill(intentId)
    world.pass(REFUND_AFTER_MS)
    await world.watch()
    const { settlement } = (await world.post('/checkout/settle', { buyerId: BUYER, intentId })).json
    const { payload, signature, format } = CreditNote.parse(settlement.notes[0].attestation)
    expect(payload).toMatchObject({
      sku: REPORT.sku,
      kind: 'undeliverable',
      creditUsdc: settlement.receivedUsdc,
      transactions: [txHash],
      intentHash: createHash('sha256').update(`intent|${intentId}`).digest('hex'),
      revoked: false,
    })
    const verdictOf = (parts: object) => verifyParts(parts, { receiptKeys, ledger: world.store.ledger })
    expect(await verdictOf({ payload, signature })).toMatchObject({ valid: true, kind: 'store_credit_note' })
    const forgeries = [
      { ...payload, creditUsdc: '1000' },
      { ...payload, format: 'service-receipt-v1' },
    ]
    for (const forged of forgeries)
      expect(await verdictOf({ payload: forged, signature })).toEqual({
        valid: false,
        reason: 'bad_signature',
      })
    expect(format).toBe('service-credit-note-v1')
  })

  test('nobody asked for it yet: it waits for its buyer', async () => {
    const { intentId } = await paid()
    await world.watch()
    world.pass(REFUND_AFTER_MS + MINUTE)
    await world.watch()
    expect((await fulfill(intentId)).status).toBe(200)
  })

  test('its money is gone: nothing is given back', async () => {
    const { intentId, txHash } = await paid()
    noBoards()
    await fulfill(intentId)
    world.cash.forget(txHash)
    world.pass(REFUND_AFTER_MS + MINUTE)
    await world.watch()
    expect(await stateOf(intentId)).toBe('Confirmed')
  })

  test('paid with credit alone: the hold ends', async () => {
    await give(3_000_000n)
    world.loseDataOnceOpened()
    const said = await withCredit(REPORT)
    expect([said.status, said.json.payment.state]).toEqual([503, 'Confirmed'])
    expect(said.json.next).toMatch(/^What was paid for it is kept/)
    expect(await figures()).toEqual([3_000_000, 2_490_000])
    world.pass(REFUND_AFTER_MS + MINUTE)
    await world.watch()
    expect(await figures()).toEqual([3_000_000, 0])
  })
})

describe('nobody is sent to pay for what cannot be answered now', () => {
  test('a topic that nobody lists: refused before an intent, and nothing is taken', async () => {
    await give(3_000_000n)
    const before = await world.store.redis.dbsize()
    const said = await buy(NOBODYS)
    expect([said.status, said.json.code, said.json.payment]).toEqual([503, 'no_data', undefined])
    expect(await world.store.redis.dbsize()).toBe(before)
    expect((await withCredit(NOBODYS)).json.code).toBe('no_data')
    expect(await figures()).toEqual([3_000_000, 0])
  })

  test('what needs an input that comes with /fulfill is sold without one; what needs none is not sold without data', async () => {
    noBoards()
    expect((await buy({ sku: 'SKU_DLQ_01' })).status).toBe(402)
    expect((await buy({ sku: 'SKU_SIGNAL_FEED_29' })).json.code).toBe('no_data')
  })

  test.each([
    ['a topic that nobody lists', { q: 'zzqqxx' }, 503],
    ['a payload that cannot be read', { q: [] }, 400],
    ['a topic that is too long', { q: 'x'.repeat(9_000) }, 400],
  ])('CLS-22 %s takes no slot of the opening sale', async (_, payload, status) => {
    for (let nth = 0; nth < 3; nth++) {
      const agent = `${buyer}-${nth}`
      const body = { sku: 'SKU_INQUIRY_01', buyerId: agent, payload }
      expect((await world.post('/purchase-intent', body, { agent })).status).toBe(status)
    }
    expect((await world.intents.slots()).reserved).toBe(0)
  })

  test('I4 the same request again gets the intent that it opened, also when there is no data any more', async () => {
    await give(1_000_000n)
    const first = await withCredit(REPORT, 'k1')
    expect(first.status, first.text).toBe(402)
    noBoards()
    const again = await withCredit(REPORT, 'k1')
    expect([again.status, again.json.payment.intentId]).toEqual([402, first.json.payment.intentId])
  })

  test('I4 so does one without a key that was never answered', async () => {
    await give(1_000_000n)
    world.atFaultPoint = (name) => {
      if (name === 'CP11') throw new Error('the test has ended the process here')
    }
    expect((await withCredit(REPORT)).status).toBe(500)
    world.atFaultPoint = () => {}
    noBoards()
    expect((await withCredit(REPORT)).status).toBe(402)
    expect(await figures()).toEqual([1_000_000, 1_000_000])
    expect((await withCredit(REPORT)).json.code).toBe('no_data') //  answered: this is another purchase
    expect(await figures()).toEqual([1_000_000, 1_000_000])
  })
})

describe('whoever has paid is not told that nothing was charged', () => {
  test.each([
    ['a topic that nobody lists', { sku: 'SKU_INQUIRY_01' }, { payload: { q: 'zzqqxx' } }],
    ['no data', { sku: 'SKU_SIGNAL_FEED_29' }, {}],
  ])('%s', async (_, body, more) => {
    const { intentId } = await paid(body)
    if (body.sku !== 'SKU_INQUIRY_01') noBoards()
    const { status, json } = await fulfill(intentId, more)
    expect([status, json.code, json.settlement.paid]).toEqual([503, 'no_data', true])
    expect(json.next).not.toContain('nothing was charged')
    expect(json.next).toMatch(/is kept.* store credit by itself/)
  })

  test('an answer that cannot be signed: another payload is asked for', async () => {
    const { intentId } = await paid({ sku: 'SKU_AG_SPREAD_01' })
    world.goods = portsOver({ gaps: gapsBody([someGap({ topic: 'Fed \ud800' })]) })
    const { status, json } = await fulfill(intentId)
    expect([status, json.code]).toEqual([422, 'undeliverable'])
    expect(json.next).toMatch(/is kept.* another payload/)
    world.pass(REFUND_AFTER_MS)
    expect([(await fulfill(intentId)).status, await stateOf(intentId)]).toEqual([422, 'Confirmed'])
  })
})
