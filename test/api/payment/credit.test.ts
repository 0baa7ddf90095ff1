import { afterAll, beforeAll, expect, test } from 'vitest'
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
    asksOthers: true,
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
  refused.resolve({ problem: 'resolver_unavailable' })
  expect(await Promise.all([...all.slice(0, 16), other])).toEqual(Array(17).fill('resolver_unavailable'))
  expect(answers).toBe(17)
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

test('CRD-03 a wrong secret beside a good claim code is told, so it counts as a guess at the account', async () => {
  const secret = Buffer.alloc(32, 7)
  const credits = createCreditLedger(book.redis)
  const code = `credit_${'A'.repeat(43)}`
  await credits.deposit('lot-of-victim', 1n, accountDigest('victim'), 'of-the-victim')
  await credits.deposit(digestOfToken(code), 1n, accountDigest('thief'), null)
  let guesses = 0
  const call = {
    rawQuery: '',
    payload: '',
    agentId: 'victim',
    creditAuth: 'a-secret-that-is-guessed',
    claimCode: code,
    idempotencyKey: '',
    secretWaitS: () => 0,
    wrongSecret: () => void guesses++,
  } as unknown as Parameters<typeof sellByCredit>[0]
  const sold = { good: ping, offer: {} } as unknown as Parameters<typeof sellByCredit>[1]
  const ports = { credits, answers: { secret } } as unknown as CreditPorts
  const { body } = await sellByCredit(call, sold, ports)
  expect([JSON.parse(String(body)).code, guesses]).toEqual(['credit_auth_mismatch', 1])
})
