import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createCardLedger } from '../../../api/ledger/cards.ts'
import { authorizationKey, type ClaimTerms } from '../../../api/ledger/ledger.ts'
import { createOpenClaimsWatch } from '../../../api/worker/openClaims.ts'
import { settleLedgerOf } from '../../../api/worker/settleLedger.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { MINUTE, SECOND } from '../../../ops/units.ts'
import { openLedger, somePayment, someSettled, someTerms } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let redis: TestRedis
let book: ReturnType<typeof openLedger>
beforeAll(async () => {
  redis = await startRedis({ appendfsync: 'always' })
  book = openLedger(redis.url)
})
afterAll(async () => {
  book?.close()
  await redis?.stop()
})
beforeEach(() => book.redis.flushall())

async function claimed(seed: number, via: ClaimTerms['via']) {
  const payment = somePayment(seed)
  const key = authorizationKey(payment)
  await book.ledger.claim(key, 'owner', someTerms({ via }), payment)
  return { key, payment, createdMs: (await book.ledger.find(key))!.createdMs }
}

describe('I9: how long the oldest payment waits for its outcome is told', () => {
  test('whoever was to settle it, and however often it was put off; 0 when there is none', async () => {
    const metrics = createMetrics('test')
    const watch = createOpenClaimsWatch({ ledger: book.ledger, cards: createCardLedger(book.redis), metrics })
    const told = async (nowMs: number) => {
      await watch(nowMs)
      const { values } = await metrics.registry.getSingleMetric('settling_oldest_seconds')!.get()
      return values.map(({ value }) => value)
    }
    expect(await told(Date.now())).toEqual([0])
    const old = await claimed(1, 'facilitator')
    const young = await claimed(2, 'self')
    await book.ledger.postpone('settling', old.key, old.createdMs + 5 * MINUTE)
    expect(await told(old.createdMs + 90 * SECOND)).toEqual([90])
    await book.ledger.recordSettled(old.key, someSettled(1), 8453)
    expect(await told(young.createdMs + 7 * SECOND)).toEqual([7])
    await book.ledger.recordRefused(young.key, 'expired', 'void')
    expect(await told(Date.now())).toEqual([0])
  })
})

describe('I4: how long the oldest paid claim has no answer is told', () => {
  test('also of one that can neither be answered nor given back here; 0 when there is none', async () => {
    const metrics = createMetrics('test')
    const watch = createOpenClaimsWatch({ ledger: book.ledger, cards: createCardLedger(book.redis), metrics })
    const told = async (nowMs: number) => {
      await watch(nowMs)
      const { values } = await metrics.registry.getSingleMetric('unanswered_oldest_seconds')!.get()
      return values.map(({ value }) => value)
    }
    expect(await told(Date.now())).toEqual([0])
    const payment = somePayment(4)
    const key = authorizationKey(payment)
    await book.ledger.claim(key, 'owner', someTerms({ sku: 'SKU_GONE', purchasePath: 'card' }), payment)
    await book.ledger.recordSettled(key, someSettled(4), 8453)
    const { settledMs } = (await book.ledger.find(key))!
    await book.ledger.postpone('undelivered', key, settledMs! + 30 * MINUTE)
    expect(await told(settledMs! + 61 * MINUTE)).toEqual([3_660])
    await book.redis.zrem('claims:undelivered', key)
    expect(await told(settledMs! + 61 * MINUTE)).toEqual([0])
  })
})

describe('the operator changes from a facilitator to our own settler', () => {
  test('what is open is settled by it: also what was claimed for the facilitator, which may have it under way', async () => {
    const [theirs, ours] = [await claimed(1, 'facilitator'), await claimed(2, 'self')]
    const done = await claimed(3, 'facilitator')
    await book.ledger.recordSettled(done.key, someSettled(3), 8453)
    const jobs = await settleLedgerOf(book.ledger, 8453, '1').pending(9)
    expect(jobs.map(({ key, elsewhere }) => [key, elsewhere]).sort()).toEqual(
      [
        [theirs.key, true],
        [ours.key, false],
      ].sort(),
    )
  })
})
