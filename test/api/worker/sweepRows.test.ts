import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createCreditLedger } from '../../../api/ledger/credits.ts'
import { createRowsWatch, sweepRows } from '../../../api/worker/sweepRows.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { named, openLedger, someSettled, someTerms } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let server: TestRedis
let book: ReturnType<typeof openLedger>
beforeAll(async () => {
  server = await startRedis({ appendfsync: 'always' })
  book = openLedger(server.url)
})
afterAll(async () => {
  book?.close()
  await server?.stop()
})
const KEY = 'tx:8453:0xcafe:log0'
const holder = { account: 'mine', auth: 'secret' }
const FAR = 4_000_000_000_000
beforeEach(async () => {
  await book.redis.flushall()
  const credits = createCreditLedger(book.redis)
  await credits.deposit('lot', 1_000_000n, holder.account, holder.auth)
  await credits.hold('purchase', 400_000n, holder, FAR, named())
  await book.ledger.claimTransfer(KEY, someTerms(), someSettled(1), 8453)
})

const wrong = async () => (await sweepRows(book.redis, '0')).wrong
const NONE = { credit: 0, undelivered: 0, calls: 0, sale: 0, type: 0 }
const undelivered = async () => (await book.ledger.list('undelivered', 10)).map(({ key }) => key)

describe('section 4: what always holds of the rows is looked at in production', () => {
  test('a ledger that is in order has nothing wrong', async () => {
    expect(await wrong()).toEqual(NONE)
  })

  test.each([
    ['more is held than there is', { held: 1_000_001 }],
    ['less than nothing is held', { held: -1 }],
    ['less than nothing is there', { balance: -1, held: -2 }],
    ['a balance that is no number', { balance: 'x' }],
  ])('I11 %s', async (_, figures) => {
    await book.redis.hset('credit:account:mine', figures)
    expect(await wrong()).toEqual({ ...NONE, credit: 1 })
  })

  test.each([
    ['a pass with more calls than are sold', 'pass', { calls: 601 }],
    ['a pass with less than none', 'pass', { calls: -1 }],
    ['a pass whose calls are no number', 'pass', { calls: 'x' }],
    ['a pass that ends at no time', 'pass', { expires: 'x' }],
    ['a permit with two calls', 'permit', { calls: 2 }],
    ['a permit without calls', 'permit', { calls: '' }],
  ])('I12, I13 %s', async (_, kind, figures) => {
    const row = `grant:${kind}:digest`
    for (const calls of kind === 'pass' ? [600, 0] : [1, 0]) {
      await book.redis.hset(row, { calls, expires: FAR })
      expect(await wrong()).toEqual(NONE)
    }
    await book.redis.hset(row, figures)
    expect(await wrong()).toEqual({ ...NONE, calls: 1 })
  })

  test('I13 the opening sale has given and promised 100 reports, and one more', async () => {
    const buyers = (count: number) => Array.from({ length: count }, (_, nth) => `buyer-${nth}`)
    await book.redis.sadd('sale:opening:served', buyers(60))
    await book.redis.zadd('sale:opening:reserved', ...buyers(40).flatMap((buyer) => [FAR, `r-${buyer}`]))
    expect(await wrong()).toEqual(NONE)
    await book.redis.sadd('sale:opening:served', 'one-more')
    expect(await wrong()).toEqual({ ...NONE, sale: 1 })
    await book.redis.del('sale:opening:served')
    await book.redis.zadd('sale:opening:reserved', ...buyers(100).flatMap((buyer) => [FAR, buyer]))
    expect(await wrong(), 'promised alone').toEqual({ ...NONE, sale: 1 })
  })

  test('I4 a settled claim without an answer that is in no list is put back, once', async () => {
    await book.redis.zrem('claims:undelivered', KEY)
    expect(await undelivered()).toEqual([])
    expect(await wrong()).toEqual({ ...NONE, undelivered: 1 })
    expect(await undelivered()).toEqual([KEY])
    expect(await wrong()).toEqual(NONE)
  })

  test('DATA-17 a referral account that is owed something and was to be forgotten is kept; one that is owed nothing is not', async () => {
    const [owed, paidOut] = ['referral:owed', 'referral:paid-out']
    await book.redis.hset(owed, { sales: 2, earned: 10, paid: 9 })
    await book.redis.hset(paidOut, { sales: 2, earned: 10, paid: 10 })
    for (const row of [owed, paidOut]) await book.redis.pexpire(row, 60_000)
    expect(await wrong()).toEqual(NONE)
    expect(await book.redis.pttl(owed)).toBe(-1)
    expect(await book.redis.pttl(paidOut)).toBeGreaterThan(0)
  })

  test('one that is in the list keeps its turn there', async () => {
    await book.redis.zadd('claims:undelivered', 7, KEY)
    expect(await wrong()).toEqual(NONE)
    expect(await book.redis.zscore('claims:undelivered', KEY)).toBe('7')
  })

  test('one that was answered, or never settled, is not', async () => {
    await book.ledger.deliver(KEY, {
      body: 'b',
      paymentResponse: '',
      attestationId: 'a',
      attestation: '{}',
      sale: { eventId: 'a' } as never,
      grant: null,
    })
    await book.redis.hset('claim:auth:1', { state: 'settling' })
    expect(await wrong()).toEqual(NONE)
    await book.redis.hdel(`claim:${KEY}`, 'deliveredAt') //  as it looked to somebody who read it just before
    expect(await wrong()).toEqual(NONE)
    expect(await undelivered()).toEqual([])
  })

  test('DATA-08 a row of another type, and a list of another type', async () => {
    await book.redis.set('claim:auth:2', 'wrong')
    expect(await wrong()).toEqual({ ...NONE, type: 1 })
    await book.redis.set('grant:pass:digest', 'wrong')
    expect(await wrong()).toEqual({ ...NONE, type: 2 })
    await book.redis.set('claims:undelivered', 'wrong')
    expect(await wrong()).toEqual({ ...NONE, type: 3 })
    await book.redis.set('sale:opening:served', 'wrong')
    expect(await wrong()).toEqual({ ...NONE, type: 4 })
  })

  test.each(['lease', 'amount'])('DATA-08 an open claim whose %s is no number', async (field) => {
    await book.redis.hset(`claim:${KEY}`, field, 'wrong')
    expect(await wrong()).toEqual({ ...NONE, type: 1 })
  })

  test('however many rows there are: every one is looked at, some at a time, and what was found is told until all are in order', async () => {
    const many = book.redis.pipeline()
    for (let row = 0; row < 12_000; row++) many.set(`spent:${row}`, 'x')
    await many.exec()
    const accounts = Array.from({ length: 40 }, (_, nth) => `credit:account:${nth}`)
    const hold = (held: number) => Promise.all(accounts.map((key) => book.redis.hset(key, 'held', held)))
    await hold(-1)
    const metrics = createMetrics('test')
    const watch = createRowsWatch({ redis: book.redis, metrics })
    const passes = async (count: number) => {
      for (let pass = 0; pass < count; pass++) await watch()
      const { values } = await metrics.registry.getSingleMetric('ledger_rows_wrong')!.get()
      return Object.fromEntries(values.map(({ labels, value }) => [labels.rule, value]))
    }
    expect(await passes(4)).toEqual({ ...NONE, credit: 40 })
    await hold(0)
    expect(await passes(12)).toEqual(NONE)
    await hold(-1)
    expect((await passes(1)).credit, 'at once, not when all have been looked at').toBeGreaterThan(0)
  })
})
