import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KEYS } from '../../../api/ledger/keys.ts'
import { authorizationKey } from '../../../api/ledger/ledger.ts'
import {
  createPaymentIds,
  type NamedPurchase,
  paymentIdDigest,
} from '../../../api/payment/extensions/paymentIds.ts'
import { DAY, HOUR, SECOND } from '../../../ops/units.ts'
import { openLedger, somePayment, someSettled, someTerms } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let server: TestRedis
let book: ReturnType<typeof openLedger>
let ids: ReturnType<typeof createPaymentIds>
beforeAll(async () => {
  server = await startRedis({ appendfsync: 'always' })
  book = openLedger(server.url)
  ids = createPaymentIds(book.redis, { answerTtlMs: DAY })
})
afterAll(async () => {
  book?.close()
  await server?.stop()
})

let seeds = 0
const soonS = () => BigInt(Math.floor(Date.now() / SECOND) + 300)
/** A payment of one payer under this id, as it is before anything is written. */
function named(id: string, validBefore = soonS()) {
  const payment = somePayment(++seeds, validBefore)
  const purchase: NamedPurchase = {
    payer: 'payer',
    id,
    key: authorizationKey(payment),
    fingerprint: 'f1',
    asks: 'question',
  }
  const terms = someTerms({ paymentId: paymentIdDigest(purchase) })
  const claim = () => book.ledger.claim(purchase.key, 'owner', terms, payment)
  return {
    purchase,
    claim,
    row: KEYS.paymentId(paymentIdDigest(purchase)),
    claimRow: KEYS.claim(purchase.key),
  }
}
async function claimed(id: string, validBefore = soonS()) {
  const first = named(id, validBefore)
  expect([await ids.bind(first.purchase), await first.claim()]).toEqual([{ outcome: 'free' }, 'won'])
  return first
}
const settle = (key: string, seed: number) => book.ledger.recordSettled(key, someSettled(seed), 8453)
const deliver = (key: string, seed: number) =>
  book.ledger.deliver(key, {
    body: 'body',
    paymentResponse: '',
    attestationId: `a${seed}`,
    attestation: '{}',
    sale: { eventId: `e${seed}`, tx: someSettled(seed).tx } as never,
    grant: null,
  })
const untilMs = (row: string) => book.redis.call('PEXPIRETIME', row) as Promise<number>
/** So much time passes for what ends by itself. */
async function pass(ms: number, ...rows: string[]) {
  for (const row of rows) {
    const until = await untilMs(row)
    if (until > 0) await book.redis.pexpireat(row, until - ms)
  }
}

describe('4.2 an id is bound for as long as the claim of its payment is kept', () => {
  test.each([
    ['at once', 0],
    ['three hours late', 3 * HOUR],
    ['a week late', 7 * DAY],
  ])(
    'settled %s: signed again under it, nothing is charged while the first answer is kept',
    async (_, lateMs) => {
      const { purchase, row, claimRow } = await claimed(`late ${lateMs}`)
      await pass(lateMs, row, claimRow)
      await settle(purchase.key, seeds)
      await pass(lateMs, row, claimRow)
      await deliver(purchase.key, seeds)
      expect(await untilMs(row)).toBe(await untilMs(claimRow))
      await pass(DAY - HOUR, row, claimRow)
      const again = named(purchase.id)
      expect(await ids.look(again.purchase)).toEqual({ outcome: 'paid', key: purchase.key })
      expect(await ids.bind(again.purchase)).toEqual({ outcome: 'paid', key: purchase.key })
      await pass(3 * HOUR, row, claimRow)
      expect(await book.redis.exists(row, claimRow)).toBe(0)
      expect(await ids.bind(again.purchase)).toEqual({ outcome: 'free' })
    },
  )

  test('a payment that is valid for long: as long as its answer, which outlives it', async () => {
    const { purchase, row, claimRow } = await claimed('valid for long', soonS() + 1_000_000n)
    await settle(purchase.key, seeds)
    await deliver(purchase.key, seeds)
    expect(await untilMs(row)).toBe(await untilMs(claimRow))
    expect(await book.redis.pttl(row)).toBeGreaterThan(12 * DAY)
  })

  test.each([
    ['refused for ever', (key: string) => book.ledger.recordRefused(key, 'expired', 'void')],
    ['paid with a transfer that had paid before', (key: string) => settle(key, 1)],
  ])('%s: forgotten with its claim, and free meanwhile', async (what, end) => {
    await book.redis.set(KEYS.spent(`tx:8453:${someSettled(1).tx}:log3`), 'another')
    const { purchase, row, claimRow } = await claimed(what)
    await end(purchase.key)
    expect([(await untilMs(row)) > 0, await untilMs(row)]).toEqual([true, await untilMs(claimRow)])
    expect(await ids.look(named(what).purchase)).toEqual({ outcome: 'free' })
  })

  test('refused, and paid under it anew: the end of the first leaves the second its name', async () => {
    const first = await claimed('paid anew')
    await book.ledger.recordRefused(first.purchase.key, 'insufficient_funds', 'refused')
    const second = await claimed('paid anew')
    expect(await untilMs(second.row)).toBe(-1)
    await book.ledger.recordRefused(first.purchase.key, 'expired', 'void')
    expect(await untilMs(second.row)).toBe(-1)
    expect(await ids.look(named('paid anew').purchase)).toEqual({
      outcome: 'paid',
      key: second.purchase.key,
    })
  })

  test('refused, and tried again: bound by the same claim it is kept with that, not for a day', async () => {
    const { purchase, claim, row } = await claimed('tried again')
    await book.ledger.recordRefused(purchase.key, 'insufficient_funds', 'refused')
    expect([await ids.bind(purchase), await untilMs(row)]).toEqual([{ outcome: 'free' }, -1])
    expect([await claim(), await untilMs(row)]).toEqual(['won', -1])
  })

  test('one payment under many ids: all but the first that names its claim end by themselves', async () => {
    const first = await claimed('first of many')
    await book.ledger.recordRefused(first.purchase.key, 'insufficient_funds', 'refused')
    const purchase = { ...first.purchase, id: 'second of many' }
    const second = KEYS.paymentId(paymentIdDigest(purchase))
    await ids.bind(purchase)
    const payment = somePayment(seeds, soonS())
    const terms = someTerms({ paymentId: paymentIdDigest(purchase) })
    expect(await book.ledger.claim(purchase.key, 'owner', terms, payment)).toBe('won')
    expect([await untilMs(first.row), (await untilMs(second)) > 0]).toEqual([-1, true])
  })

  test('a payment that was never claimed leaves nothing for ever', async () => {
    const { purchase, row } = named('never claimed')
    await ids.bind(purchase)
    expect(Math.round((await book.redis.pttl(row)) / HOUR)).toBe(25)
  })
})
