import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { Problem } from '../../../api/errors.ts'
import { createCreditLedger } from '../../../api/ledger/credits.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { type CreditPorts, figuresOf, sellByCredit } from '../../../api/payment/credit.ts'
import { openLedger } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

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
