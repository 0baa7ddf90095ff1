import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountDigest } from '../../../api/entitlements/credit.ts'
import { digestOfToken } from '../../../api/entitlements/token.ts'
import type { Draft } from '../../../api/goods/good.ts'
import { createCreditLedger } from '../../../api/ledger/credits.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { authorizationKey, type ClaimTerms } from '../../../api/ledger/ledger.ts'
import { deliverClaim } from '../../../api/payment/deliver.ts'
import { isOutdated } from '../../../api/payment/outdated.ts'
import { canonicalJson, sha256Hex } from '../../../api/receipts/canonical.ts'
import { loadReceiptKey } from '../../../api/receipts/key.ts'
import { keyRing } from '../../../api/receipts/keyRing.ts'
import { type AnswerClaimsPorts, answerClaims } from '../../../api/worker/answerClaims.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { SECOND } from '../../../ops/units.ts'
import { named, openLedger, quietLog, somePayment, someSettled, someTerms } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let redis: TestRedis
let book: ReturnType<typeof openLedger>
let ports: AnswerClaimsPorts
let isDeep = true
beforeAll(async () => {
  redis = await startRedis({ appendfsync: 'always' })
  book = openLedger(redis.url)
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  await writeFile(join(redis.dir, 'receipt.pem'), pem, { mode: 0o600 })
  const receiptKey = loadReceiptKey(join(redis.dir, 'receipt.pem'))
  const receiptKeys = keyRing(receiptKey, '', (why) => {
    throw new Error(why)
  })
  ports = {
    ledger: book.ledger,
    credits: createCreditLedger(book.redis),
    answers: {
      receiptKey,
      receiptKeys,
      secret: Buffer.alloc(32, 9),
      publicUrl: 'http://here.example',
      mode: 'sandbox',
    },
    finality: { reached: async () => isDeep },
    log: quietLog,
    faultPoint: () => {},
  }
})
afterAll(async () => {
  book?.close()
  await redis?.stop()
})

let seed = 500
async function settledSale(change: Partial<ClaimTerms>) {
  const payment = somePayment(seed)
  const key = authorizationKey(payment)
  await book.ledger.claim(key, 'o', someTerms({ payer: payment.authorization.from, ...change }), payment)
  await book.ledger.recordSettled(key, someSettled(seed++), 8453)
  return key
}
const passAfter = (ms: number) => answerClaims(ports, Date.now() + ms)
const deliver = async (key: string, fresher: Draft | null = null) =>
  await deliverClaim((await book.ledger.find(key))!, fresher, ports)
const answerOf = async (key: string) => {
  const claim = (await book.ledger.find(key))!
  return JSON.parse((await deliverClaim(claim, null, ports)).body)
}
const UNSIGNABLE = JSON.stringify({ result: { echo: '\ud800' }, snapshotVersion: null })

describe('design 4: a settled sale that cannot be delivered within 60 s becomes store credit', () => {
  test.each<[string, Partial<ClaimTerms>]>([
    ['its good is no longer known', { sku: 'SKU_GONE' }],
    ['its answer cannot be signed', { draft: UNSIGNABLE }],
  ])('%s', async (_, change) => {
    const key = await settledSale(change)
    expect((await passAfter(59 * SECOND)).refunded).toBe(0)
    expect((await book.ledger.find(key))!.answer).toBeNull()
    expect((await passAfter(61 * SECOND)).refunded).toBe(1)
    expect((await passAfter(61 * SECOND)).refunded).toBe(0)

    const answer = await answerOf(key)
    expect(answer).toMatchObject({
      ok: false,
      refunded: true,
      result: { delivered: false, refund: { amountUsdc: '0.001', as: 'storeCredit' } },
    })
    const { paymentAttestation, ...result } = answer.result
    const { claimCode } = result.storeCredit
    expect(claimCode).toMatch(/^credit_/)
    expect(paymentAttestation.payload.responseHash).toBe(sha256Hex(canonicalJson(result)))

    const stored = (await book.ledger.find(key))!.answer!.body
    expect(stored).not.toContain(claimCode) // only a caller who sends the payment again gets it
    const holder = { account: accountDigest(`agent-${key}`), auth: 'auth' }
    expect(await ports.credits.openLot(digestOfToken(claimCode), holder)).toBe('opened')
    expect(await ports.credits.balance(holder)).toMatchObject({ balanceMicro: 1_000n })
  })

  test('where the purchase named an account with its secret the credit is on it', async () => {
    const holder = { account: accountDigest('agent-bound'), auth: 'auth-digest' }
    const key = await settledSale({ sku: 'SKU_GONE', creditTo: holder })
    await passAfter(61 * SECOND)
    const { storeCredit } = (await answerOf(key)).result
    expect(storeCredit).toMatchObject({ creditUsdc: 0.001, balanceUsdc: 0.001 })
    expect(storeCredit).not.toHaveProperty('claimCode')
    expect(await ports.credits.balance(holder)).toMatchObject({ balanceMicro: 1_000n })
  })

  test('the journal has it as refunded', async () => {
    await settledSale({ sku: 'SKU_GONE' })
    await passAfter(61 * SECOND)
    const [[, fields]] = (await book.redis.xrevrange(KEYS.sales, '+', '-', 'COUNT', 1)) as [
      [string, string[]],
    ]
    expect(JSON.parse(fields[1]!)).toMatchObject({ purchasePath: 'refunded', amountMicroUsdc: '1000' })
  })

  test('who settled it has three seconds to answer from newer data; then the worker does, from the draft', async () => {
    const key = await settledSale({})
    expect((await passAfter(2 * SECOND)).delivered).toBe(0)
    expect((await book.ledger.find(key))!.answer).toBeNull()
    expect((await passAfter(4 * SECOND)).delivered).toBe(1)
  })

  test('credit that is held for a purchase which nobody completed is free once its time is over', async () => {
    const holder = { account: accountDigest('agent-holding'), auth: 'auth-digest' }
    await ports.credits.deposit('held', 1_000n, holder.account, holder.auth)
    await ports.credits.hold('purchase', 600n, holder, Date.now() + 30 * SECOND, named('purchase'))
    await passAfter(20 * SECOND)
    expect(await ports.credits.balance(holder)).toMatchObject({ freeMicro: 400n, heldMicro: 600n })
    await passAfter(31 * SECOND)
    expect(await ports.credits.balance(holder)).toMatchObject({ freeMicro: 1_000n, heldMicro: 0n })
  })

  test('what may still be delivered is not refunded, however late', async () => {
    isDeep = false
    const key = await settledSale({})
    expect((await passAfter(600 * SECOND)).refunded).toBe(0)
    isDeep = true
    expect((await passAfter(600 * SECOND)).delivered).toBe(1)
    expect((await answerOf(key)).ok).toBe(true)
  })

  describe('or whose data is older by then than it may be sold', () => {
    const aged = (change = {}) => ({
      result: { spread: {}, ageMs: { a: 500, b: 30_000 }, maxAgeMs: 90_000, recorded: false, ...change },
      snapshotVersion: 7,
    })
    /** A claim made `ms` ago by the ledger's clock. */
    const madeAgo = async (ms: number, change: Partial<ClaimTerms> = {}) => {
      const terms = { snapshotVersion: 7, draft: JSON.stringify(aged()), ...change }
      const key = await settledSale(terms)
      await book.redis.hset(`claim:${key}`, 'created', (await book.ledger.nowMs()) - ms)
      return key
    }

    test.each([
      [60_000, false],
      [60_001, true],
    ])('data of 30 s, %d ms ago: %s', (sinceMs, outdated) => {
      expect(isOutdated(aged(), sinceMs)).toBe(outdated)
    })

    test('a recording stands still, and what is no market data has no age', () => {
      expect(isOutdated(aged({ recorded: true }), 10 ** 9)).toBe(false)
      expect(isOutdated({ ...aged(), snapshotVersion: null }, 10 ** 9)).toBe(false)
      expect(isOutdated({ result: { echo: 'x' }, snapshotVersion: 7 }, 10 ** 9)).toBe(false)
    })

    test('who asks again gets fresh data, else hears that it is pending; after 60 s it is store credit', async () => {
      const [key, lucky] = [await madeAgo(61_000), await madeAgo(61_000)]
      await expect(deliver(key)).rejects.toMatchObject({ code: 'settlement_pending', retryable: true })
      const fresh = await deliver(lucky, aged({ spread: { fresh: 1 } }))
      expect(JSON.parse(fresh.body)).toMatchObject({ ok: true, result: { spread: { fresh: 1 } } })
      expect(await passAfter(59 * SECOND)).toMatchObject({ delivered: 0, refunded: 0 })
      expect(await passAfter(61 * SECOND)).toMatchObject({ delivered: 0, refunded: 1 })
      expect(await answerOf(key)).toMatchObject({
        ok: false,
        refunded: true,
        result: { refund: { reason: 'outdated', amountUsdc: '0.001', as: 'storeCredit' } },
      })
    })

    test('young enough: the worker delivers it', async () => {
      const key = await madeAgo(30_000)
      expect(await passAfter(61 * SECOND)).toMatchObject({ delivered: 1, refunded: 0 })
      expect((await answerOf(key)).ok).toBe(true)
    })

    test('refused at first and paid by a resend: its data is as old as what was drafted then', async () => {
      const payment = somePayment(seed)
      const key = authorizationKey(payment)
      const terms = someTerms({ snapshotVersion: 7, draft: JSON.stringify(aged()) })
      await book.ledger.claim(key, 'first', terms, payment)
      await book.ledger.recordRefused(key, 'facilitator_unavailable', 'refused')
      await book.redis.hset(`claim:${key}`, 'created', (await book.ledger.nowMs()) - 61_000)
      expect(await book.ledger.claim(key, 'second', terms, payment)).toBe('won')
      await book.ledger.recordSettled(key, someSettled(seed++), 8453)
      expect((await answerOf(key)).ok).toBe(true)
    })

    test('a classic purchase has a book of its own for money that is given back', async () => {
      const key = await madeAgo(61_000, { purchasePath: 'classic' })
      expect((await answerOf(key)).ok).toBe(true)
    })
  })

  test.each<ClaimTerms['purchasePath']>(['classic', 'card'])(
    'a %s purchase that cannot be answered is not given back twice: that is for its own book',
    async (purchasePath) => {
      const key = await settledSale({ sku: 'SKU_GONE', purchasePath })
      expect((await passAfter(61 * SECOND)).refunded).toBe(0)
      expect((await book.ledger.find(key))!.answer).toBeNull()
      await book.redis.zrem(KEYS.claims.undelivered, key)
    },
  )

  test('one that cannot even be refunded keeps nobody waiting', async () => {
    const stuck = await settledSale({ sku: 'SKU_GONE' })
    const next = await settledSale({})
    const broken = {
      ...ports.credits,
      look: () => Promise.reject(new UnavailableError('ledger_unavailable', '')),
    }
    const counts = await answerClaims({ ...ports, credits: broken }, Date.now() + 61 * SECOND)
    expect(counts.delivered).toBe(1)
    expect((await answerOf(next)).ok).toBe(true)
    expect((await book.ledger.find(stuck))!.answer).toBeNull()
    await passAfter(61 * SECOND)
    expect((await answerOf(stuck)).refunded).toBe(true)
  })
})
