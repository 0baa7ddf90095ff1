import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { isLegacyAmount, pricedAt, tagged } from '../../../api/classic/amounts.ts'
import { readIntent } from '../../../api/classic/money.ts'
import { payerText } from '../../../api/classic/payerSignature.ts'
import { StandingAnswer } from '../../../api/classic/shapes.ts'
import { takeTransfer } from '../../../api/classic/take.ts'
import { accountDigest, creditAuthDigest } from '../../../api/entitlements/credit.ts'
import { digestOfToken } from '../../../api/entitlements/token.ts'
import type { RailTransfer } from '../../../api/rails/rail.ts'
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

  test('nor does a chain that names no sender say whose it is', async () => {
    const { intentId, amountAtomic } = await world.open({ ...PACK, buyerId: 'nobodys-wallet' })
    const txHash = world.cash.send('usdc_base', { atomic: BigInt(amountAtomic) - 1n, from: null })
    const said = await fulfill({ intentId, txHash, buyerId: 'nobodys-wallet' })
    expect([said.status, said.json.code]).toEqual([409, 'transfer_mismatch'])
  })

  test('a buyer that is no address never gets it without one', async () => {
    const payment = await world.open({ ...PACK, buyerId: 'agent-9' })
    const txHash = world.cash.send('usdc_base', { atomic: DUE })
    world.pass(3 * HOUR)
    expect((await fulfill({ intentId: payment.intentId, txHash, buyerId: 'agent-9' })).status).toBe(409)
  })
})

describe('CLS-03, CLS-04 a round amount, as people send who do not look: the list price, or three places', () => {
  test.each([
    ['usdc_polygon', 10_001n, 1_000n],
    ['usdc_base', 1_000_400n, 1_000n],
    ['eth_base', 10_001_000_000_000n, 1_000_000_000_000n],
  ] as const)(
    '%s: nobody is asked for one, so no intent that somebody has collected fits it',
    (rail, plain, round) => {
      const priced = pricedAt(10_001n, { rail, plain, atomic: plain, validUntilMs: 0, source: null })
      const asked = Array.from({ length: 40_000 }, () => tagged([priced])[0]!.quote.atomic)
      expect(asked.filter((atomic) => atomic % round === 0n)).toEqual([])
      expect(Math.max(...asked.map(Number))).toBeGreaterThan(Number(plain - round))
    },
  )
})

describe('4.1 rule 14: credit is sold at face value on every rail', () => {
  test('of twenty intents over a coin as dear as bitcoin the cheapest asks for a fiftieth less at most', async () => {
    const stepsPerUsd = 1_667n //  at 60,000 USD a coin
    world.cash.ether(stepsPerUsd * 1_000n)
    const pack = { sku: 'SKU_AG_CREDITS_10', paymentRail: 'eth_base', payload: {} }
    const asked: bigint[] = []
    for (let nth = 0; nth < 20; nth++) asked.push(BigInt((await world.open(pack)).amountAtomic))
    world.cash.ether()
    const steps = asked.map((atomic) => Number(atomic / 1_000_000_000n))
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(Math.ceil((16_670 * 49) / 50))
    expect(new Set(steps).size, 'no two of them wait for the same amount').toBe(20)
  })

  const usd = 1_000_000n
  test.each([
    ['a fiftieth', 10n * usd, 16_670n, 333],
    ['a fiftieth of a dollar in a dollar coin', usd, 1_000_000n, 20_000],
    ['200 where a fiftieth is as many', usd, 10_000n, 200],
    ['200 where it would be fewer (CLS-04)', usd, 1_667n, 200],
    ['a fifth where that is fewer', usd, 999n, 199],
    ['a fifth below a dollar', usd - 1n, 16_670n, 3_334],
  ])('how many amounts a price is asked in: %s', (_, priceMicro, plain, kinds) => {
    const quote = { rail: 'usdc_polygon', plain, atomic: plain, validUntilMs: 0, source: null } as const
    expect(pricedAt(priceMicro, quote).kinds).toBe(kinds)
  })
})

describe('CLS-04 a price of whose amounts half are a legacy intent’s', () => {
  test('is not called too small by bad luck: of 400,000 intents each is asked for one that is nobody’s', () => {
    const plain = 1_001n
    const quote = { rail: 'usdc_base', plain, atomic: plain, validUntilMs: 0, source: null } as const
    const priced = pricedAt(plain, quote)
    const asked = new Set<bigint | undefined>()
    for (let intents = 0; intents < 400_000; intents++) asked.add(tagged([priced])[0]?.quote.atomic)
    const amounts = Array.from({ length: 200 }, (_, at) => plain - BigInt(at + 1))
    const own = amounts.filter((atomic) => !isLegacyAmount('usdc_base', atomic) && atomic % 1_000n !== 0n)
    expect(own.length).toBe(100)
    expect(asked).toEqual(new Set(own))
  })
})

describe('CLS-11, RPL-18 thousands of transfers in one transaction', () => {
  const dust = Array.from({ length: 2_000 }, () => ({ atomic: 1n }))
  const countLooks = async <T>(work: () => Promise<T>) => {
    const { seenBy } = world.intents
    let looks = 0
    world.intents.seenBy = (...asked) => {
      looks++
      return seenBy(...asked)
    }
    const said = await work()
    world.intents.seenBy = seenBy
    return { said, looks }
  }

  test('those that cannot pay are looked at as far as it takes to say so', async () => {
    const { intentId } = await world.open(PACK)
    const txHash = world.cash.send('usdc_base', ...dust)
    const { said, looks } = await countLooks(() => fulfill({ intentId, txHash }))
    expect([said.json.code, looks]).toEqual(['transfer_mismatch', 16])
  })

  test.each([
    ['signed by who sent them, before he opened the intent', () => dust, 16],
    ['over just the amount, before', (asked: string) => dust.map(() => ({ atomic: asked })), 128],
  ])('%s: no more are looked at either', async (_, made, most) => {
    const { intentId, amountAtomic } = await world.open(PACK)
    const atMs = world.nowMs - MINUTE
    const txHash = world.cash.send('usdc_base', ...made(amountAtomic).map((one) => ({ ...one, atMs })))
    const asked = await signedFor({ intentId, txHash })
    const { said, looks } = await countLooks(() => fulfill(asked))
    expect([said.json.code, looks]).toEqual(['transfer_mismatch', most])
  })

  test('CLS-09 the one that its sender has signed for is found behind those of others, whatever it is over', async () => {
    const { intentId, amountAtomic } = await world.open(PACK)
    const others = dust.map((one) => ({ ...one, from: `0x${'d5'.repeat(20)}` }))
    const part = { atomic: BigInt(amountAtomic) - 7_123n }
    const txHash = world.cash.send('usdc_base', ...others, part)
    const said = await fulfill(await signedFor({ intentId, txHash }))
    expect(said.json.settlement).toMatchObject({ state: 'Underpaid', transactions: [txHash] })
    expect((await fulfill({ intentId, txHash })).json.code).toBe('underpaid') //  it counts already, signed for again or not
  })

  test('the one that pays is found wherever it stands', async () => {
    const { intentId, amountAtomic } = await world.open(PACK)
    const txHash = world.cash.send('usdc_base', ...dust, { atomic: amountAtomic })
    const { said, looks } = await countLooks(() => fulfill({ intentId, txHash }))
    expect([said.status, looks]).toEqual([200, 1])
    expect((await fulfill({ intentId, txHash })).text).toBe(said.text)
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
    const first = await fulfill({ intentId: payment.intentId, txHash })
    expect(first.status, first.text).toBe(status === 200 ? 200 : 202)
    await world.unclaimed(txHash)
    const said = await fulfill({ intentId: payment.intentId, txHash })
    expect(said.status, said.text).toBe(status)
    const settlement = await standing(payment.intentId)
    expect(settlement.state).toBe(status === 200 ? 'Delivered' : 'Late')
    expect(worth(settlement)).toEqual(status === 200 ? [] : [['late', usdcOf(payment)]])
    expect(await world.store.redis.exists(`spent:tx:8453:${txHash}:log0`)).toBe(1)
  })

  test('CLS-03, CLS-04 who has collected ended intents, one over what another sent by mistake, contends with whom that one asks for', async () => {
    const buyerId = 'who-collects'
    const ended = await world.open({ ...PACK, buyerId })
    world.pass(2 * HOUR)
    await world.watch()
    const mine = await world.open(PACK)
    const txHash = world.cash.send('usdc_base', { atomic: ended.amountAtomic })
    const theft = { intentId: ended.intentId, buyerId, txHash }
    expect((await fulfill(theft)).json.settlement.next).toContain('nobody else claims it for ten minutes')
    expect((await fulfill({ intentId: mine.intentId, txHash })).json.detail).toContain('payerSignature')
    await world.unclaimed(txHash)
    const said = await fulfill(theft)
    expect([said.json.code, said.json.detail]).toEqual([
      'transfer_mismatch',
      expect.stringMatching(/somebody else also claims it .* payerSignature/),
    ])
    expect(await standing(ended.intentId, { buyerId })).toMatchObject({ state: 'Expired', notes: [] })
    await fulfill(await signedFor({ intentId: mine.intentId, txHash }))
    expect((await standing(mine.intentId)).transactions).toEqual([txHash])
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
      key: 'tx:8453:0xlost:log0',
      rail: 'usdc_base',
      tx: txHash,
      index: 0,
      from: null,
      to: '',
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

describe('RAIL-10, RAIL-11 a coin that came for nothing is worth what it is worth when it comes, and never more than it was quoted at', () => {
  const ETHER = { ...PACK, paymentRail: 'eth_base', buyerId: signer }
  /** Sends ether, worth a hundred dollars at the first price unless told otherwise, and signs for it. */
  const send = async (intentId: string, atomic = 100_000_000n * 400_000_000n) => {
    const txHash = world.cash.send('eth_base', { atomic, from: signer })
    world.cash.amend(txHash, { confirmations: 6 })
    const payerSignature = await account.signMessage({ message: payerText(intentId, txHash) })
    return { txHash, payerSignature, buyerId: signer, paymentRail: 'eth_base' }
  }
  const creditAt = async (intentId: string, weiPerMicro: bigint) => {
    world.cash.ether(weiPerMicro)
    const { notes } = await standing(intentId, await send(intentId))
    world.cash.ether()
    return notes.at(-1)
  }

  test.each([
    ['at a quarter of it', 1_600_000_000n, 25],
    ['at the same', 400_000_000n, 100],
    ['at twice', 200_000_000n, 100],
  ])('late, %s', async (_, weiPerMicro, creditUsdc) => {
    const { intentId } = await world.open(ETHER)
    world.pass(20 * DAY)
    await world.watch()
    expect(await creditAt(intentId, weiPerMicro)).toMatchObject({ kind: 'late', creditUsdc })
  })

  test('paid twice, long after it was delivered', async () => {
    const { intentId, amountAtomic } = await world.open(ETHER)
    const txHash = world.cash.send('eth_base', { atomic: amountAtomic, from: signer })
    expect((await fulfill({ intentId, txHash, buyerId: signer })).status).toBe(200)
    world.pass(300 * DAY)
    expect(await creditAt(intentId, 1_600_000_000n)).toMatchObject({ kind: 'paid_twice', creditUsdc: 25 })
  })

  test.each([
    ['a lot, at a quarter', 1_600_000_000n, 4, 100_000_000n],
    ['as much again, where nobody says what it is worth', null, 1, DUE],
  ])(
    'what is too much in time, %s: the purchase is as it was quoted, its surplus as it is',
    async (_, weiPerMicro, share, micro) => {
      const { intentId, amountAtomic } = await world.open(ETHER)
      const sent = await send(intentId, BigInt(amountAtomic) + micro * 400_000_000n)
      world.cash.ether(weiPerMicro)
      const said = await fulfill({ intentId, ...sent })
      world.cash.ether()
      expect(said.status, said.text).toBe(200)
      const price = BigInt(amountAtomic) / 400_000_000n
      expect(BigInt(said.json.result.paymentAttestation.payload.amountAtomic) - price).toBeLessThanOrEqual(1n)
      const creditUsdc = Number(micro / BigInt(share)) / 1e6
      expect(said.json.result.purchase.overpaid.creditUsdc).toBeCloseTo(creditUsdc, 5)
    },
  )

  test('more than the price comes with it while nobody says what it is worth: all of it waits for that', async () => {
    const { intentId, amountAtomic } = await world.open(ETHER)
    const sent = await send(intentId, BigInt(amountAtomic) + (DUE + 1n) * 400_000_000n)
    world.cash.ether(null)
    expect((await fulfill({ intentId, ...sent })).status).toBe(202)
    expect((await standing(intentId, { buyerId: signer })).notes).toEqual([])
    world.cash.ether(1_600_000_000n)
    const said = await fulfill({ intentId, ...sent })
    world.cash.ether()
    expect([said.status, said.json.result.purchase.overpaid.creditUsdc]).toEqual([200, 0.125])
  })

  test('all of it twice, and who takes the second looked before the first was booked', async () => {
    const { intentId, amountAtomic } = await world.open(ETHER)
    const sent = [await send(intentId, BigInt(amountAtomic)), await send(intentId, BigInt(amountAtomic))]
    const rail = world.cash.rails.find(({ id }) => id === 'eth_base')!
    const name = world.nameOf(intentId)
    const { intent } = (await readIntent(name, world.ports))!
    world.cash.ether(1_600_000_000n)
    for (const { txHash } of sent) {
      const [transfer] = (await rail.byHash(txHash)) as RailTransfer[]
      expect((await takeTransfer(name, intent, transfer!, rail, true, world.ports)).kind).toBe('booked')
    }
    world.cash.ether()
    const { notes } = (await readIntent(name, world.ports))!.intent
    expect(notes).toMatchObject([{ kind: 'paid_twice' }])
    expect(Number(notes[0]!.micro) / Number(DUE)).toBeCloseTo(1 / 4, 1)
  })

  test('late, and so dear by now that the price is too little of it to be sent: as it was quoted', async () => {
    const { intentId } = await world.open(ETHER)
    world.pass(20 * DAY)
    await world.watch()
    const ether = world.cash.rails.find(({ id }) => id === 'eth_base')!
    const { quote } = ether
    ether.quote = async () => ({ problem: 'amount_too_small' })
    const { notes } = await standing(intentId, await send(intentId))
    ether.quote = quote
    expect(notes).toMatchObject([{ kind: 'late', creditUsdc: 100 }])
  })

  test('while nobody says what it is worth it waits, and is taken afterwards', async () => {
    const { intentId } = await world.open(ETHER)
    world.pass(20 * DAY)
    await world.watch()
    const sent = await send(intentId)
    world.cash.ether(null)
    expect((await standing(intentId, sent)).notes).toEqual([])
    expect(await world.store.redis.exists(`spent:tx:8453:${sent.txHash}:log0`)).toBe(0)
    world.cash.ether()
    expect((await standing(intentId, sent)).notes).toMatchObject([{ kind: 'late', creditUsdc: 100 }])
  })
})

test('CHN-06 a part lies as deep as the price that it is of: small ones make up a large sum', async () => {
  const { intentId } = await world.open({ sku: 'SKU_TIP_00', options: { tipUsdc: 100 }, buyerId: signer })
  const txHash = world.cash.send('usdc_base', { atomic: 1_000_000n, from: signer })
  const payerSignature = await account.signMessage({ message: payerText(intentId, txHash) })
  const stands = async (confirmations: number) => {
    world.cash.amend(txHash, { confirmations })
    return await standing(intentId, { txHash, payerSignature, buyerId: signer })
  }
  expect(await stands(3)).toMatchObject({ state: 'Seen', confirmations: { have: 3, need: 4 } })
  expect(await stands(4)).toMatchObject({
    state: 'Underpaid',
    receivedUsdc: '1',
  })
})

describe('CLS-10, CLS-16 paid twice', () => {
  test('the answer stays the same, and a header beside it says what becomes of the second payment', async () => {
    const { intentId, amountAtomic: atomic } = await world.open({ ...PACK, paymentRail: 'eth_base' })
    const ask = async (txHash?: string) => {
      const said = await fulfill({
        intentId,
        ...(txHash !== undefined && { txHash, paymentRail: 'eth_base' }),
      })
      return [said.status, said.text, said.header('x-service-other-payment')]
    }
    const first = world.cash.send('eth_base', { atomic })
    const [status, body, none] = await ask(first)
    expect([status, none]).toEqual([200, null])
    const second = world.cash.send('eth_base', { atomic })
    world.cash.amend(second, { confirmations: 0 })
    expect(await ask(second)).toEqual([200, body, 'waits'])
    const wrong = world.cash.send('eth_base', { atomic: BigInt(atomic) - 1n })
    expect(await ask(wrong)).toEqual([200, body, 'not_taken'])
    expect(await ask('no hash')).toEqual([200, body, 'not_taken'])
    const { next } = await standing(intentId, { txHash: wrong })
    expect(next).toMatch(
      /^txHash does not pay for this purchase: .*payerSignature.*POST \/fulfill gives the same/,
    )
    world.cash.amend(second, { confirmations: 9 })
    expect(await ask(second)).toEqual([200, body, 'store_credit'])
    expect(await ask(first.toUpperCase().replace('X', 'x'))).toEqual([200, body, null])
    expect(await ask()).toEqual([200, body, 'store_credit'])
  })

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

  test.each([
    ['a name: one pays, the other is store credit', 'who-has-no-address', true],
    ['an address: what another sent is not his', BUYER, false],
  ])('two candidates found without a hash, and the buyer is %s', async (_, buyerId, isHis) => {
    const payment = await world.open({ ...PACK, buyerId })
    const { intentId, amountAtomic: atomic } = payment
    const from = `0x${'c4'.repeat(20)}`
    world.cash.send('usdc_base', { atomic: BigInt(atomic) - 1n }) //  is over no amount that is asked for
    const first = world.cash.send('usdc_base', { atomic })
    const second = world.cash.send('usdc_base', { atomic, from })
    const said = await fulfill({ intentId, buyerId })
    expect([said.status, said.json.result.paymentAttestation.payload.amountAtomic]).toEqual([200, atomic])
    const settlement = await standing(intentId, { buyerId })
    expect(settlement.transactions).toEqual(isHis ? [first, second] : [first])
    expect(worth(settlement)).toEqual(isHis ? [['paid_twice', usdcOf(payment)]] : [])
    expect(await world.store.redis.exists(`spent:tx:8453:${second}:log0`)).toBe(isHis ? 1 : 0)
    expect((await fulfill({ intentId, buyerId })).text).toBe(said.text)
  })

  test('CLS-11 twice in one transaction, its hash asked for: the second one is store credit as well', async () => {
    const payment = await world.open(PACK)
    const { amountAtomic: atomic } = payment
    const txHash = world.cash.send('usdc_base', { atomic }, { atomic })
    expect((await fulfill({ intentId: payment.intentId, txHash })).status).toBe(200)
    expect(await standing(payment.intentId)).toMatchObject({
      transactions: [txHash, txHash],
      notes: [{ kind: 'paid_twice', creditUsdc: usdcOf(payment), transactions: [txHash] }],
    })
  })

  test('CLS-07, CLS-11 two parts in one transaction, signed for: both count; what moves besides is not asked for', async () => {
    const payment = await world.open(PACK)
    const due = BigInt(payment.amountAtomic)
    const parts = [3n, 8n, 2n].map((tenths) => ({ atomic: (due * tenths) / 10n }))
    const stranger = { atomic: due - 7n, from: `0x${'c5'.repeat(20)}` }
    const txHash = world.cash.send('usdc_base', stranger, ...parts)
    const said = await fulfill(await signedFor({ intentId: payment.intentId, txHash }))
    expect(said.status, said.text).toBe(200)
    expect(await standing(payment.intentId)).toMatchObject({
      transactions: [txHash, txHash],
      notes: [{ kind: 'overpaid', transactions: [txHash] }],
    })
  })

  test('CLS-09, CLS-11 the same when it is late: each is store credit', async () => {
    const payment = await world.open(PACK)
    world.pass(46 * MINUTE)
    await world.watch()
    const txHash = world.cash.send('usdc_base', { atomic: 20_001n }, { atomic: 30_001n })
    await fulfill(await signedFor({ intentId: payment.intentId, txHash }))
    expect(worth(await standing(payment.intentId))).toEqual([
      ['late', 0.020001],
      ['late', 0.030001],
    ])
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
