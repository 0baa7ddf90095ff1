import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCreditLedger } from '../../../api/ledger/credits.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { figuresOf } from '../../../api/payment/credit.ts'
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
