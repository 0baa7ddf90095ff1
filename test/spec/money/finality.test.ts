import type { Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accountDigest } from '../../../api/entitlements/credit.ts'
import { isRevoked } from '../../../api/entitlements/grant.ts'
import { digestOfToken, type TokenKind, tokenOf } from '../../../api/entitlements/token.ts'
import { type CreditLedger, createCreditLedger } from '../../../api/ledger/credits.ts'
import { createFinalityLedger } from '../../../api/ledger/finality.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { authorizationKey, type ClaimTerms, transferKey } from '../../../api/ledger/ledger.ts'
import { attestationIdOf } from '../../../api/receipts/attestation.ts'
import { type ClosableChain, createPaymentChain } from '../../../api/settlement/chain.ts'
import { createFinalityGate } from '../../../api/settlement/finalityGate.ts'
import type { Payment, Settled } from '../../../api/settlement/port.ts'
import { verdictOfFate } from '../../../api/settlement/verdictOfFate.ts'
import { createFinalityWatch } from '../../../api/worker/watchFinality.ts'
import { depthFor, parseFinality } from '../../../ops/finalityPolicy.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../ops/units.ts'
import { pay, transferCall } from '../../api/settlement/payer.ts'
import { lower, USDC } from '../../api/settlement/vectors.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { named, openLedger, quietLog, someTerms } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

const FINAL_BLOCKS = 4
const answers = { secret: Buffer.alloc(32, 7), mode: 'sandbox' as const }

let anvil: TestChain
let chain: ClosableChain
let atOnce: ClosableChain // the same, but its newest block counts as final
let redis: TestRedis
let book: ReturnType<typeof openLedger>
let credits: CreditLedger
let watch: ReturnType<typeof createFinalityWatch>
beforeAll(async () => {
  ;[anvil, redis] = await Promise.all([
    startTestChain({ buyers: 3, history: true }),
    startRedis({ appendfsync: 'always' }),
  ])
  chain = createPaymentChain({ rpcUrl: anvil.rpcUrl, log: quietLog })
  atOnce = { ...chain, head: () => chain.head('latest') }
  book = openLedger(redis.url)
  credits = createCreditLedger(book.redis)
})
afterAll(async () => {
  book?.close()
  await chain?.close()
  await Promise.all([anvil?.stop(), redis?.stop()])
})
beforeEach(async () => {
  await book.redis.del(KEYS.claims.unfinal, KEYS.sales)
  watch = createFinalityWatch({
    finality: createFinalityLedger(book.redis),
    chain: atOnce,
    answers,
    chainId: 8453,
    finalBlocks: FINAL_BLOCKS,
    log: quietLog,
  })
})

const request = (method: string, params: unknown[]) =>
  anvil.clients.node.request({ method: method as never, params: params as never })
const mine = (blocks: number) => anvil.clients.node.mine({ blocks })
const rawOf = (tx: Hex) => request('eth_getRawTransactionByHash', [tx]) as Promise<Hex>
const claimOf = (key: string) => book.ledger.find(key)
const isWatched = async (key: string) => (await book.redis.zscore(KEYS.claims.unfinal, key)) !== null
const reversals = async () =>
  (await book.redis.xrange(KEYS.sales, '-', '+')).flatMap(([, [field, text]]) =>
    field === 'reversal'
      ? [JSON.parse(text!) as { purchasePath: string; amountMicroUsdc: string; tx: string }]
      : [],
  )

/** A payment that is claimed, settled on chain and recorded; `drop` takes the chain back to before the settlement. */
async function settledSale(change: Partial<ClaimTerms> = {}) {
  const payment = await pay(anvil.buyers[0]!, anvil.receiver)
  const key = authorizationKey(payment)
  const terms = someTerms({
    payer: payment.authorization.from,
    asset: USDC,
    payTo: lower(anvil.receiver),
    amountMicroUsdc: payment.authorization.value,
    ...change,
  })
  expect(await book.ledger.claim(key, 'o', terms, payment)).toBe('won')
  const chainWas = await request('evm_snapshot', [])
  const settled = await settle(payment)
  expect(await book.ledger.recordSettled(key, settled, 8453)).toBe('recorded')
  const drop = async () => {
    await request('evm_revert', [chainWas])
    await mine(1) //  the chain reaches the same height again, without the transfer
  }
  return { key, payment, settled, drop }
}
async function settle(payment: Payment): Promise<Settled> {
  const tx = await anvil.send(anvil.buyers[2]!, anvil.usdc, transferCall(payment))
  const { from, nonce } = payment.authorization
  const verdict = verdictOfFate((await chain.fateIn(USDC, from, nonce, tx))!, payment)
  if (verdict.kind !== 'settled') throw new Error(verdict.kind)
  return verdict.settled
}
async function deliver(key: string, token?: { kind: TokenKind; expiresMs: number }) {
  const digest = token && digestOfToken(tokenOf(answers.secret, token.kind, key))
  await book.ledger.deliver(key, {
    body: '{"ok":true,"x":1}',
    paymentResponse: 'p',
    attestationId: `a-${key}`,
    attestation: '{}',
    sale: {} as never,
    grant: token
      ? { kind: token.kind, digest: digest!, sku: 's', expiresMs: token.expiresMs, fields: { calls: '9' } }
      : null,
  })
  return digest!
}
/** Two passes, further apart than the grace: what both find gone is taken back. */
async function watchPastGrace() {
  await watch(Date.now())
  return await watch(Date.now() + 31 * SECOND)
}

describe('CHN-06 confirmations by value', () => {
  const policy = parseFinality('1:3,1000:finalized')
  test.each([
    [999_999n, 1],
    [1_000_000n, 3],
    [999_999_999n, 3],
    [1_000_000_000n, 'finalized'],
  ])('%d micro-USDC: %s', (amount, depth) => expect(depthFor(policy, amount)).toBe(depth))

  test('without steps everything counts at inclusion', () => {
    expect(depthFor(parseFinality(''), 10n ** 12n)).toBe(1)
  })

  test.each(['1', '1:0', '2:3,1:5', '1:3,1:4', ':3', '1:soon', '-1:3', '1:1000', '0.0000001:2'])(
    'FINALITY=%s is refused',
    (text) => expect(() => parseFinality(text)).toThrow(/FINALITY/),
  )

  const gate = (text: string) =>
    createFinalityGate({
      chain,
      chainId: 8453,
      policy: parseFinality(text),
      waitMs: 0,
    })

  test('a sale is handed out at its depth and not one block before', async () => {
    const { key } = await settledSale()
    const claim = (await claimOf(key))!
    expect(await gate('1:3').reached(claim)).toBe(true) // one cent
    const deep = gate('0.01:3')
    expect(await deep.reached(claim)).toBe(false)
    await mine(1)
    expect(await deep.reached(claim)).toBe(false)
    await mine(1)
    expect(await deep.reached(claim)).toBe(true)
  })

  test('as many blocks without it in them count for nothing', async () => {
    const { key, drop } = await settledSale()
    const claim = (await claimOf(key))!
    await drop()
    await mine(5)
    expect(await gate('0.01:3').reached(claim)).toBe(false)
  })

  test('CHN-02 the same authorization by another transaction: not before the claim names that one', async () => {
    const { key, payment, drop } = await settledSale()
    const claim = (await claimOf(key))!
    await watch(Date.now())
    await drop()
    await mine(1)
    await settle(payment)
    await mine(3)
    const high = { ...claim, settled: { ...claim.settled!, blockNumber: claim.settled!.blockNumber + 2n } }
    expect(await gate('0.01:1').reached(high)).toBe(true)
    expect(await gate('0.01:2').reached(high)).toBe(false)
    await watch(Date.now())
    expect(await gate('0.01:2').reached((await claimOf(key))!)).toBe(true)
  })

  test('money of other chains and store credit has confirmed in its own way', async () => {
    const { key } = await settledSale()
    const claim = (await claimOf(key))!
    for (const elsewhere of ['tx:42161:0xaa:0', 'credit:ff'])
      expect(await gate('0.01:99').reached({ ...claim, key: elsewhere })).toBe(true)
  })
})

describe('a claim is watched until it is deep enough', () => {
  test('and then no more', async () => {
    const { key } = await settledSale()
    await watch(Date.now())
    await mine(FINAL_BLOCKS - 2)
    expect((await watch(Date.now())).final).toBe(0)
    expect(await isWatched(key)).toBe(true)
    await mine(1)
    expect((await watch(Date.now())).final).toBe(1)
    expect(await isWatched(key)).toBe(false)
  })
})

describe('CHN-03 what is watched', () => {
  test('comes lowest block first, so many or all; what is not settled is watched no more', async () => {
    const finality = createFinalityLedger(book.redis)
    const [first, second] = [await settledSale(), await settledSale()]
    await book.redis.zadd(KEYS.claims.unfinal, 0, 'auth:8453:0xa:0xb:nobody')
    const keys = ['auth:8453:0xa:0xb:nobody', first.key, second.key]
    expect([await finality.unfinal(2), await finality.unfinal('all')]).toEqual([keys.slice(0, 2), keys])
    expect((await finality.watched(keys)).claims.map(({ key }) => key)).toEqual([first.key, second.key])
    expect(await finality.unfinal('all')).toEqual([first.key, second.key])
  })

  test('DATA-08 one whose row is broken holds up no other, and is watched again when it is repaired', async () => {
    const [broken, sound] = [await settledSale(), await settledSale()]
    const row = KEYS.claim(broken.key)
    const amount = (await book.redis.hget(row, 'amount'))!
    await book.redis.hset(row, 'amount', 'many')
    await mine(FINAL_BLOCKS)
    await watch(Date.now())
    expect([await isWatched(broken.key), await isWatched(sound.key)]).toEqual([true, false])
    await book.redis.hset(row, 'amount', amount)
    await watch(Date.now())
    expect(await isWatched(broken.key)).toBe(false)
  })
})

describe('CHN-02 dropped and mined again in another block', () => {
  test('claim and registry follow it; the answer stays, nothing is taken back', async () => {
    const { key, settled } = await settledSale()
    await deliver(key)
    await watch(Date.now())
    const raw = await rawOf(settled.tx)
    await request('anvil_reorg', [1, []])
    await request('evm_mine', [])
    await anvil.clients.reads.request({ method: 'eth_sendRawTransaction', params: [raw] }).catch(() => {})
    await mine(1) //  the node answers before it has put it into a block
    await mine(1)
    const counts = await watchPastGrace()
    const claim = (await claimOf(key))!
    expect(claim.answer!.body).toBe('{"ok":true,"x":1}')
    expect(claim.settled!.tx).toBe(settled.tx)
    expect(claim.settled!.blockNumber).toBe(
      (await anvil.clients.reads.getTransactionReceipt({ hash: settled.tx })).blockNumber,
    )
    expect(claim.settled!.blockNumber).not.toBe(settled.blockNumber)
    expect(await book.redis.get(`spent:${transferKey(8453, settled.tx, claim.settled!.logIndex)}`)).toBe(key)
    expect([counts.suspended, (await reversals()).length]).toEqual([0, 0])
  })

  test('the same authorization by another transaction: followed as well, delivered once', async () => {
    const { key, payment, settled, drop } = await settledSale()
    await deliver(key)
    await watch(Date.now())
    await drop()
    await mine(1)
    const again = await settle(payment)
    expect(again.tx).not.toBe(settled.tx)
    expect((await watch(Date.now())).moved).toBe(1)
    const { blockIndex: _, ...kept } = again
    expect((await claimOf(key))!.settled).toEqual(kept)
  })

  test('I1 the journal names the transaction that has the money, once; of what was not answered it says nothing', async () => {
    const [sale, open] = [await settledSale(), await settledSale()]
    await deliver(sale.key)
    await watch(Date.now())
    await sale.drop()
    await mine(2)
    const [there] = [await settle(sale.payment), await settle(open.payment)]
    expect((await watch(Date.now())).moved).toBe(2)
    await watch(Date.now())
    expect(await reversals()).toMatchObject([
      { purchasePath: 'reversed', amountMicroUsdc: '-10000', tx: sale.settled.tx },
      { purchasePath: 'restored', amountMicroUsdc: '10000', tx: there.tx },
    ])
  })
})

describe('CHN-03 dropped for good', () => {
  test('before anything was delivered: the authorization is open again and may settle anew', async () => {
    const { key, payment, drop } = await settledSale()
    await watch(Date.now())
    await drop()
    expect((await watch(Date.now())).reopened).toBe(1)
    expect(await claimOf(key)).toMatchObject({ state: 'settling', settled: null })
    const again = await settle(payment)
    expect(await book.ledger.recordSettled(key, again, 8453)).toBe('recorded')
  })

  test('CHN-02 followed to another transaction, dropped there too, and back where it was at first: settled, not void', async () => {
    const { key, payment, settled, drop } = await settledSale()
    const raw = await rawOf(settled.tx)
    await watch(Date.now())
    await drop()
    const between = await request('evm_snapshot', [])
    await settle(payment)
    expect((await watch(Date.now())).moved).toBe(1)
    await request('evm_revert', [between])
    await mine(2)
    expect((await watch(Date.now())).reopened).toBe(1)
    await anvil.clients.reads.request({ method: 'eth_sendRawTransaction', params: [raw] })
    await mine(1) //  the node answers before it has put it into a block
    const { from, nonce } = payment.authorization
    const back = verdictOfFate((await chain.fateIn(USDC, from, nonce, settled.tx))!, payment)
    if (back.kind !== 'settled') throw new Error(back.kind)
    expect(await book.ledger.recordSettled(key, back.settled, 8453)).toBe('recorded')
  })

  test('a claimed transfer that was not answered is forgotten: its proof may come again', async () => {
    const chainWas = await request('evm_snapshot', [])
    const payment = await pay(anvil.buyers[1]!, anvil.receiver)
    const settled = await settle(payment)
    const key = transferKey(8453, settled.tx, settled.logIndex)
    const terms = someTerms({ payer: payment.authorization.from, asset: USDC, amountMicroUsdc: 10_000n })
    await book.ledger.claimTransfer(
      key,
      { ...terms, payTo: lower(anvil.receiver), via: 'transfer' },
      settled,
      8453,
    )
    await watch(Date.now())
    await request('evm_revert', [chainWas])
    await mine(1)
    expect((await watch(Date.now())).forgotten).toBe(1)
    expect(await claimOf(key)).toBeNull()
    expect(await book.redis.exists(`spent:${key}`)).toBe(0)
  })

  test('within the grace nothing is taken back', async () => {
    const { key, drop } = await settledSale({ sku: 'SKU_AG_HOUR_PASS' })
    await deliver(key)
    await watch(Date.now())
    await drop()
    const goneMs = Date.now()
    await watch(goneMs)
    expect((await watch(goneMs + 29 * SECOND)).suspended).toBe(0)
    expect((await watch(goneMs + 31 * SECOND)).suspended).toBe(1)
  })

  test.each([
    ['pass', 'SKU_AG_HOUR_PASS_01'],
    ['permit', 'SKU_AG_TOR_CALL_01'],
    ['feed', 'SKU_AG_BOT_FUEL_24H'],
  ] as const)(
    'a %s, also one that was handed out below the threshold of FINALITY: expired, receipt revoked, sale reversed; all back with the money',
    async (kind, sku) => {
      const { key, payment, drop } = await settledSale({ sku }) // one cent: handed out at inclusion
      const expiresMs = Date.now() + 3_600_000
      const digest = await deliver(key, { kind, expiresMs })
      const revoked = () => book.ledger.revokedMs(attestationIdOf(answers.secret, key))
      await watch(Date.now())
      await drop()
      await watch(Date.now())
      expect(await revoked()).toBeNull()
      expect((await watch(Date.now() + 31 * SECOND)).suspended).toBe(1)
      const spend = async () =>
        (await book.ledger.spendCalls(kind, `op-${Math.random()}`, new Map([[digest, 1]]))).get(digest)!
      const lasts = async () => (await book.ledger.grant(kind, digest))!.expiresMs > Date.now()
      expect(await spend()).toMatchObject({ taken: 0, expired: true })
      expect(await lasts()).toBe(false)
      const isSuspended = async () => isRevoked((await book.ledger.grant(kind, digest))!, Date.now())
      expect(await isSuspended()).toBe(true)
      expect(await revoked()).toBeGreaterThan(0)
      //  RCP-02: for as long as it can be checked
      expect(await book.redis.pttl(`revoked:${attestationIdOf(answers.secret, key)}`)).toBe(-1)
      expect(await reversals()).toMatchObject([{ purchasePath: 'reversed', amountMicroUsdc: '-10000' }])
      expect((await watch(Date.now() + 40 * SECOND)).suspended).toBe(0)

      const there = await settle(payment)
      expect((await watch(Date.now())).restored).toBe(1)
      expect(await spend()).toMatchObject({ taken: 1, left: 8, expired: false, expiresMs })
      expect([await lasts(), await isSuspended(), await revoked()]).toEqual([true, false, null])
      expect((await reversals()).map(({ amountMicroUsdc }) => amountMicroUsdc)).toEqual(['-10000', '10000'])
      expect((await reversals())[1]!.tx).toBe(there.tx)
      expect((await watch(Date.now())).restored).toBe(0)
    },
  )

  const PACK = 'SKU_AG_CREDITS_02'
  const holder = (account: string) => ({ account: accountDigest(account), auth: 'auth-digest' })
  const lotOf = (key: string) => digestOfToken(tokenOf(answers.secret, 'credit', key))

  test('CRD-11 credit on an account, half of it spent: frozen, with the debt noted, never below zero; free again with the money', async () => {
    const owner = holder('agent-frozen')
    const { key, payment, drop } = await settledSale({ sku: PACK, creditTo: owner })
    await credits.deposit(lotOf(key), 2_000_000n, owner.account, owner.auth)
    const spend = (name: string, amountMicroUsdc: bigint) =>
      credits.claim(`credit:${name}`, someTerms({ purchasePath: 'credit', amountMicroUsdc }), owner)
    expect((await spend('half', 1_500_000n)).outcome).toBe('won')
    await deliver(key)
    await watch(Date.now())
    await drop()
    expect((await watchPastGrace()).suspended).toBe(1)
    expect(await credits.balance(owner)).toMatchObject({ frozen: true, balanceMicro: 500_000n })
    expect((await spend('more', 1n)).outcome).toBe('short')
    expect(await book.redis.hget(`credit:account:${owner.account}`, 'debt')).toBe('2000000')
    const held = await credits.hold('p', 1n, owner, Date.now() + 60_000, named())
    expect(held).toEqual({ outcome: 'held', micro: 0n })
    await settle(payment)
    await watch(Date.now())
    expect(await credits.balance(owner)).toMatchObject({ frozen: false, balanceMicro: 500_000n })
  })

  test('CRD-11 its money does not come back for a day: what is unspent pays for it, and other credit can be spent again', async () => {
    const owner = holder('agent-lost')
    const { key, drop } = await settledSale({ sku: PACK, creditTo: owner })
    await credits.deposit(lotOf(key), 2_000_000n, owner.account, owner.auth)
    await credits.deposit(`other ${key}`, 5_000_000n, owner.account, owner.auth)
    await deliver(key)
    await watch(Date.now())
    await drop()
    expect((await watchPastGrace()).suspended).toBe(1)
    expect(await credits.balance(owner)).toMatchObject({ frozen: true, freeMicro: 0n })
    expect((await watch(Date.now() + DAY + MINUTE)).lost).toBe(1)
    expect(await credits.balance(owner)).toMatchObject({ frozen: false, freeMicro: 5_000_000n })
  })

  test.each([
    ['ends: it pays the rest', true, { frozen: false, freeMicro: 5_000_000n }],
    ['does not end within three hours: the rest stays owed', false, { frozen: true, freeMicro: 0n }],
  ])('CRD-11 most of it is held by then, and the hold %s', async (_, ends, standing) => {
    const owner = holder(`agent-lost-held-${ends}`)
    const { key, drop } = await settledSale({ sku: PACK, creditTo: owner })
    await credits.deposit(lotOf(key), 2_000_000n, owner.account, owner.auth)
    await credits.deposit(`other ${key}`, 5_000_000n, owner.account, owner.auth)
    await credits.hold(`open ${key}`, 5_500_000n, owner, Date.now() + DAY, named(key))
    await deliver(key)
    await watch(Date.now())
    await drop()
    expect((await watchPastGrace()).suspended).toBe(1)
    expect((await watch(Date.now() + DAY + MINUTE)).lost).toBe(0)
    expect(await credits.balance(owner)).toMatchObject({ frozen: true })
    if (ends) await credits.endHold(`open ${key}`, owner.account, 'released')
    expect((await watch(Date.now() + DAY + (ends ? 2 * MINUTE : 3 * HOUR + MINUTE))).lost).toBe(1)
    expect(await credits.balance(owner)).toMatchObject(standing)
  })

  test('credit that nobody has opened: its claim code opens nothing until the money is back', async () => {
    const owner = holder('agent-late')
    const { key, payment, drop } = await settledSale({ sku: PACK })
    await credits.deposit(lotOf(key), 2_000_000n, accountDigest('whoever'), null)
    await deliver(key)
    await watch(Date.now())
    await drop()
    expect((await watchPastGrace()).suspended).toBe(1)
    expect(await credits.openLot(lotOf(key), owner)).toBe('unknown')
    await settle(payment)
    await watch(Date.now())
    expect(await credits.openLot(lotOf(key), owner)).toBe('opened')
    expect(await credits.balance(owner)).toMatchObject({ balanceMicro: 2_000_000n, frozen: false })
  })

  test('credit opened by its code: the account that has it is the one that is frozen', async () => {
    const owner = holder('agent-opened')
    const { key, drop } = await settledSale({ sku: PACK })
    await credits.deposit(lotOf(key), 2_000_000n, accountDigest('whoever'), null)
    await deliver(key)
    await credits.openLot(lotOf(key), owner)
    await watch(Date.now())
    await drop()
    expect((await watchPastGrace()).suspended).toBe(1)
    expect(await credits.balance(owner)).toMatchObject({ frozen: true })
  })
})

//  must be the last test: it makes gas cheap, after which a transaction sent again would have the same hash
test('CHN-06 without an answer: until its block is final, as the node says', async () => {
  const { key } = await settledSale()
  const patient = createFinalityWatch({
    finality: createFinalityLedger(book.redis),
    chain,
    answers,
    chainId: 8453,
    finalBlocks: FINAL_BLOCKS,
    log: quietLog,
  })
  await mine(FINAL_BLOCKS + 1)
  expect((await patient(Date.now())).final).toBe(0)
  expect(await isWatched(key)).toBe(true)
  await mine(100) //  to this node a block is final once it is 64 deep
  expect((await patient(Date.now())).final).toBe(1)
})
