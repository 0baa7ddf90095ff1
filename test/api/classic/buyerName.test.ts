import { beforeEach, describe, expect, test } from 'vitest'
import { accountDigest, creditAuthDigest } from '../../../api/entitlements/credit.ts'
import { canonicalJson, sha256Hex } from '../../../api/receipts/canonical.ts'
import { forgetNames } from '../../../api/worker/forgetNames.ts'
import { describeError } from '../../../ops/errors.ts'
import { MINUTE } from '../../../ops/units.ts'
import { needlesIn, redisTexts } from '../../support/canaries.ts'
import { allBoards, BUYER, classicWorld, SECRET } from './world.ts'

/** I21, 5.4: a buyerId may be an e-mail address; the ledger has no use for it. */
const world = classicWorld()
let buyers = 0
let buyer = ''
beforeEach(() => {
  buyer = `someone-${buyers++}@example.org`
  world.goods = allBoards()
})

const sample = () => `a secret of buyer ${buyers}`
const payload = () => ({ samples: ['ECONNREFUSED 127.0.0.1:5432', sample()] })
const open = (body: Record<string, unknown> = {}) =>
  world.open({ sku: 'SKU_DLQ_01', payload: payload(), buyerId: buyer, ...body })
const fulfill = (intentId: string, body: object = {}) =>
  world.post('/fulfill', { buyerId: buyer, intentId, ...body })
const pay = ({ amountAtomic }: { amountAtomic: string }, atMs?: number) =>
  world.cash.send('usdc_base', { atomic: amountAtomic, ...(atMs === undefined ? {} : { atMs }) })
const balance = async (name = buyer) => {
  const auth = creditAuthDigest(world.secret, name, SECRET)
  return (await world.credits.balance({ account: accountDigest(name), auth }))?.balanceMicro ?? null
}
const key = (intentId: string) => `intent:${world.nameOf(intentId)}`
const rowOf = async (intentId: string) =>
  JSON.parse((await world.store.redis.hget(key(intentId), 'body'))!) as Record<string, unknown>
const found = async (...needles: string[]) => {
  const texts = await redisTexts(world.store.redis)
  return texts.flatMap((text) => [...needlesIn(text, needles)])
}

/** Rewrites the row as the previous version wrote it: with the names, and without the fields that came later. */
async function asFormer(intentId: string, name: string) {
  const { buyerDigest: _, buyerIsWallet: __, creditTo, ...row } = await rowOf(intentId)
  const former = {
    ...row,
    buyer: name,
    opener: sha256Hex(`${name}|127.0.0.1`),
    creditTo: creditTo && { ...creditTo, account: name },
  }
  await world.store.redis.hset(key(intentId), 'body', JSON.stringify(former))
}

describe('the ledger holds no name of a buyer', () => {
  test('from opening to the answer of bought credit: not his, and not that of his account', async () => {
    const report = await open()
    const pack = await open({ sku: 'SKU_AG_CREDITS_02', payload: {}, creditSpendAuth: SECRET })
    expect(await found(buyer)).toEqual([])
    for (const payment of [report, pack]) {
      pay(payment)
      expect((await fulfill(payment.intentId)).status).toBe(200)
    }
    const { storeCredit } = (await fulfill(pack.intentId)).json.result
    expect(storeCredit).toMatchObject({ creditUsdc: 2, balanceUsdc: 2 })
    expect(await balance()).toBe(2_000_000n)
    expect(await found(buyer)).toEqual([])
  })

  test('nobody can try names on it without our secret', async () => {
    const { intentId } = await open()
    const { buyerDigest, opener } = await rowOf(intentId)
    const guesses = [
      buyer,
      `buyer|${buyer}`,
      `account|${buyer}`,
      `${buyer}|127.0.0.1`,
      `opener|${buyer}|127.0.0.1`,
    ]
    expect(guesses.map(sha256Hex)).not.toContain(buyerDigest)
    expect(guesses.map(sha256Hex)).not.toContain(opener)
  })

  test('it is fulfilled for him and for nobody else (CLS-05)', async () => {
    const payment = await open()
    pay(payment)
    for (const other of ['Someone-else', buyer.toUpperCase()])
      expect((await fulfill(payment.intentId, { buyerId: other })).json.code).toBe('intent_unknown')
    expect((await fulfill(payment.intentId, { buyerId: '' })).json.code).toBe('invalid_parameter')
    expect((await fulfill(payment.intentId)).status).toBe(200)
  })

  test('the answer of credit names the account only where it is the paying wallet', async () => {
    const answerFor = async (name: string) => {
      const payment = await open({
        sku: 'SKU_AG_CREDITS_02',
        payload: {},
        buyerId: name,
        creditSpendAuth: SECRET,
      })
      pay(payment)
      return (await fulfill(payment.intentId, { buyerId: name })).json.result.storeCredit
    }
    expect(await answerFor(BUYER)).toMatchObject({
      account: BUYER,
      spendHint: expect.stringContaining(BUYER),
    })
    expect(await answerFor(buyer)).not.toHaveProperty('account')
  })

  test('what he sent to be answered about is dropped by the step that claims the sale', async () => {
    const payment = await open()
    expect(await found(sample())).not.toEqual([])
    pay(payment)
    const said = await fulfill(payment.intentId)
    expect(await found(sample())).toEqual([])
    expect((await fulfill(payment.intentId, { payload: payload() })).text).toBe(said.text)
    expect((await fulfill(payment.intentId, { payload: { samples: ['x'] } })).json.code).toBe(
      'bound_elsewhere',
    )
  })

  test('and where it became store credit instead', async () => {
    const payment = await open()
    world.pass(46 * MINUTE)
    await world.watch()
    const txHash = pay(payment)
    expect((await fulfill(payment.intentId, { txHash })).status).toBe(202)
    await world.unclaimed(txHash)
    expect((await fulfill(payment.intentId, { txHash })).json.code).toBe('intent_lapsed')
    expect((await rowOf(payment.intentId)).input).toBeNull()
  })
})

describe('what the version before wrote', () => {
  test.each([
    ['an account', () => buyer],
    ['a wallet', () => BUYER],
  ])('an open intent of %s is paid and answered for its buyer; the row forgets him', async (_, nameOf) => {
    const name = nameOf()
    const payment = await open({ buyerId: name })
    await asFormer(payment.intentId, name)
    expect((await fulfill(payment.intentId, { buyerId: 'other' })).json.code).toBe('intent_unknown')
    pay(payment)
    expect((await fulfill(payment.intentId, { buyerId: name })).status).toBe(200)
    expect(await rowOf(payment.intentId)).not.toHaveProperty('buyer')
    expect(await found(`"buyer":"${name}"`)).toEqual([])
  })

  test('a wallet: another sender is still refused', async () => {
    const payment = await open({ buyerId: BUYER })
    await asFormer(payment.intentId, BUYER)
    const from = `0x${'c1'.repeat(20)}`
    const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic, from })
    const said = await fulfill(payment.intentId, { buyerId: BUYER, txHash })
    expect(said.json.code).toBe('transfer_mismatch')
  })

  test('paid while the version changed: credit that is named goes to that account', async () => {
    const payment = await open({ sku: 'SKU_AG_CREDITS_02', payload: {}, creditSpendAuth: SECRET })
    pay(payment)
    await world.watch()
    await asFormer(payment.intentId, buyer)
    expect((await fulfill(payment.intentId)).json.result.storeCredit.balanceUsdc).toBe(2)
    expect(await balance()).toBe(2_000_000n)
  })

  test('money that does not buy goes to the account as well', async () => {
    const payment = await open({ creditSpendAuth: SECRET })
    await asFormer(payment.intentId, buyer)
    pay(payment)
    await fulfill(payment.intentId)
    pay(payment)
    await fulfill(payment.intentId, { txHash: pay(payment) })
    expect(await balance()).toBe(BigInt(payment.amountAtomic))
  })

  test('a claim without an answer, bound to its payload and to an account by name, is answered', async () => {
    const payment = await open({ sku: 'SKU_AG_CREDITS_02', payload: {}, creditSpendAuth: SECRET })
    pay(payment)
    world.atFaultPoint = (point) => {
      if (point === 'CP8') throw new Error('the process dies')
    }
    expect((await fulfill(payment.intentId)).status).toBe(500)
    world.atFaultPoint = () => {}
    const name = world.nameOf(payment.intentId)
    const claim = `claim:intent:${name}`
    const { auth } = JSON.parse((await world.store.redis.hget(claim, 'creditHolder'))!)
    await world.store.redis.hdel(claim, 'creditHolder')
    const parts = ['POST', '/fulfill', name, 'SKU_AG_CREDITS_02', buyer, sha256Hex(canonicalJson({}))]
    await world.store.redis.hset(claim, {
      creditTo: JSON.stringify({ account: buyer, auth }),
      fp: sha256Hex(parts.join('\n')),
    })
    expect((await fulfill(payment.intentId, { payload: { x: 1 } })).json.code).toBe('bound_elsewhere')
    const said = await fulfill(payment.intentId, { payload: {} })
    expect(said.json.result.storeCredit.balanceUsdc).toBe(2)
  })

  test('rows that nobody asks for are rewritten by the worker, whatever their state, and nothing else about them changes', async () => {
    const open1 = await open()
    const paid = await open()
    pay(paid)
    await fulfill(paid.intentId)
    const expired = await open()
    for (const { intentId } of [open1, paid, expired]) await asFormer(intentId, buyer)
    const before = await Promise.all([open1, paid, expired].map(({ intentId }) => rowOf(intentId)))
    const { redis } = world.store
    const ports = { redis, intents: world.intents, credits: world.credits, answers: world.ports.answers }
    expect(await found(buyer)).not.toEqual([])
    const others = Array.from({ length: 3_000 }, (_, nth) => `other:${nth}`) //  more rows than are read at once
    await redis.mset(...others.flatMap((key) => [key, '']))
    expect(await forgetNames(ports)).toBeGreaterThanOrEqual(3)
    await redis.del(...others)
    expect(await found(buyer)).toEqual([])
    expect(await forgetNames(ports)).toBe(0)
    for (const [at, { intentId }] of [open1, paid, expired].entries()) {
      const { buyer: _, opener: __, ...rest } = before[at]!
      expect(await rowOf(intentId)).toMatchObject(rest)
    }
    pay(open1)
    expect((await fulfill(open1.intentId)).status).toBe(200)
    expect((await fulfill(paid.intentId)).status).toBe(200)
  })

  test('DATA-08 a row that cannot be read keeps no other from being rewritten, and is told of without what it holds', async () => {
    const { redis } = world.store
    const broken = Array.from({ length: 12 }, (_, nth) => `intent:${sha256Hex(`broken ${nth}`)}`)
    for (const [nth, row] of broken.entries())
      if (nth % 3 === 0) await redis.set(row, sample())
      else await redis.hset(row, { v: 1, body: nth % 3 === 1 ? `{"${sample()}` : '{}' })
    const others = await Promise.all([open(), open(), open()])
    for (const { intentId } of others) await asFormer(intentId, buyer)
    const ports = { redis, intents: world.intents, credits: world.credits, answers: world.ports.answers }
    const failure = await forgetNames(ports).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'ledger_broken', message: expect.stringMatching(/^8 intents/) })
    expect(describeError(failure)).not.toContain(sample())
    expect(await found(buyer)).toEqual([])
    await redis.del(...broken)
    expect(await forgetNames(ports)).toBe(0)
  })
})
