import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { payerText } from '../../../api/classic/payerSignature.ts'
import { StandingAnswer } from '../../../api/classic/shapes.ts'
import { accountDigest, creditAuthDigest } from '../../../api/entitlements/credit.ts'
import { digestOfToken } from '../../../api/entitlements/token.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { DAY, HOUR, MINUTE } from '../../../ops/units.ts'
import { BUYER, classicWorld, SECRET, signedFor } from './world.ts'

const world = classicWorld()
const PACK = { sku: 'SKU_AG_HOUR_PASS_01' }
const DUE = 500_000n
const fulfill = (body: object) => world.post('/fulfill', { buyerId: BUYER, ...body })
const standing = async (intentId: string, body: object = {}) =>
  StandingAnswer.parse((await world.post('/checkout/settle', { buyerId: BUYER, intentId, ...body })).json)
    .settlement
const usdcOf = ({ amountAtomic }: { amountAtomic: string }) => Number(amountAtomic) / 1e6
const worth = (settlement: StandingAnswer['settlement']) =>
  settlement.notes.map(({ kind, creditUsdc }) => [kind, creditUsdc])

describe('CLS-07 underpaid: never delivered short, and what is missing is shown', () => {
  test.each([
    ['by one unit', 1n],
    ['by half', DUE / 2n],
  ])('%s', async (_, short) => {
    const payment = await world.open(PACK)
    const asked = BigInt(payment.amountAtomic)
    const txHash = world.cash.send('usdc_base', { atomic: asked - short })
    const said = await fulfill(await signedFor({ intentId: payment.intentId, txHash }))
    expect([said.status, said.json.code]).toEqual([402, 'underpaid'])
    const { settlement } = StandingAnswer.pick({ settlement: true }).parse(said.json)
    expect(settlement.state).toBe('Underpaid')
    expect(settlement.missing.map(({ paymentRail, amountAtomic }) => [paymentRail, amountAtomic])).toEqual([
      ['usdc_base', short.toString()],
    ])
  })

  test('the rest, sent from the same wallet, completes it: parts add up', async () => {
    const payment = await world.open(PACK)
    const asked = BigInt(payment.amountAtomic)
    const sentMs = world.nowMs
    const first = world.cash.send('usdc_base', { atomic: asked - 40n })
    await fulfill(await signedFor({ intentId: payment.intentId, txHash: first }))
    const rest = world.cash.send('usdc_base', { atomic: 40n, atMs: sentMs + MINUTE })
    const said = await fulfill({ intentId: payment.intentId, txHash: rest })
    expect(said.status, said.text).toBe(200)
    expect(said.json.result.paymentAttestation.payload.amountAtomic).toBe(asked.toString())
    expect(worth(await standing(payment.intentId))).toEqual([])
  })

  test('nobody sends the rest: what came becomes store credit when the time is over', async () => {
    const payment = await world.open(PACK)
    const txHash = world.cash.send('usdc_base', { atomic: 100_000n })
    await fulfill(await signedFor({ intentId: payment.intentId, txHash }))
    world.pass(46 * MINUTE)
    await world.watch()
    const settlement = await standing(payment.intentId)
    expect(settlement.state).toBe('Expired')
    expect(settlement.notes).toMatchObject([{ kind: 'underpaid', transactions: [txHash] }])
    expect(settlement.notes[0]!.creditUsdc).toBe(0.1)
  })
})

const account = privateKeyToAccount(`0x${'07'.repeat(32)}`)
const signer = account.address.toLowerCase()

describe('an amount that was not asked for shows nobody whose it is', () => {
  test('also where the sender is the buyer by name, for as long as one likes: anybody can call himself so', async () => {
    const payment = await world.open(PACK)
    const txHash = world.cash.send('usdc_base', { atomic: DUE })
    const said = await fulfill({ intentId: payment.intentId, txHash })
    expect([said.status, said.json.code]).toEqual([409, 'transfer_mismatch'])
    expect(said.json.detail).toContain('payerSignature')
    world.pass(3 * HOUR)
    expect((await fulfill({ intentId: payment.intentId, txHash })).json.code).toBe('transfer_mismatch')
  })

  test('at once with a signature of the sender; one over another intent counts nothing', async () => {
    const payment = await world.open({ ...PACK, buyerId: signer })
    const txHash = world.cash.send('usdc_base', { atomic: DUE, from: signer })
    const signed = async (intentId: string) => ({
      intentId: payment.intentId,
      txHash,
      buyerId: signer,
      payerSignature: await account.signMessage({ message: payerText(intentId, txHash) }),
    })
    expect((await fulfill(await signed('another'))).status).toBe(409)
    expect((await fulfill(await signed(payment.intentId))).status).toBe(200)
  })

  test('CLS-01 signed by its sender for two intents at once: it pays one', async () => {
    const intents = await Promise.all([0, 1].map(() => world.open({ ...PACK, buyerId: signer })))
    const txHash = world.cash.send('usdc_base', { atomic: DUE, from: signer })
    const said = await Promise.all(
      intents.map(async ({ intentId }) => {
        const payerSignature = await account.signMessage({ message: payerText(intentId, txHash) })
        return fulfill({ intentId, txHash, buyerId: signer, payerSignature })
      }),
    )
    expect(said.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test('a buyer that is no address never gets it without one', async () => {
    const payment = await world.open({ ...PACK, buyerId: 'agent-9' })
    const txHash = world.cash.send('usdc_base', { atomic: DUE })
    world.pass(3 * HOUR)
    expect((await fulfill({ intentId: payment.intentId, txHash, buyerId: 'agent-9' })).status).toBe(409)
  })
})

describe('CLS-08 overpaid: delivered once, the surplus is store credit', () => {
  test.each([
    ['by one unit', 1n],
    ['tenfold', DUE * 9n],
  ])('%s', async (_, extra) => {
    const wallet = privateKeyToAccount(`0x${extra.toString(16).padStart(64, 'd')}`)
    const buyerId = wallet.address.toLowerCase()
    const payment = await world.open({ ...PACK, buyerId, creditSpendAuth: SECRET })
    const txHash = world.cash.send('usdc_base', { atomic: DUE + extra, from: buyerId })
    const payerSignature = await wallet.signMessage({ message: payerText(payment.intentId, txHash) })
    const said = await fulfill({ intentId: payment.intentId, txHash, buyerId, payerSignature })
    expect(said.status, said.text).toBe(200)
    const creditUsdc = Number(DUE + extra - BigInt(payment.amountAtomic)) / 1e6
    expect(said.json.result.purchase.overpaid.creditUsdc).toBe(creditUsdc)
    expect(said.json.result.paymentAttestation.payload.amountAtomic).toBe(payment.amountAtomic)
    const settlement = await standing(payment.intentId, { buyerId })
    expect(settlement.notes).toMatchObject([
      { kind: 'overpaid', creditUsdc, claimCode: null, transactions: [txHash] },
    ])
    expect((await fulfill({ intentId: payment.intentId, buyerId })).text).toBe(said.text)
  })

  test('without a secret the credit waits under a claim code, which opens it once', async () => {
    const payment = await world.open(PACK)
    const txHash = world.cash.send('usdc_base', { atomic: 2n * DUE })
    await fulfill(await signedFor({ intentId: payment.intentId, txHash }))
    const [note] = (await standing(payment.intentId)).notes
    const spend = { sku: 'SKU_AG_PING_01', buyerId: 'opener', creditSpendAuth: SECRET, payload: {} }
    const said = await world.post('/purchase-intent', { ...spend, claimCode: note!.claimCode })
    expect(said.status, said.text).toBe(200)
    const thief = await world.post('/purchase-intent', {
      ...spend,
      buyerId: 'thief',
      claimCode: note!.claimCode,
    })
    expect([thief.status, thief.json.code]).toEqual([402, 'credit_refused'])
  })
})

describe('CLS-09 late money is store credit; in the grace it still buys', () => {
  test.each([
    ['a second before the grace ends', 45 * MINUTE - 1_000, 200],
    ['a second after it', 45 * MINUTE + 1_000, 409],
    ['a day late', 1 * DAY, 409],
    ['thirty days late', 30 * DAY, 409],
  ])('%s', async (_, afterMs, status) => {
    const payment = await world.open(PACK)
    world.pass(afterMs)
    await world.watch()
    const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    const said = await fulfill({ intentId: payment.intentId, txHash })
    expect(said.status, said.text).toBe(status)
    const settlement = await standing(payment.intentId)
    expect(settlement.state).toBe(status === 200 ? 'Delivered' : 'Late')
    expect(worth(settlement)).toEqual(status === 200 ? [] : [['late', usdcOf(payment)]])
    expect(await world.store.redis.exists(`spent:tx:8453:${txHash}:log0`)).toBe(1)
  })

  test('half in time, the rest in time as well but deep enough only when the time is over: both are store credit', async () => {
    const payment = await world.open({ ...PACK, creditSpendAuth: SECRET, buyerId: signer })
    const half = BigInt(payment.amountAtomic) / 2n
    const send = async (atomic: bigint) => {
      const txHash = world.cash.send('usdc_base', { atomic, from: signer })
      const payerSignature = await account.signMessage({ message: payerText(payment.intentId, txHash) })
      return { txHash, payerSignature, buyerId: signer }
    }
    await standing(payment.intentId, await send(half))
    world.pass(45 * MINUTE - 1_000)
    const rest = await send(BigInt(payment.amountAtomic) - half)
    world.cash.amend(rest.txHash, { confirmations: 1 })
    expect((await standing(payment.intentId, rest)).state).toBe('Underpaid')
    world.pass(1_000)
    await world.watch()
    expect((await standing(payment.intentId, { buyerId: signer })).state).toBe('Expired')
    world.cash.amend(rest.txHash, { confirmations: 2 })
    const settlement = await standing(payment.intentId, rest)
    expect([settlement.state, settlement.receivedUsdc]).toEqual(['Late', '0'])
    expect(settlement.notes.map(({ kind }) => kind)).toEqual(['underpaid', 'underpaid'])
    const holder = {
      account: accountDigest(signer),
      auth: creditAuthDigest(world.secret, signer, SECRET),
    }
    expect((await world.credits.balance(holder))?.balanceMicro).toBe(BigInt(payment.amountAtomic))
  })

  test('a row of the version before, with a part that was nobody’s: whoever looks at it puts it right, once', async () => {
    const payment = await world.open({ ...PACK, buyerId: 'row-of-before' })
    const name = world.nameOf(payment.intentId)
    const txHash = world.cash.send('usdc_base', { atomic: 300_000n })
    const key = `intent:${name}`
    const row = JSON.parse((await world.store.redis.hget(key, 'body'))!)
    const part = {
      ...{ key: 'tx:8453:0xlost:log0', rail: 'usdc_base', tx: txHash, index: 0, from: null, to: '' },
    }
    const transfers = [{ ...part, atomic: '300000', atMs: world.nowMs, pays: true }]
    await world.store.redis.hset(key, 'body', JSON.stringify({ ...row, state: 'Late', transfers }))
    for (const _ of [1, 2]) {
      const settlement = await standing(payment.intentId, { buyerId: 'row-of-before' })
      expect(worth(settlement)).toEqual([['underpaid', 0.3]])
      expect(settlement.notes[0]!.claimCode).toMatch(/^credit_/)
    }
  })

  test('nothing came: Expired, and the intent can still be looked at', async () => {
    const payment = await world.open(PACK)
    world.pass(45 * MINUTE)
    expect((await world.watch()).lapsed).toBeGreaterThan(0)
    expect((await standing(payment.intentId)).state).toBe('Expired')
    expect((await fulfill({ intentId: payment.intentId })).json.code).toBe('intent_lapsed')
  })
})

describe('CLS-10, CLS-16 paid twice', () => {
  test('delivered once, the second transfer is store credit', async () => {
    const payment = await world.open(PACK)
    const first = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    const said = await fulfill(await signedFor({ intentId: payment.intentId, txHash: first }))
    const second = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    expect((await fulfill({ intentId: payment.intentId, txHash: second })).text).toBe(said.text)
    const settlement = await standing(payment.intentId)
    expect(settlement.notes).toMatchObject([
      { kind: 'paid_twice', creditUsdc: usdcOf(payment), transactions: [second] },
    ])
    await fulfill({ intentId: payment.intentId, txHash: second })
    expect((await standing(payment.intentId)).notes).toHaveLength(1)
    const holder = { account: 'paid-twice', auth: 'secret' }
    expect(await world.credits.openLot(digestOfToken(settlement.notes[0]!.claimCode!), holder)).toBe('opened')
    expect((await world.credits.balance(holder))?.balanceMicro).toBe(BigInt(payment.amountAtomic))
  })

  test('two candidates found without a hash: one pays, the other is store credit', async () => {
    const payment = await world.open(PACK)
    const from = `0x${'c4'.repeat(20)}`
    world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    world.cash.send('usdc_base', { atomic: payment.amountAtomic, from })
    expect((await fulfill({ intentId: payment.intentId })).status).toBe(200)
    expect((await standing(payment.intentId)).transactions).toHaveLength(1)
  })
})

describe('the worker finds money without a client', () => {
  test('an open intent is confirmed, its buyer fetches the answer later', async () => {
    const payment = await world.open({ ...PACK, buyerId: 'sleeper' })
    world.cash.send('usdc_polygon', {
      atomic: payment.paymentOptions.find(
        ({ paymentRail }: { paymentRail: string }) => paymentRail === 'usdc_polygon',
      ).amountAtomic,
    })
    expect((await world.watch()).taken).toBe(1)
    expect((await world.watch()).taken).toBe(0)
    const said = await fulfill({ intentId: payment.intentId, buyerId: 'sleeper' })
    expect(said.json.result.purchase.rail).toBe('usdc_polygon')
  })

  test('a paid answer that nobody fetches for a day becomes store credit', async () => {
    const payment = await world.open(PACK)
    world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    await world.watch()
    world.pass(1 * DAY)
    await world.watch()
    const settlement = await standing(payment.intentId)
    expect([settlement.state, ...worth(settlement)]).toEqual(['Refunded', ['undeliverable', usdcOf(payment)]])
    expect((await fulfill({ intentId: payment.intentId })).json.code).toBe('intent_lapsed')
  })
})

test('CRA-07 died between taking late money and booking its credit: the worker books it, once', async () => {
  const buyerId = 'died'
  const payment = await world.open({ ...PACK, buyerId, creditSpendAuth: SECRET })
  const first = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
  await fulfill({ intentId: payment.intentId, txHash: first, buyerId })
  const second = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
  const { deposit } = world.credits
  world.credits.deposit = async () => {
    throw new UnavailableError('ledger_unavailable', 'the test has cut the ledger off')
  }
  const died = await fulfill({ intentId: payment.intentId, txHash: second, buyerId })
  world.credits.deposit = deposit
  expect(died.status).toBe(503)
  const balance = async () => (await world.credits.balance(holder))?.balanceMicro ?? 0n
  const holder = {
    account: accountDigest(buyerId),
    auth: creditAuthDigest(world.secret, buyerId, SECRET),
  }
  const before = await balance()
  world.pass(MINUTE)
  await world.watch()
  await world.watch()
  await standing(payment.intentId, { buyerId })
  expect(before).toBe(0n)
  expect(await balance()).toBe(BigInt(payment.amountAtomic))
})

test('CRA-06 died between the claim and its answer: never refunded besides, the answer still comes', async () => {
  const payment = await world.open(PACK)
  world.cash.send('usdc_base', { atomic: payment.amountAtomic })
  world.atFaultPoint = (name) => {
    if (name === 'CP8') throw new Error('the test has ended the process here')
  }
  expect((await fulfill({ intentId: payment.intentId })).status).toBe(500)
  world.atFaultPoint = () => {}
  world.pass(2 * DAY)
  await world.watch()
  const settlement = await standing(payment.intentId)
  expect([settlement.state, settlement.notes]).toEqual(['Delivered', []])
  expect((await fulfill({ intentId: payment.intentId })).status).toBe(200)
})

test('CLS-18 an intent that was opened with a payload is answered about that one: another one is refused', async () => {
  const payload = { q: 'fed' }
  const payment = await world.open({ sku: 'SKU_INQUIRY_01', payload })
  world.cash.send('usdc_base', { atomic: payment.amountAtomic })
  const other = await fulfill({ intentId: payment.intentId, payload: { q: 'something else' } })
  expect([other.status, other.json.code]).toEqual([409, 'bound_elsewhere'])
  expect(other.json.detail).toContain('payload: differs')
  expect((await fulfill({ intentId: payment.intentId, payload })).status).toBe(200)
})
