import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { KEYS } from '../../../api/ledger/keys.ts'
import { authorizationKey } from '../../../api/ledger/ledger.ts'
import { settleLedgerOf } from '../../../api/worker/settleLedger.ts'
import { openLedger, somePayment, someSettled, someTerms } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

const TX = `0x${'ab'.repeat(32)}` as const
const [OVER, NOW] = ['1', '2']

let redis: TestRedis
let book: ReturnType<typeof openLedger>
let key: string
beforeAll(async () => {
  redis = await startRedis({ appendfsync: 'always' })
  book = openLedger(redis.url)
})
afterAll(async () => {
  book?.close()
  await redis?.stop()
})
beforeEach(async () => {
  await book.redis.flushall()
  await book.redis.set(KEYS.fence, NOW)
  const payment = somePayment(1)
  key = authorizationKey(payment)
  await book.ledger.claim(key, 'owner', someTerms(), payment)
})
const term = (fence: string) => settleLedgerOf(book.ledger, 8453, fence)
const found = () => book.ledger.find(key)
const fenced = expect.objectContaining({ code: 'fenced' })

describe('I5 what a settler writes in its term', () => {
  test('when that is over it notes no transaction, and hears so before it sends one', async () => {
    for (const which of ['first', 'again'] as const)
      await expect(term(OVER).recordBroadcast([key], TX, which)).rejects.toEqual(fenced)
    expect((await found())!.txs).toEqual([])
    await term(NOW).recordBroadcast([key], TX, 'first')
    expect((await found())!.txs).toEqual([TX])
  })

  test('nor refuses it anything: the one that leads may have sent it', async () => {
    await expect(term(OVER).recordRefused(key, 'insufficient_funds')).rejects.toEqual(fenced)
    expect((await found())!.state).toBe('settling')
  })

  test('I10 what it refuses is watched: its signature is out, and good until it expires', async () => {
    await term(NOW).recordRefused(key, 'insufficient_funds')
    expect(await found()).toMatchObject({ state: 'refused', reason: 'insufficient_funds' })
    expect(await book.ledger.list('watched', 9)).toHaveLength(1)
  })

  test('a buyer who was told no meanwhile is sent nothing for; what is out already goes on with a higher fee', async () => {
    await book.ledger.recordRefused(key, 'transfer_failed', 'refused')
    await expect(term(NOW).recordBroadcast([key], TX, 'first')).rejects.toMatchObject({ retryable: true })
    expect((await found())!.txs).toEqual([])
    await term(NOW).recordBroadcast([key], TX, 'again')
    expect((await found())!.txs).toEqual([TX])
  })

  test('that money moved is written down whoever leads', async () => {
    expect(await term(OVER).recordSettled(key, someSettled(1))).toBe('recorded')
    expect(await term(OVER).recordSettled(key, someSettled(1))).toBe('already')
  })

  test('a claim that is forgotten is one that nothing is left to do for', async () => {
    await book.redis.del(KEYS.claim(key))
    expect(await term(NOW).recordSettled(key, someSettled(1))).toBe('already')
  })
})
