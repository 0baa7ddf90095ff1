import { describe, expect, onTestFinished, test } from 'vitest'
import { encodeIntent, type Intent } from '../../../api/classic/intent.ts'
import { readIntent } from '../../../api/classic/money.ts'
import { buyerDigest } from '../../../api/entitlements/credit.ts'
import { ping } from '../../../api/goods/ping.ts'
import type { HttpRequest } from '../../../api/http/exchange.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { formerTransferKey, transferKey } from '../../../api/ledger/ledger.ts'
import { createGate } from '../../../api/payment/gate.ts'
import { createIntentIds } from '../../../api/payment/intentId.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../ops/units.ts'
import { shownTransfer } from '../../support/transferProof.ts'
import { newKey } from '../receipts/keys.ts'
import { BUYER, classicWorld, signedFor } from './world.ts'

const world = classicWorld()
const PACK = { sku: 'SKU_AG_HOUR_PASS_01' }
const THIEF = 'who-collects'
const PING = '/x402/v1/ping'

const fulfill = (body: Record<string, unknown>) => world.post('/fulfill', { buyerId: BUYER, ...body })

/** An intent of another buyer, opened now over the amount that this one had. */
async function reopened(like: Intent): Promise<string> {
  const id = `pi_${THIEF}_${world.nowMs}`
  const name = world.nameOf(id)
  const graceUntilMs = world.nowMs + 45 * MINUTE
  const times = { createdMs: world.nowMs, expiresMs: world.nowMs + 15 * MINUTE, graceUntilMs }
  const who = { buyerDigest: buyerDigest(world.secret, THIEF), buyerIsWallet: false, opener: THIEF }
  const own = { ...like, ...times, ...who }
  const at = { graceUntilMs, buyer: THIEF, amounts: [] }
  expect(await world.intents.open(name, encodeIntent(own), at)).toBe('opened')
  for (const { rail, atomic } of like.quotes)
    await world.store.redis.zadd(
      KEYS.amount(`${rail}:${atomic}`),
      world.nowMs,
      `${graceUntilMs + 15 * SECOND}:${name}`,
    )
  return id
}

/** A thief with an ended intent over just this amount takes nothing that another has shown, however long the wait. */
async function takesNothing(theft: { intentId: string; txHash: string; paymentRail?: string }) {
  const chainId = theft.paymentRail === 'usdc_polygon' ? 137 : 8453
  await world.shownNow(theft.txHash, chainId)
  await fulfill({ ...theft, buyerId: THIEF })
  await world.unclaimed(theft.txHash, chainId)
  const said = await fulfill({ ...theft, buyerId: THIEF })
  expect([said.status, said.json.code, said.json.detail]).toEqual([
    409,
    'transfer_mismatch',
    expect.stringContaining('somebody else also claims it'),
  ])
}

test('CLS-03, CLS-09 late money whose amount another had since: its owner, refused, has shown it, and is asked to prove it', async () => {
  const mine = await world.open(PACK)
  const { intent } = (await readIntent(world.nameOf(mine.intentId), world.ports))!
  world.pass(HOUR)
  const intentId = await reopened(intent)
  world.pass(HOUR)
  await world.watch()
  const txHash = world.cash.send('usdc_base', { atomic: mine.amountAtomic })
  const said = await fulfill({ intentId: mine.intentId, txHash })
  await takesNothing({ intentId, txHash })
  expect(said.json.detail).toContain('payerSignature')
  const proven = await fulfill(await signedFor({ intentId: mine.intentId, txHash }))
  expect(proven.json.settlement.notes).toMatchObject([{ kind: 'late', transactions: [txHash] }])
})

test('CLS-03 who shows what he sent before he opened his intent has shown it', async () => {
  const ended = await world.open({ ...PACK, buyerId: THIEF })
  world.pass(2 * HOUR)
  await world.watch()
  const txHash = world.cash.send('usdc_base', { atomic: ended.amountAtomic })
  world.pass(MINUTE)
  const mine = await world.open(PACK)
  const said = await fulfill({ intentId: mine.intentId, txHash })
  expect(said.json.detail).toContain('older than the intent')
  await takesNothing({ intentId: ended.intentId, txHash })
})

test('CLS-03, CLS-09 who has signed for money that does not lie deep enough yet has shown it', async () => {
  const tip = { sku: 'SKU_TIP_00', options: { tipUsdc: 100 }, buyerId: THIEF }
  const [ended, mine] = [await world.open(tip), await world.open(PACK)]
  world.pass(HOUR)
  await world.watch()
  const txHash = world.cash.send('usdc_base', { atomic: ended.amountAtomic })
  const signed = await signedFor({ intentId: mine.intentId, txHash })
  expect((await fulfill(signed)).status).toBe(202)
  await fulfill({ intentId: ended.intentId, txHash, buyerId: THIEF })
  world.cash.amend(txHash, { confirmations: 6 })
  await takesNothing({ intentId: ended.intentId, txHash })
  expect((await fulfill(signed)).json.settlement.notes).toMatchObject([
    { kind: 'late', transactions: [txHash] },
  ])
})

describe('CLS-03, CLS-09 who paid on a rail by mistake has shown it, whatever he is told', () => {
  /** A thief holds an ended intent over the amount that another buyer sends on that rail. */
  async function mistaken(rail: 'usdc_base' | 'usdc_polygon') {
    const [ended, mine] = [await world.open({ ...PACK, buyerId: THIEF }), await world.open(PACK)]
    world.pass(2 * HOUR)
    await world.watch()
    const option = (ended.paymentOptions as { paymentRail: string; amountAtomic: string }[]).find(
      ({ paymentRail }) => paymentRail === rail,
    )!
    const txHash = world.cash.send(rail, { atomic: option.amountAtomic })
    return {
      mine: mine.intentId as string,
      theft: { intentId: ended.intentId, txHash, paymentRail: rail },
      txHash,
    }
  }

  test('on one that his intent was not quoted on', async () => {
    const { mine, theft, txHash } = await mistaken('usdc_polygon')
    const name = world.nameOf(mine)
    const { intent } = (await readIntent(name, world.ports))!
    const quotes = intent.quotes.filter(({ rail }) => rail === 'usdc_base')
    await world.store.redis.hset(KEYS.intent(name), 'body', encodeIntent({ ...intent, quotes }))
    const said = await fulfill({ intentId: mine, txHash, paymentRail: 'usdc_polygon' })
    expect(said.json.code).toBe('rail_mismatch')
    await takesNothing(theft)
  })

  test('on another than he says, which does not know the transaction', async () => {
    const { mine, theft, txHash } = await mistaken('usdc_polygon')
    expect((await fulfill({ intentId: mine, txHash })).json.settlement?.paid ?? false).toBe(false)
    await takesNothing(theft)
  })

  test('a rail that does not answer, and was not named, keeps nobody waiting', async () => {
    const { intentId } = await world.open(PACK)
    const other = world.cash.rails.find(({ id }) => id === 'usdc_polygon')!
    const { byHash } = other
    Object.assign(other, { byHash: () => new Promise(() => {}) })
    const said = await fulfill({ intentId, txHash: `0x${'5c'.repeat(32)}` })
    Object.assign(other, { byHash })
    expect(said.status).toBe(202)
  })

  test('in another coin of the same chain than he says', async () => {
    const { mine, theft, txHash } = await mistaken('usdc_base')
    expect((await fulfill({ intentId: mine, txHash, paymentRail: 'eth_base' })).json.code).toBe(
      'transfer_mismatch',
    )
    await takesNothing(theft)
  })

  test.each([
    ['as another than opened it', { buyerId: 'another' }, 'intent_unknown'],
    ['and names nobody', { buyerId: '' }, 'invalid_parameter'],
    ['with an id that is not ours', { intentId: 'pi_none' }, 'intent_unknown'],
  ])('%s', async (_, wrong, code) => {
    const { mine, theft, txHash } = await mistaken('usdc_base')
    expect((await fulfill({ intentId: mine, txHash, ...wrong })).json.code).toBe(code)
    await takesNothing(theft)
  })

  test.each([
    ['as another than opened it', 'usdc_base', { buyerId: 'another' }],
    ['on another rail than he says', 'usdc_polygon', {}],
  ] as const)('%s, to whom his intent named: another receives by now', async (_, rail, wrong) => {
    const { mine, theft, txHash } = await mistaken(rail)
    const paid = world.cash.rails.find(({ id }) => id === rail)!
    const { receiverAddress } = paid
    onTestFinished(() => void Object.assign(paid, { receiverAddress }))
    Object.assign(paid, { receiverAddress: `0x${'d1'.repeat(20)}` })
    await fulfill({ intentId: mine, txHash, ...wrong })
    await takesNothing(theft)
  })

  test('for an intent that his credit had paid', async () => {
    const { mine, theft, txHash } = await mistaken('usdc_base')
    const name = world.nameOf(mine)
    const { intent } = (await readIntent(name, world.ports))!
    await world.store.redis.hset(KEYS.intent(name), 'body', encodeIntent({ ...intent, quotes: [] }))
    await fulfill({ intentId: mine, txHash })
    await takesNothing(theft)
  })
})

describe('CLS-03 what nobody has shown stays as it is', () => {
  const isShown = async (txHash: string) =>
    (await world.store.redis.exists(KEYS.contenders(transferKey(8453, txHash, 0)))) === 1

  test.each([
    ['an x402 settlement', { byAuthorization: true }],
    ['a transfer of nothing', { atomic: 0n }],
  ])('CLS-12 %s, whoever names it', async (_, change) => {
    const { intentId } = await world.open(PACK)
    const txHash = world.cash.send('usdc_base', { atomic: 1n })
    world.cash.amend(txHash, change)
    for (const who of [{}, { buyerId: 'another' }])
      expect((await fulfill({ intentId, txHash, ...who })).json.code).not.toBe(undefined)
    expect(await isShown(txHash)).toBe(false)
  })

  test('what others have sent, by who asks for his own amount without a hash', async () => {
    const { intentId, amountAtomic } = await world.open(PACK)
    const others = world.cash.send('usdc_base', { atomic: BigInt(amountAtomic) - 1n })
    expect((await fulfill({ intentId })).status).toBe(202)
    expect(await isShown(others)).toBe(false)
  })

  test('RPL-18 of thousands in a transaction that is not found where he says sixteen are, in the order of it', async () => {
    const { intentId } = await world.open(PACK)
    const txHash = world.cash.send('usdc_base', ...Array.from({ length: 40 }, () => ({ atomic: 1n })))
    await fulfill({ intentId, txHash, buyerId: 'another' })
    const keys = Array.from({ length: 40 }, (_, at) => KEYS.contenders(transferKey(8453, txHash, at)))
    const shown = await Promise.all(keys.map((key) => world.store.redis.exists(key)))
    expect(shown).toEqual(keys.map((_, at) => Number(at < 16)))
  })

  test('a transaction that is found where he says is looked for nowhere else', async () => {
    const { intentId, amountAtomic } = await world.open(PACK)
    const txHash = world.cash.send('usdc_base', { atomic: amountAtomic })
    let looks = 0
    world.cash.onLook(async () => {
      looks++
    })
    onTestFinished(() => world.cash.onLook(async () => {}))
    expect((await fulfill({ intentId, txHash })).status).toBe(200)
    expect(looks).toBe(2) //  one for the money, one for whether it is still there
  })
})

describe('CLS-03 nobody contends with himself', () => {
  /** Late money over the amount of the first of two intents, shown with both. */
  async function shownTwice(secret: { creditSpendAuth?: string }) {
    const order = { ...PACK, buyerId: 'who-asks-twice', ...secret }
    const other = { ...order, paymentRail: 'usdc_polygon' }
    const [first, second] = [await world.open(order), await world.open(other)]
    world.pass(2 * HOUR)
    await world.watch()
    const txHash = world.cash.send('usdc_base', { atomic: first.amountAtomic })
    const ask = (intentId: string, more = {}) =>
      world.post('/fulfill', {
        intentId,
        txHash,
        buyerId: 'who-asks-twice',
        paymentRail: 'usdc_base',
        ...more,
      })
    await ask(second.intentId)
    await ask(first.intentId)
    await world.unclaimed(txHash)
    return { first, second, txHash, ask }
  }

  test('who has opened both with his secret has it when nobody else comes', async () => {
    const { first, ask, txHash } = await shownTwice({ creditSpendAuth: 'a-secret-of-who-asks-twice' })
    expect((await ask(first.intentId)).json.settlement.notes).toMatchObject([
      { kind: 'late', transactions: [txHash] },
    ])
  })

  test('without one nobody can tell that he is one, until he signs with the wallet that sent', async () => {
    const { first, second, ask, txHash } = await shownTwice({})
    for (const { intentId } of [first, second])
      expect((await ask(intentId)).json.detail).toContain('payerSignature')
    const { payerSignature } = await signedFor({ intentId: first.intentId, txHash })
    expect((await ask(first.intentId, { payerSignature })).json.settlement.notes).toMatchObject([
      { kind: 'late' },
    ])
  })

  test('who names the account of another, with another secret, is another', async () => {
    const { first, ask, txHash } = await shownTwice({ creditSpendAuth: 'a-secret-of-who-asks-twice' })
    const { intent } = (await readIntent(world.nameOf(first.intentId), world.ports))!
    world.pass(MINUTE)
    const thief = await reopened({ ...intent, creditTo: { ...intent.creditTo!, auth: 'another' } })
    await world.post('/fulfill', { intentId: thief, buyerId: THIEF, txHash })
    expect((await ask(first.intentId)).json.detail).toContain('payerSignature')
  })
})

describe('the legacy path', () => {
  const secret = Buffer.alloc(32, 7)
  const terms = {
    publicUrl: 'https://micro-data.service.example.com',
    network: 'eip155:8453',
    secret,
    asset: `0x${'a5'.repeat(20)}`,
    receiptKey: newKey(),
    mode: 'live' as const,
    tokenName: 'USD Coin',
    tokenVersion: '2',
    maxTimeoutSeconds: 300,
  }
  const idOver = (amountMicroUsdc: bigint) =>
    createIntentIds(secret, PING).issue({ issuedMs: world.nowMs, amountMicroUsdc })
  /** Shows a transfer there. @returns the code of the refusal. */
  async function show(
    intentId: string,
    txHash: string,
    value: bigint,
    blockMs: number,
    { signature = '', rawQuery = '' } = {},
  ) {
    const to = world.cash.receiver
    const transfer = {
      tx: txHash,
      logIndex: 0,
      blockIndex: 0,
      from: BUYER,
      to,
      value,
      blockNumber: 1n,
      blockMs,
      byAuthorization: false,
    }
    const chain = {
      transfers: async () => [transfer],
      isSignedByWallet: async () => {
        throw new UnavailableError('chain_unavailable', 'the test has cut the chain off')
      },
    }
    const ports = { clock: { nowMs: () => world.nowMs }, chain, chainId: 8453, ledger: world.store.ledger }
    const good = { ...ping, answer: () => ({ problem: 'no_data' }) as const }
    const gate = createGate(
      good,
      { ...terms, payTo: to },
      ports as unknown as Parameters<typeof createGate>[2],
    )
    const headers: Record<string, string> = {
      ...shownTransfer(intentId, txHash),
      'x-service-payer-signature': signature,
    }
    const { body } = await gate({
      rawQuery,
      address: '192.0.2.1',
      header: (name: string) => headers[name] ?? '',
      headerCount: (name: string) => (headers[name] ? 1 : 0),
    } as unknown as HttpRequest)
    return JSON.parse(String(body)).code
  }

  test('CLS-03 who shows a transfer there has shown it, whatever it is over', async () => {
    const ended = await world.open({ ...PACK, buyerId: THIEF })
    world.pass(2 * HOUR)
    await world.watch()
    const txHash = world.cash.send('usdc_base', { atomic: ended.amountAtomic })
    const said = await show(idOver(10_000n), txHash, BigInt(ended.amountAtomic), world.nowMs)
    expect(said).toBe('transfer_mismatch')
    await takesNothing({ intentId: ended.intentId, txHash })
  })

  test('CLS-03 who signed for it by a wallet that cannot be asked has shown it', async () => {
    const txHash = world.cash.send('usdc_base', { atomic: 10_000n })
    const mine = await show(idOver(10_000n), txHash, 10_000n, world.nowMs, {
      signature: `0x${'1b'.repeat(70)}`,
    })
    expect(mine).toBe('chain_unavailable')
    expect(await show(idOver(10_000n), txHash, 10_000n, world.nowMs)).toBe('payer_unproven')
  })

  test('CLS-03 what is so old that nobody knows who has shown it is had with a signature only', async () => {
    const txHash = world.cash.send('usdc_base', { atomic: 10_000n })
    const sentMs = world.nowMs
    const intentId = idOver(10_000n)
    world.pass(30 * DAY + 1)
    expect(await show(intentId, txHash, 10_000n, sentMs)).toBe('payer_unproven')
    const { payerSignature } = await signedFor({ intentId, txHash })
    //  it would buy if there were data
    expect(await show(intentId, txHash, 10_000n, sentMs, { signature: payerSignature })).toBe('no_data')
  })

  test.each([
    ['an intent that is not ours', () => 'x'.repeat(43), '', 'intent_invalid'],
    ['a question that cannot be read', () => idOver(10_000n), 'q=%zz', 'malformed_request'],
  ])('CLS-03 who shows a transfer there with %s has shown it', async (_, intentId, rawQuery, code) => {
    const ended = await world.open({ ...PACK, buyerId: THIEF })
    world.pass(2 * HOUR)
    await world.watch()
    const txHash = world.cash.send('usdc_base', { atomic: ended.amountAtomic })
    const atomic = BigInt(ended.amountAtomic)
    expect(await show(intentId(), txHash, atomic, world.nowMs, { rawQuery })).toBe(code)
    await takesNothing({ intentId: ended.intentId, txHash })
  })
})

test('CLS-03, CLS-09 what came so long ago that nobody knows any more who has shown it is had with a signature only', async () => {
  const ended = await world.open({ ...PACK, buyerId: THIEF })
  const mine = await world.open(PACK)
  world.pass(46 * MINUTE)
  await world.watch()
  const txHash = world.cash.send('usdc_base', { atomic: ended.amountAtomic })
  const other = await world.open(PACK)
  await fulfill({ intentId: other.intentId, txHash })
  const contenders = KEYS.contenders(transferKey(8453, txHash, 0))
  expect(await world.store.redis.pttl(contenders)).toBeGreaterThan(30 * DAY)
  world.pass(30 * DAY + 1)
  await world.store.redis.del(contenders) //  as will soon happen
  await takesNothing({ intentId: ended.intentId, txHash })
  await fulfill(await signedFor({ intentId: mine.intentId, txHash }))
  const { transfers } = (await readIntent(world.nameOf(mine.intentId), world.ports))!.intent
  expect(transfers.map(({ tx }) => tx)).toEqual([txHash])
})

test('CLS-01 what has bought something under its former name, by its place in its block, buys nothing more', async () => {
  const mine = await world.open(PACK)
  const txHash = world.cash.send('usdc_base', { atomic: mine.amountAtomic })
  const formerKey = formerTransferKey(8453, txHash, 0)
  world.cash.amend(txHash, { formerKey })
  await world.store.redis.set(KEYS.spent(formerKey), formerKey)
  const said = await fulfill({ intentId: mine.intentId, txHash })
  expect([said.status, said.json.code]).toEqual([409, 'bound_elsewhere'])
})

test('CLS-03, CLS-09 the rest of a purchase that is not deep enough yet is nobody’s who has an ended intent over it', async () => {
  const MISSING = 7_123n
  const { intentId } = await world.open({ ...PACK, buyerId: THIEF })
  const { intent } = (await readIntent(world.nameOf(intentId), world.ports))!
  const collected = await reopened({
    ...intent,
    quotes: intent.quotes.map((quote) => ({ ...quote, atomic: MISSING })),
  })
  world.pass(46 * MINUTE)
  await world.watch()
  const mine = await world.open(PACK)
  const part = world.cash.send('usdc_base', { atomic: BigInt(mine.amountAtomic) - MISSING })
  const first = await fulfill(await signedFor({ intentId: mine.intentId, txHash: part }))
  expect(first.json.settlement.state).toBe('Underpaid')
  const rest = world.cash.send('usdc_base', { atomic: MISSING })
  world.cash.amend(rest, { confirmations: 1 })
  expect((await fulfill({ intentId: mine.intentId, txHash: rest })).status).toBe(202)
  await takesNothing({ intentId: collected, txHash: rest })
  world.cash.amend(rest, { confirmations: 20 })
  expect((await fulfill({ intentId: mine.intentId, txHash: rest })).status).toBe(200)
})
