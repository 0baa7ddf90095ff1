import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { accountDigest, creditAuthDigest } from '../../../api/entitlements/credit.ts'
import { digestOfToken } from '../../../api/entitlements/token.ts'
import type { Problem } from '../../../api/errors.ts'
import { ping } from '../../../api/goods/ping.ts'
import { createCreditLedger } from '../../../api/ledger/credits.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { type CreditPorts, figuresOf, sellByCredit } from '../../../api/payment/credit.ts'
import { realClock } from '../../../ops/clock.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { openLedger } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { newKey } from '../receipts/keys.ts'

let server: TestRedis
let book: ReturnType<typeof openLedger>
beforeAll(async () => {
  server = await startRedis()
  book = openLedger(server.url)
})
afterAll(async () => {
  book?.close()
  await server?.stop()
})

test('DATA-08 an answer that is stored goes out without figures where the row of its account is broken', async () => {
  const credits = createCreditLedger(book.redis)
  const holder = { account: 'mine', auth: 'secret' }
  await credits.deposit('lot', 1_000_000n, holder.account, holder.auth)
  expect(await figuresOf(holder, { credits })).toContainEqual(['x-service-credit-balance-usdc', '1'])
  const row = KEYS.account(holder.account)
  await book.redis.multi().del(row).set(row, 'wrong').exec()
  expect(await figuresOf(holder, { credits })).toEqual([])
})

test('DNS-11 sixteen slow answers of an account are under way, no more; of another one besides', async () => {
  const refused = Promise.withResolvers<Problem>()
  let answers = 0
  const good = {
    sku: 'S',
    isSlow: () => true,
    path: '/x402/v1/s',
    priceMicroUsdc: 1_000n,
    parameters: [],
    input: z.object({}),
    answer: () => {
      answers++
      return refused.promise
    },
  }
  const sold = { good, offer: { amount: '1000', asset: '0xA', payTo: '0xB' } }
  const figures = { balanceMicro: 1_000_000n, heldMicro: 0n, freeMicro: 1_000_000n, frozen: false }
  const ports = {
    answers: { secret: Buffer.alloc(32, 7) },
    credits: { balance: async () => figures, unanswered: async () => null },
  } as unknown as CreditPorts
  const ask = async (agentId: string, nth: number) => {
    const call = {
      rawQuery: `q=${nth}`,
      payload: '',
      agentId,
      creditAuth: 'a-secret-of-the-buyer',
      claimCode: '',
      idempotencyKey: '',
      payerSignature: '',
      wrongSecret: () => {},
      secretWaitS: () => 0,
    }
    const sell = sellByCredit(call, sold as unknown as Parameters<typeof sellByCredit>[1], ports)
    return JSON.parse(String((await sell).body)).code
  }
  const all = Array.from({ length: 20 }, (_, nth) => ask('slow-asker', nth))
  expect(await Promise.all(all.slice(16))).toEqual(Array(4).fill('busy'))
  const other = ask('another', 1)
  await expect.poll(() => answers).toBe(17) //  while the sixteen are still under way
  refused.resolve({ problem: 'resolver_unavailable' })
  expect(await Promise.all([...all.slice(0, 16), other])).toEqual(Array(17).fill('resolver_unavailable'))
})

test('I4 an answer whose spend could not be marked as answered goes out all the same; asked again it is that answer, for nothing', async () => {
  const secret = Buffer.alloc(32, 7)
  const [agentId, creditAuth] = ['keeps-his-answer', 'a-secret-of-the-buyer']
  const credits = createCreditLedger(book.redis)
  const account = accountDigest(agentId)
  const auth = creditAuthDigest(secret, agentId, creditAuth)
  await credits.deposit('lot-of-keeper', 20_000n, account, auth)
  const receiptKey = newKey()
  const ports = {
    ledger: book.ledger,
    credits: {
      ...credits,
      answered: () => Promise.reject(new UnavailableError('ledger_unavailable', 'away')),
    },
    answers: { secret, receiptKey, publicUrl: 'https://here.example', mode: 'sandbox' },
    finality: { reached: async () => true },
    clock: realClock,
    faultPoint: () => {},
  } as unknown as CreditPorts
  const call = { rawQuery: '', payload: '', agentId, creditAuth, claimCode: '', idempotencyKey: '' }
  const sold = { good: ping, offer: { amount: '10000', asset: '0xA', payTo: '0xB' } }
  const ask = async () => {
    const asked = { ...call, secretWaitS: () => 0, wrongSecret: () => {} } as unknown as Parameters<
      typeof sellByCredit
    >[0]
    return await sellByCredit(asked, sold as unknown as Parameters<typeof sellByCredit>[1], ports)
  }
  const first = await ask()
  expect(first.status).toBe(200)
  expect((await ask()).body).toBe(first.body)
  expect(await credits.balance({ account, auth })).toMatchObject({ balanceMicro: 10_000n })
})

test('CRD-01 a spend that is being answered is not given to another request that asks the same: that one is a purchase of its own', async () => {
  const secret = Buffer.alloc(32, 7)
  const [agentId, creditAuth] = ['asks-twice-at-once', 'a-secret-of-the-buyer']
  const credits = createCreditLedger(book.redis)
  const [account, auth] = [accountDigest(agentId), creditAuthDigest(secret, agentId, creditAuth)]
  await credits.deposit('lot-of-two-askers', 20_000n, account, auth)
  const nowMs = await book.ledger.nowMs() // stands still: however slow this machine, it is asked at once
  const [begun, looked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let answers = 0
  const ports = {
    ledger: {
      ...book.ledger,
      nowMs: async () => {
        if (answers > 0) looked.resolve()
        return nowMs
      },
    },
    credits,
    answers: { secret, receiptKey: newKey(), publicUrl: 'https://here.example', mode: 'sandbox' },
    finality: {
      reached: async () => {
        if (answers++ > 0) return true
        begun.resolve()
        await looked.promise
        return true
      },
    },
    clock: realClock,
    faultPoint: () => {},
  } as unknown as CreditPorts
  const call = { rawQuery: '', payload: '', agentId, creditAuth, claimCode: '', idempotencyKey: '' }
  const asked = { ...call, secretWaitS: () => 0, wrongSecret: () => {} }
  const sold = { good: ping, offer: { amount: '10000', asset: '0xA', payTo: '0xB' } }
  const ask = () =>
    sellByCredit(
      asked as unknown as Parameters<typeof sellByCredit>[0],
      sold as unknown as Parameters<typeof sellByCredit>[1],
      ports,
    )
  const first = ask()
  await begun.promise
  const [one, other] = await Promise.all([first, ask()])
  expect([one.status, other.status]).toEqual([200, 200])
  expect(other.body).not.toBe(one.body)
  expect(await credits.balance({ account, auth })).toMatchObject({ balanceMicro: 0n })
})

describe('I17 a spend whose process stood still, or whose ledger was slow', () => {
  const secret = Buffer.alloc(32, 7)
  const creditAuth = 'a-secret-of-the-buyer'
  let buyers = 0

  /** A spend of 0.01 of 0.02 for data of that age. `drawn`, `claimed`: what happens right after that. */
  async function spend(ageMs: number, { drawn = () => {}, claimedMs = 0 }) {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const agentId = `slow-buyer-${buyers++}`
    const credits = createCreditLedger(book.redis)
    const [account, auth] = [accountDigest(agentId), creditAuthDigest(secret, agentId, creditAuth)]
    await credits.deposit(`lot of ${agentId}`, 20_000n, account, auth)
    const ports = {
      ledger: { ...book.ledger, nowMs: async () => (await book.ledger.nowMs()) + claimedMs },
      credits,
      answers: { secret, receiptKey: newKey(), publicUrl: 'https://here.example', mode: 'sandbox' },
      finality: { reached: async () => true },
      clock: realClock,
      faultPoint: () => {},
    } as unknown as CreditPorts
    const answer = () => {
      drawn()
      return {
        result: { ageMs: { a: ageMs, b: 0 }, maxAgeMs: 90_000, recorded: false },
        snapshotVersion: 1,
      }
    }
    const sold = { good: { ...ping, answer }, offer: { amount: '10000', asset: '0xA', payTo: '0xB' } }
    const call = { rawQuery: '', payload: '', agentId, creditAuth, claimCode: '', idempotencyKey: '' }
    const asked = { ...call, secretWaitS: () => 0, wrongSecret: () => {} }
    const { status, body } = await sellByCredit(
      asked as unknown as Parameters<typeof sellByCredit>[0],
      sold as unknown as Parameters<typeof sellByCredit>[1],
      ports,
    )
    const { balanceMicro } = (await credits.balance({ account, auth }))!
    return { told: [status, JSON.parse(String(body)).code], balanceMicro, account }
  }

  test.each([
    ['too old by then: nothing is charged', 30_001, 60_000, [503, 'stale_data'], 20_000n],
    ['just within its limit by then: sold', 30_000, 60_000, [200, undefined], 10_000n],
    ['of less than a second ago: sold', 89_100, 999, [200, undefined], 10_000n],
  ])('before the debit its data is %s', async (_, ageMs, stillMs, told, balanceMicro) => {
    const drawn = () => void vi.setSystemTime(Date.now() + stillMs)
    expect(await spend(ageMs, { drawn })).toMatchObject({ told, balanceMicro })
  })

  test('after the debit its data is too old: it is not given, and the spend waits for the worker, who gives fresh data or the price back', async () => {
    const { told, balanceMicro, account } = await spend(30_001, { claimedMs: 60_000 })
    expect([told, balanceMicro]).toEqual([[503, 'settlement_pending'], 10_000n])
    const open = await book.ledger.list('undelivered', 100)
    expect(open.filter(({ paymentHash }) => paymentHash === account)).toHaveLength(1)
  })
})

test.each([
  ['CRD-03 a wrong secret', 'victim', 'credit_auth_mismatch', 1],
  ['CRD-11 the right secret of an account that owes credit', 'debtor', 'credit_frozen', 0],
])(
  '%s beside a good claim code: a guess at the account only where it is wrong',
  async (_, agentId, code, counted) => {
    const secret = Buffer.alloc(32, 7)
    const credits = createCreditLedger(book.redis)
    const creditAuth = 'a-secret-that-is-sent'
    const claimCode = `credit_${'A'.repeat(43)}`
    await credits.deposit('lot-of-victim', 1n, accountDigest('victim'), 'of-the-victim')
    const auth = creditAuthDigest(secret, 'debtor', creditAuth)
    await credits.deposit('lot-of-debtor', 1n, accountDigest('debtor'), auth)
    await book.redis.hset(KEYS.account(accountDigest('debtor')), { frozen: '1', debt: '1' })
    await credits.deposit(digestOfToken(claimCode), 1n, accountDigest('thief'), null)
    let guesses = 0
    const call = {
      rawQuery: '',
      payload: '',
      agentId,
      creditAuth,
      claimCode,
      idempotencyKey: '',
      secretWaitS: () => 0,
      wrongSecret: () => void guesses++,
    } as unknown as Parameters<typeof sellByCredit>[0]
    const sold = { good: ping, offer: {} } as unknown as Parameters<typeof sellByCredit>[1]
    const ports = { credits, answers: { secret } } as unknown as CreditPorts
    const { body } = await sellByCredit(call, sold, ports)
    expect([JSON.parse(String(body)).code, guesses]).toEqual([code, counted])
  },
)
