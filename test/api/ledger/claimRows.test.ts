import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFinalityLedger, type FinalityLedger } from '../../../api/ledger/finality.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import {
  authorizationKey,
  type ClaimTerms,
  formerTransferKey,
  type Sale,
  transferKey,
} from '../../../api/ledger/ledger.ts'
import { scriptsOn } from '../../../api/ledger/scripts.ts'
import { openLedger, somePayment, someSettled, someTerms } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let server: TestRedis
let book: ReturnType<typeof openLedger>
let finality: FinalityLedger
beforeAll(async () => {
  server = await startRedis({ appendfsync: 'always' })
  book = openLedger(server.url)
  finality = createFinalityLedger(book.redis)
})
afterAll(async () => {
  book?.close()
  await server?.stop()
})

const ENTRIES = [{} as Sale, {} as Sale] as const
let seeds = 1
async function claimed(change: Partial<ClaimTerms> = {}) {
  const payment = somePayment(seeds)
  const key = authorizationKey(payment)
  const settled = someSettled(seeds++)
  await book.ledger.claim(key, 'me', someTerms(change), payment)
  return { key, payment, settled, row: KEYS.spent(transferKey(8453, settled.tx, settled.logIndex)) }
}
async function settledClaim() {
  const claim = await claimed()
  await book.ledger.recordSettled(claim.key, claim.settled, 8453)
  return claim
}
const answered = (key: string) => book.redis.hset(KEYS.claim(key), { body: '{}', pr: 'p' })

describe('5.2 a claim of a mined transfer', () => {
  const terms = someTerms({ purchasePath: 'legacy', via: 'transfer' })
  test('CLS-01 the same request with another proof does not get it', async () => {
    const settled = someSettled(seeds++)
    const key = transferKey(8453, settled.tx, settled.logIndex)
    const claim = (paymentHash: string) =>
      book.ledger.claimTransfer(key, { ...terms, paymentHash }, settled, 8453)
    expect([await claim('mine'), await claim('mine'), await claim('another')]).toEqual([
      'won',
      'settled',
      'bound',
    ])
    expect((await book.ledger.find(key))!.paymentHash).toBe('mine')
  })

  test('CHN-03, RPL-12 is watched from its block on, and its transfer buys nothing more when it is forgotten', async () => {
    const settled = someSettled(seeds++)
    const key = transferKey(8453, settled.tx, settled.logIndex)
    const claim = () => book.ledger.claimTransfer(key, terms, settled, 8453)
    expect(await claim()).toBe('won')
    expect(await book.redis.zscore(KEYS.claims.unfinal, key)).toBe(settled.blockNumber.toString())
    await book.redis.del(KEYS.claim(key))
    expect(await claim()).toBe('taken')
  })

  test('DATA-11 is answered by the worker, whatever became of the request', async () => {
    const settled = someSettled(seeds++)
    const key = transferKey(8453, settled.tx, settled.logIndex)
    await book.ledger.claimTransfer(key, terms, settled, 8453)
    expect((await book.ledger.list('undelivered', 100)).map((claim) => claim.key)).toContain(key)
  })
})

describe('what a claim is written down as', () => {
  test('a refused one is looked at from the end of its window on, not before', async () => {
    const { key, payment } = await claimed()
    await book.ledger.recordRefused(key, 'insufficient_funds', 'refused')
    const dueMs = Number(await book.redis.zscore(KEYS.claims.watched, key))
    expect(dueMs).toBe(Number(payment.authorization.validBefore) * 1_000)
  })

  test('I10 void, and its money moved after all: settled, and kept until it is answered', async () => {
    const { key, settled } = await claimed()
    await book.ledger.recordRefused(key, 'expired', 'void')
    expect(await book.ledger.recordSettled(key, settled, 8453)).toBe('recorded')
    expect(await book.redis.pttl(KEYS.claim(key))).toBe(-1)
  })

  test('refused for good: nothing is kept of the payment, nor of the answer that nobody gets', async () => {
    const { key } = await claimed()
    await book.ledger.recordRefused(key, 'expired', 'void')
    expect(await book.ledger.find(key)).toMatchObject({ state: 'void', payment: null, draft: '' })
  })

  test('RPL-12 answered once, and forgotten: claimed again it is void, its money has bought already', async () => {
    const { key, payment, settled } = await settledClaim()
    await book.redis.del(KEYS.claim(key))
    expect(await book.ledger.claim(key, 'later', someTerms(), payment)).toBe('won')
    expect(await book.ledger.recordSettled(key, settled, 8453)).toBe('taken')
    expect(await book.ledger.find(key)).toMatchObject({ state: 'void', reason: 'nonce_used' })
  })

  test('FAC-08 its transfer paid for something else: who waits is told, and nothing is kept of the payment', async () => {
    const { settled } = await settledClaim()
    const { key } = await claimed()
    const told = book.ledger.whenDecided(key, 20_000)
    expect(await book.ledger.recordSettled(key, settled, 8453)).toBe('taken')
    expect(await told).toMatchObject({ state: 'void', payment: null, draft: '' })
  })

  test('4.1 rule 14 refused, and tried again without a secret: the credit goes nowhere until its code is shown', async () => {
    const creditTo = { account: 'account', auth: 'secret' }
    const { key, payment } = await claimed({ creditTo })
    await book.ledger.recordRefused(key, 'insufficient_funds', 'refused')
    expect((await book.ledger.find(key))!.creditTo).toEqual(creditTo)
    expect(await book.ledger.claim(key, 'me-again', someTerms(), payment)).toBe('won')
    expect((await book.ledger.find(key))!.creditTo).toBeNull()
  })

  test('I17 refused, and tried again an hour later: its answer was drawn then, so it is not too old to be given', async () => {
    const { key, payment } = await claimed()
    await book.ledger.recordRefused(key, 'insufficient_funds', 'refused')
    const hourAgoMs = (await book.ledger.nowMs()) - 3_600_000
    await book.redis.hset(KEYS.claim(key), 'created', hourAgoMs)
    const draft = '{"result":{"newer":true}}'
    expect(await book.ledger.claim(key, 'me-again', someTerms({ draft }), payment)).toBe('won')
    const again = (await book.ledger.find(key))!
    expect(again.draft).toBe(draft)
    expect(again.createdMs).toBeGreaterThan(hourAgoMs)
  })

  test('a list loses no claim that was made after it was read', async () => {
    const { key } = await claimed()
    const unlist = scriptsOn(book.redis)
    expect(await unlist('unlist', [KEYS.claim(key), KEYS.claims.settling], [key])).toBe(0)
    expect(await book.redis.zscore(KEYS.claims.settling, key)).not.toBeNull()
  })
})

describe('CHN-02, CHN-03 the money of a claim has left its block', () => {
  test('nothing was given for it: nobody holds it any more, whoever asks takes it over', async () => {
    const { key, settled, row } = await settledClaim()
    expect(await finality.gone(key, settled, 8453)).toBe('reopened')
    expect((await book.ledger.find(key))!.leaseMs).toBeLessThanOrEqual(await book.ledger.nowMs())
    expect(await book.redis.exists(row)).toBe(0)
    const { settling, undelivered, unfinal } = KEYS.claims
    const listed = [settling, undelivered, unfinal].map((list) => book.redis.zscore(list, key))
    expect(await Promise.all(listed)).toEqual([expect.any(String), null, null])
  })

  test('and nothing says any more where or when it was', async () => {
    const { key, settled } = await settledClaim()
    await finality.gone(key, settled, 8453)
    expect(await book.ledger.find(key)).toMatchObject({ state: 'settling', settled: null, settledMs: null })
  })

  test('it moved, is gone from there, and is back where it was at first: settled there, since that place is its own', async () => {
    const { key, settled } = await settledClaim()
    const elsewhere = { ...settled, tx: `0x${'e2'.repeat(32)}` as const }
    expect(await finality.move(key, elsewhere, 8453, ENTRIES)).toBe('moved')
    expect(await finality.gone(key, elsewhere, 8453)).toBe('reopened')
    expect(await book.ledger.recordSettled(key, settled, 8453)).toBe('recorded')
  })

  test.each([
    ['not settled yet', async (_: string) => {}],
    ['refused', (key: string) => book.ledger.recordRefused(key, 'expired', 'refused')],
    ['void', (key: string) => book.ledger.recordRefused(key, 'nonce_used', 'void')],
  ])(
    'of one that is %s nothing can have left: it stays as it is, and is watched no more',
    async (_, then) => {
      const { key, settled, row } = await claimed()
      await then(key)
      await book.redis.multi().zadd(KEYS.claims.unfinal, 1, key).set(row, key).exec()
      const before = await book.redis.hgetall(KEYS.claim(key))
      expect(await finality.gone(key, settled, 8453)).toBe('unknown')
      expect([await book.redis.hgetall(KEYS.claim(key)), await book.redis.get(row)]).toEqual([before, key])
      expect(await book.redis.zscore(KEYS.claims.unfinal, key)).toBeNull()
    },
  )

  test('a transfer in its place that pays another claim stays booked', async () => {
    const { key, settled, row } = await settledClaim()
    await book.redis.set(row, 'auth:another')
    await finality.gone(key, settled, 8453)
    expect(await book.redis.get(row)).toBe('auth:another')
  })

  test('its row under its former name, by its place in its block, goes with it: whoever sends it again has it', async () => {
    const { key, settled, row } = await settledClaim()
    const former = KEYS.spent(formerTransferKey(8453, settled.tx, settled.logIndex))
    await book.redis.rename(row, former) //  as an earlier version booked it
    await finality.gone(key, settled, 8453)
    expect(await book.redis.exists(former)).toBe(0)
  })

  test.each([
    ['by another transaction', { tx: `0x${'e1'.repeat(32)}` as const }],
    ['by another log of its transaction', { logIndex: 7 }],
  ])('DATA-04 answered, and its money is here %s: the journal follows it', async (_, place) => {
    const { key, settled } = await settledClaim()
    await answered(key)
    const before = await book.redis.xlen(KEYS.sales)
    expect(await finality.move(key, { ...settled, ...place }, 8453, ENTRIES)).toBe('moved')
    expect((await book.redis.xlen(KEYS.sales)) - before).toBe(2)
  })

  test('FAC-08 nor does it follow to a transfer that pays another claim', async () => {
    const [one, other] = [await settledClaim(), await settledClaim()]
    expect(await finality.move(one.key, other.settled, 8453, ENTRIES)).toBe('taken')
    expect(await book.redis.get(other.row)).toBe(other.key)
    expect((await book.ledger.find(one.key))!.settled!.tx).toBe(one.settled.tx)
  })

  test('answered: missing since the first look that missed it, however many follow', async () => {
    const { key, settled } = await settledClaim()
    await answered(key)
    const first = await finality.gone(key, settled, 8453)
    for (let look = 0; look < 3; look++) {
      await sleep(2)
      expect(await finality.gone(key, settled, 8453)).toBe(first)
    }
  })

  test('FAC-08 where it is now it is booked, and watched from that block on', async () => {
    const { key, settled } = await settledClaim()
    const here = { ...settled, tx: `0x${'e3'.repeat(32)}` as const, blockNumber: 79n }
    expect(await finality.move(key, here, 8453, ENTRIES)).toBe('moved')
    expect(await book.redis.get(KEYS.spent(transferKey(8453, here.tx, here.logIndex)))).toBe(key)
    expect(await book.redis.zscore(KEYS.claims.unfinal, key)).toBe('79')
  })

  test('answered, missing, and mined again: missing no more', async () => {
    const { key, settled } = await settledClaim()
    await answered(key)
    expect(typeof (await finality.gone(key, settled, 8453))).toBe('number')
    expect((await finality.find(key))!.missing).toBe(true)
    expect(await finality.move(key, { ...settled, blockNumber: 78n }, 8453, ENTRIES)).toBe('moved')
    expect(await finality.find(key)).toMatchObject({ missing: false, settled: { blockNumber: 78n } })
  })
})
