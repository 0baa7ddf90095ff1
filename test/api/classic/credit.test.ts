import { beforeEach, describe, expect, test } from 'vitest'
import { watchIntents } from '../../../api/classic/watch.ts'
import { accountDigest, creditAuthDigest } from '../../../api/entitlements/credit.ts'
import { WRONG_AT_ONCE } from '../../../api/entitlements/guesses.ts'
import { digestOfToken } from '../../../api/entitlements/token.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { classOf } from '../../../api/worker/books/classes.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { MINUTE } from '../../../ops/units.ts'
import { named, quietLog } from '../../support/ledger.ts'
import { allBoards, classicWorld, type Said, SECRET } from './world.ts'

const world = classicWorld()
const REPORT = { sku: 'SKU_INQUIRY_01', payload: {} }
let buyers = 0
let buyer = ''
beforeEach(() => {
  buyer = `credit-buyer-${buyers++}`
  world.goods = allBoards()
})

const holder = () => ({
  account: accountDigest(buyer),
  auth: creditAuthDigest(world.secret, buyer, SECRET),
})
const give = (micro: bigint) =>
  world.credits.deposit(`lot-${buyer}-${micro}`, micro, holder().account, holder().auth)
const figures = async () => {
  const found = await world.credits.balance(holder())
  return found === null ? null : [found.balanceMicro, found.heldMicro]
}
const buy = (body: object = REPORT, key = '') =>
  world.post(
    '/purchase-intent',
    { buyerId: buyer, creditSpendAuth: SECRET, ...body },
    { headers: key === '' ? {} : { 'idempotency-key': key } },
  )
const fulfill = (intentId: string, body: object = {}) =>
  world.post('/fulfill', { buyerId: buyer, intentId, ...body })

describe('3, 5.4 credit that covers the SKU: the payable amount is 0 and it is delivered at once', () => {
  test('200 with the result; the credit is debited once; /fulfill gives the same result', async () => {
    await give(3_000_000n)
    const said = await buy()
    expect(said.status, said.text).toBe(200)
    expect(said.json).toMatchObject({
      ok: true,
      result: { purchase: { rail: 'store_credit', creditSpentUsdc: 2.49 } },
      payment: { amountAsset: '0', amountUsdc: '0', creditUsdc: '2.49', state: 'Delivered' },
    })
    const again = await fulfill(said.json.payment.intentId)
    expect(again.json).toEqual({
      ok: said.json.ok,
      protocol: 'classic',
      sku: said.json.sku,
      mode: 'sandbox',
      result: said.json.result,
    })
    expect(await figures()).toEqual([510_000n, 0n])
  })

  test('RCP-08 the receipt names the account by nothing that can be tried with names', async () => {
    await give(6_000_000n)
    const [one, two] = [await buy(), await buy()]
    const [payer, other] = [one, two].map(({ json }) => json.result.paymentAttestation.payload.payer)
    expect(payer).toMatch(/^account:[0-9a-f]{32}$/)
    expect(other).toBe(payer)
    expect(payer).not.toContain(holder().account.slice(0, 12))
  })

  test('the input is missing: it is told that the credit is kept and where the input goes, and not to begin anew', async () => {
    await give(12_000_000n)
    const said = await buy({ sku: 'SKU_DLQ_01' })
    expect([said.status, said.json.code]).toEqual([400, 'invalid_parameter'])
    expect(await figures()).toEqual([12_000_000n, 10_450_000n])
    expect(said.json.next).toMatch(
      /^What was paid for it is kept; send no more\. POST \/fulfill with another payload/,
    )
    expect(said.json.payment.howTo).toMatch(
      /^Nothing to pay\. POST \/fulfill with .* Send the payload of this item with \/fulfill: payload\.samples is needed\.$/,
    )
    const fetched = await fulfill(said.json.payment.intentId, { payload: { samples: ['all is well'] } })
    expect(fetched.status, fetched.text).toBe(200)
    expect(await figures()).toEqual([1_550_000n, 0n])
  })

  test('what the account has now is told beside the answer, and beside a 402 for the rest; not who has none', async () => {
    await give(3_000_000n)
    const told = ({ status, header }: Said) => [
      status,
      ...['balance', 'held'].map((name) => header(`x-service-credit-${name}-usdc`)),
    ]
    expect(told(await buy())).toEqual([200, '0.51', '0'])
    expect(told(await buy())).toEqual([402, '0', '0.51'])
    expect(told(await buy())).toEqual([402, null, null])
    const body = { buyerId: buyer, sku: 'SKU_TIP_00', options: { tipUsdc: 1 } }
    expect(told(await world.post('/purchase-intent', body))).toEqual([402, null, null])
  })

  test('the ledger fills up once its credit is held: nothing of it stays held', async () => {
    await give(3_000_000n)
    const { open } = world.intents
    world.intents.open = async () => {
      world.intents.open = open
      throw new UnavailableError('ledger_full', 'no')
    }
    const said = await buy()
    expect([said.status, said.json.code, said.header('retry-after')]).toEqual([503, 'ledger_full', '2'])
    expect(await figures()).toEqual([3_000_000n, 0n])
  })

  test('the ledger is away once its credit is held: whether it was opened is not known, so it stays held', async () => {
    await give(3_000_000n)
    const { open } = world.intents
    world.intents.open = async () => {
      world.intents.open = open
      throw new UnavailableError('ledger_unavailable', 'no')
    }
    const said = await buy()
    expect([said.status, said.json.code]).toEqual([503, 'ledger_unavailable'])
    expect(await figures()).toEqual([3_000_000n, 2_490_000n])
  })

  test('CLS-20 paid on chain as well: delivered once, and the transfer buys nothing: it is to be given back', async () => {
    await give(3_000_000n)
    const said = await buy()
    const { intentId } = said.json.payment
    const txHash = world.cash.send('usdc_base', { atomic: 2_490_000n })
    const sales = await world.store.redis.xlen(KEYS.sales)
    for (const side of [0, 1]) {
      const again = await world.post('/fulfill', { buyerId: buyer, intentId, txHash }, { side })
      expect([again.status, again.json.result]).toEqual([200, said.json.result])
    }
    await world.watch()
    expect(await world.store.redis.xlen(KEYS.sales)).toBe(sales)
    expect(await figures()).toEqual([510_000n, 0n])
    const owner = await world.store.redis.get(`spent:tx:8453:${txHash}:log0`)
    expect(classOf({ owner, claim: null, intentState: null }, Date.now(), Date.now())).toBe('unattributed')
  })

  test('another secret spends nothing: 402 credit_refused', async () => {
    await give(3_000_000n)
    const said = await buy({ ...REPORT, creditSpendAuth: 'another-secret-xx' })
    expect([said.status, said.json.code]).toEqual([402, 'credit_refused'])
    expect(await figures()).toEqual([3_000_000n, 0n])
  })

  test('it cannot be answered now: refused, and the credit is free again when the time is over', async () => {
    await give(3_000_000n)
    world.loseDataOnceOpened()
    const said = await buy()
    expect([said.status, said.json.code]).toEqual([503, 'no_data'])
    expect(await figures()).toEqual([3_000_000n, 2_490_000n])
    world.pass(46 * MINUTE)
    await world.watch()
    expect(await figures()).toEqual([3_000_000n, 0n])
  })

  test('the answer waits: the same intent can be fulfilled when there is data', async () => {
    await give(3_000_000n)
    world.loseDataOnceOpened()
    const { payment } = (await buy()).json
    world.goods = allBoards()
    expect((await fulfill(payment.intentId)).status).toBe(200)
    expect(await figures()).toEqual([510_000n, 0n])
  })
})

describe('the worker listed it as waiting, and its money came before the worker looked at it', () => {
  test('I4 the credit beside that money stays held, and both buy', async () => {
    await give(1_000_000n)
    const { payment } = (await buy()).json
    const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    const body = { buyerId: buyer, intentId: payment.intentId, txHash }
    expect((await world.post('/checkout/settle', body)).json.settlement.state).toBe('Confirmed')
    const waiting = async () => [world.nameOf(payment.intentId)]
    await watchIntents({ ...world.ports, intents: { ...world.intents, waiting }, log: quietLog })
    expect(await figures()).toEqual([1_000_000n, 1_000_000n])
    const said = await fulfill(payment.intentId)
    expect([said.status, said.json.result?.purchase.creditSpentUsdc]).toEqual([200, 1])
    expect(await figures()).toEqual([0n, 0n])
  })
})

describe('credit that leaves less than can be asked for', () => {
  const PING = { sku: 'SKU_AG_PING_01', payload: { echo: 'hello' } } // 0.01

  test('four units have no amount of their own: refused with what to do, and the credit is as it was', async () => {
    await give(9_996n)
    const said = await buy(PING)
    expect([said.status, said.json.code]).toEqual([422, 'amount_too_small'])
    expect(said.json.detail).toBe(
      'Store credit pays all but 0.000004 USDC, which is too little to ask for on this rail.',
    )
    expect(said.json.next).toMatch(/^Leave out creditSpendAuth and pay the whole price/)
    expect(await figures()).toEqual([9_996n, 0n])
    const whole = await buy({ ...PING, creditSpendAuth: undefined })
    expect([whole.status, whole.json.payment.creditUsdc]).toEqual([402, '0'])
  })

  test('five have one', async () => {
    await give(9_995n)
    const said = await buy(PING)
    expect([said.status, said.json.payment.amountAtomic]).toEqual([402, '4'])
  })
})

describe('CRD-08 credit that covers a part', () => {
  test('payable is price less balance, to the unit; both are spent when the rest comes', async () => {
    await give(1_000_001n)
    const said = await buy()
    const { payment } = said.json
    expect(payment).toMatchObject({
      priceUsdc: '2.49',
      creditUsdc: '1.000001',
      amountUsdc: payment.amountAsset,
    })
    expect(BigInt(said.json.payment.amountAtomic)).toBeLessThan(1_489_999n)
    expect(await figures()).toEqual([1_000_001n, 1_000_001n])
    world.cash.send('usdc_base', { atomic: said.json.payment.amountAtomic })
    const answer = await fulfill(said.json.payment.intentId)
    expect(answer.status, answer.text).toBe(200)
    const { amountAtomic } = answer.json.result.paymentAttestation.payload
    expect(BigInt(amountAtomic)).toBe(1_000_001n + BigInt(said.json.payment.amountAtomic))
    expect(await figures()).toEqual([0n, 0n])
  })

  test('it stands for as long as the rest may come', async () => {
    await give(1_000_000n)
    const name = world.nameOf((await buy()).json.payment.intentId)
    const isOver = async (ms: number) =>
      (await world.credits.expiredHolds(world.nowMs + ms, 1_000)).some(({ purchase }) => purchase === name)
    expect([await isOver(45 * MINUTE - 1), await isOver(45 * MINUTE)]).toEqual([false, true])
  })

  test('the rest never comes: the reservation is released', async () => {
    await give(1_000_000n)
    await buy()
    world.pass(46 * MINUTE)
    await world.watch()
    expect(await figures()).toEqual([1_000_000n, 0n])
  })

  test('covers it all, and what it is to be about never comes: held until its grace is over, like any purchase', async () => {
    await give(20_000_000n)
    const said = await buy({ sku: 'SKU_DLQ_01' })
    expect([said.status, said.json.code]).toEqual([400, 'invalid_parameter'])
    const held = 10_450_000n
    world.pass(45 * MINUTE - 1)
    await world.watch()
    expect(await figures()).toEqual([20_000_000n, held])
    world.pass(1)
    await world.watch()
    expect(await figures()).toEqual([20_000_000n, 0n])
    const late = await fulfill(said.json.payment.intentId, { payload: { samples: ['timeout'] } })
    expect([late.status, late.json.code]).toEqual([409, 'intent_lapsed'])
  })

  test('it cannot be delivered for a minute: what was held is free at once, what came is credit', async () => {
    await give(1_000_000n)
    const { payment } = (await buy({ sku: 'SKU_SIGNAL_FEED_29' })).json
    const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    world.goods = { ...allBoards(), boards: {} }
    expect((await fulfill(payment.intentId, { txHash })).json.code).toBe('no_data')
    expect(await figures()).toEqual([1_000_000n, 1_000_000n])
    world.pass(MINUTE)
    expect((await fulfill(payment.intentId)).json.code).toBe('intent_lapsed')
    expect(await figures()).toEqual([1_000_000n + BigInt(payment.amountAtomic), 0n])
  })

  test('released and spent elsewhere before the rest arrived: nothing is given for half, the money is credit', async () => {
    await give(1_000_000n)
    const { payment } = (await buy()).json
    const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    await world.credits.endHold(world.nameOf(payment.intentId), holder().account, 'released')
    await world.credits.hold('elsewhere', 1_000_000n, holder(), world.nowMs + MINUTE, named())
    const said = await fulfill(payment.intentId, { txHash })
    expect([said.status, said.json.code]).toEqual([409, 'intent_lapsed'])
    const sent = BigInt(payment.amountAtomic)
    expect(said.json.settlement.notes).toMatchObject([
      { kind: 'undeliverable', creditUsdc: Number(sent) / 1e6 },
    ])
    expect(await figures()).toEqual([1_000_000n + sent, 1_000_000n])
  })
})

test('CRD-09 a hundred intents on one balance reserve it once, and all of it is free again', async () => {
  await give(2_000_000n)
  const said = await Promise.all(Array.from({ length: 100 }, (_, nth) => buy(REPORT, `order-${nth}`)))
  const credited = said.map(({ json }) => Number(json.payment.creditUsdc))
  expect(credited.reduce((sum, usdc) => sum + usdc, 0)).toBe(2)
  expect(await figures()).toEqual([2_000_000n, 2_000_000n])
  world.pass(46 * MINUTE)
  while ((await world.watch()).lapsed > 0);
  expect(await figures()).toEqual([2_000_000n, 0n])
})

describe('CRD-10 credit is not bought with credit', () => {
  test('the secret only says whose the credit will be: the whole price is due', async () => {
    await give(9_000_000n)
    const said = await buy({ sku: 'SKU_AG_CREDITS_02' })
    expect([said.status, said.json.payment.priceUsdc, said.json.payment.creditUsdc]).toEqual([402, '2', '0'])
    expect(await figures()).toEqual([9_000_000n, 0n])
    world.cash.send('usdc_base', { atomic: said.json.payment.amountAtomic })
    const answer = await fulfill(said.json.payment.intentId)
    expect(answer.json.result.storeCredit).toMatchObject({ creditUsdc: 2, balanceUsdc: 11 })
    expect((await fulfill(said.json.payment.intentId)).text).toBe(answer.text)
    expect(await figures()).toEqual([11_000_000n, 0n])
  })
})

test('a secret without credit is no refusal: the whole price is due', async () => {
  const said = await buy()
  expect([said.status, said.json.payment.creditUsdc]).toEqual([402, '0'])
})

test('5.4 the secret may come as X-Service-Credit-Auth', async () => {
  await give(3_000_000n)
  const said = await world.post(
    '/purchase-intent',
    { buyerId: buyer, ...REPORT },
    { headers: { 'x-service-credit-auth': SECRET } },
  )
  expect(said.status, said.text).toBe(200)
  expect(await figures()).toEqual([510_000n, 0n])
})

describe('CRD-11 an account whose money has left its chain', () => {
  const freeze = () =>
    world.store.redis.hset(`credit:account:${holder().account}`, { frozen: '1', debt: '2000000' })
  const waiting = async () => (await world.intents.waiting(10_000)).length

  test('opens no claim code: 409 credit_frozen and no price; the code stays good for another account', async () => {
    await give(1n)
    await freeze()
    const { settlement } = await lot()
    const { claimCode } = settlement.notes[0]
    const before = await waiting()
    const said = await buy({ ...REPORT, claimCode })
    expect([said.status, said.json.code, said.json.payment]).toEqual([409, 'credit_frozen', undefined])
    expect(await waiting()).toBe(before)
    const other = { account: `other-${buyer}`, auth: 'mine' }
    expect(await world.credits.openLot(digestOfToken(claimCode), other)).toBe('opened')
  })

  test('CRD-03 its own secret is no guess: however often it is sent with a code, its owner does not have to wait', async () => {
    await give(1n)
    await freeze()
    const { claimCode } = (await lot()).settlement.notes[0]
    for (let sent = 0; sent <= WRONG_AT_ONCE; sent++)
      expect((await buy({ ...REPORT, claimCode })).json.code).toBe('credit_frozen')
  })

  test('is sold no credit: 409 before any money is asked for, also when the purchase is asked for again', async () => {
    const pack = { sku: 'SKU_AG_CREDITS_02' }
    await give(1n)
    expect((await buy(pack, 'k1')).status).toBe(402)
    await freeze()
    const before = await waiting()
    for (const key of ['', 'k1', 'k2']) {
      const said = await buy(pack, key)
      expect([said.status, said.json.code, said.json.payment]).toEqual([409, 'credit_frozen', undefined])
    }
    expect(await waiting()).toBe(before)
    expect((await buy({ ...pack, creditSpendAuth: 'another-secret-xx' })).json.code).toBe('credit_refused')
    expect((await buy({ ...pack, creditSpendAuth: '' })).status).toBe(402)
  })

  test('what was released before is not spent after all: nothing is given for it', async () => {
    await give(5_000_000n)
    const good = world.goods
    world.loseDataOnceOpened()
    const { payment } = (await buy()).json
    await world.credits.endHold(world.nameOf(payment.intentId), holder().account, 'released')
    await freeze()
    world.goods = good
    const said = await fulfill(payment.intentId)
    expect([said.status, said.json.code]).toEqual([409, 'intent_lapsed'])
    expect(await figures()).toEqual([5_000_000n, 0n])
  })

  test('what it paid for before is answered', async () => {
    const pack = { sku: 'SKU_AG_CREDITS_02' }
    await give(1n)
    const { payment } = (await buy(pack, 'k1')).json
    world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    await world.watch()
    await freeze()
    const said = await buy(pack, 'k1')
    expect([said.status, said.json.result.storeCredit.creditUsdc]).toEqual([200, 2])
    expect(said.json.result.storeCredit.claimCode).toMatch(/^credit_/)
    expect(await figures()).toEqual([1n, 0n])
  })

  /** An intent that belongs to no account, paid twice: the second payment becomes a lot. */
  async function lot() {
    const payment = await world.open({ sku: 'SKU_INQUIRY_01', payload: {}, buyerId: `lot-of-${buyer}` })
    const asked = { buyerId: `lot-of-${buyer}`, intentId: payment.intentId }
    for (const _ of [1, 2]) {
      const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
      await world.post('/fulfill', { ...asked, txHash })
    }
    return (await world.post('/checkout/settle', asked)).json
  }
})

describe('I4, decision 010: credit that could not go onto its account is under a claim code, which its buyer sees', () => {
  const OTHER = 'another-secret-of-mine'
  const others = () => ({
    account: accountDigest(buyer),
    auth: creditAuthDigest(world.secret, buyer, OTHER),
  })
  const settle = async (intentId: string) =>
    (await world.post('/checkout/settle', { buyerId: buyer, intentId })).json.settlement
  /** Opens with the secret and pays twice; in between the account is locked by the holder in `lock`. */
  async function paidTwice(lock: { account: string; auth: string }) {
    const { payment } = (await buy()).json
    await world.credits.deposit(`lock-${buyer}`, 1n, lock.account, lock.auth)
    world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    expect((await fulfill(payment.intentId)).status).toBe(200)
    const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    await fulfill(payment.intentId, { txHash })
    return { intentId: payment.intentId as string, micro: BigInt(payment.amountAtomic) }
  }

  test('the account is his: onto it, and no code', async () => {
    const { intentId, micro } = await paidTwice(holder())
    expect((await settle(intentId)).notes).toMatchObject([{ kind: 'paid_twice', claimCode: null }])
    expect(await figures()).toEqual([1n + micro, 0n])
  })

  test('it was locked by another secret meanwhile: the code opens it, onto an account of the buyer’s, once', async () => {
    const { intentId, micro } = await paidTwice(others())
    const [note] = (await settle(intentId)).notes
    expect((await world.credits.balance(others()))?.balanceMicro).toBe(1n)
    const mine = { account: `new-${buyer}`, auth: 'mine' }
    expect(await world.credits.openLot(digestOfToken(note.claimCode), mine)).toBe('opened')
    expect((await world.credits.balance(mine))?.balanceMicro).toBe(micro)
    expect(await world.credits.openLot(digestOfToken(note.claimCode), others())).toBe('unknown')
  })

  test('CRD-11 it was frozen meanwhile: the code opens it, onto another account of the buyer’s, once', async () => {
    const { payment } = (await buy()).json
    await world.credits.deposit(`lock-${buyer}`, 1n, holder().account, holder().auth)
    world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    expect((await fulfill(payment.intentId)).status).toBe(200)
    await world.store.redis.hset(`credit:account:${holder().account}`, { frozen: '1', debt: '2000000' })
    const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    await fulfill(payment.intentId, { txHash })
    const [note] = (await settle(payment.intentId)).notes
    expect(note).toMatchObject({ kind: 'paid_twice', claimCode: expect.stringMatching(/^credit_/) })
    expect(await figures()).toEqual([1n, 0n])
    const digest = digestOfToken(note.claimCode)
    expect(await world.credits.openLot(digest, holder())).toBe('frozen')
    const mine = { account: `new-${buyer}`, auth: 'mine' }
    expect(await world.credits.openLot(digest, mine)).toBe('opened')
    expect((await world.credits.balance(mine))?.balanceMicro).toBe(BigInt(payment.amountAtomic))
    const third = { account: `third-${buyer}`, auth: 'mine' }
    expect(await world.credits.openLot(digest, third)).toBe('unknown')
  })

  test.each([
    ['onto the account', holder, /^null$/],
    ['under a code', others, /^credit_/],
  ])('a note of the version before, which does not say where it went: %s', async (_, lock, code) => {
    const { intentId } = await paidTwice(lock())
    const key = `intent:${world.nameOf(intentId)}`
    const row = JSON.parse((await world.store.redis.hget(key, 'body'))!)
    const balance = async () => (await world.credits.balance(lock()))?.balanceMicro
    const before = await balance()
    const notes = row.notes.map(({ to: _, ...note }: { to: string }) => note)
    await world.store.redis.hset(key, 'body', JSON.stringify({ ...row, notes }))
    for (const _ of [1, 2]) expect(String((await settle(intentId)).notes[0].claimCode)).toMatch(code)
    expect(await balance()).toBe(before)
  })
})
