import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createCreditLedger } from '../../../api/ledger/credits.ts'
import { authorizationKey, type ClaimTerms } from '../../../api/ledger/ledger.ts'
import type { AuthorizationFate, PaymentChain, UsedAuthorization } from '../../../api/settlement/port.ts'
import { type ReconcilePorts, reconcile } from '../../../api/worker/reconcile.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { HOUR, MINUTE, SECOND } from '../../../ops/units.ts'
import { openLedger, quietLog, somePayment, someSettled, someTerms } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

/** Claims that one pass looks at. */
const BATCH = 100

let redis: TestRedis
let book: ReturnType<typeof openLedger>
let ports: ReconcilePorts
/** By nonce; 'away' where the node has no answer. */
let fates: Map<string, AuthorizationFate | 'away'>
let receipts: Map<string, UsedAuthorization>
let asked: string[]
beforeAll(async () => {
  redis = await startRedis({ appendfsync: 'always' })
  book = openLedger(redis.url)
  const chain: Partial<PaymentChain> = {
    fate: async (_asset, _from, nonce) => {
      asked.push(nonce)
      const fate = fates.get(nonce) ?? 'away'
      if (fate === 'away') throw new UnavailableError('chain_unavailable', 'used, but no log shows it')
      return fate
    },
    fateIn: async (_asset, _from, _nonce, tx) => receipts.get(tx) ?? null,
  }
  ports = {
    ...{ ledger: book.ledger, credits: createCreditLedger(book.redis), chain: chain as PaymentChain },
    ...{ chainId: 8453, log: quietLog, faultPoint: () => {}, finality: { reached: async () => false } },
    answers: { secret: Buffer.alloc(32) } as ReconcilePorts['answers'],
  }
})
afterAll(async () => {
  book?.close()
  await redis?.stop()
})
beforeEach(async () => {
  await book.redis.flushall()
  fates = new Map()
  receipts = new Map()
  asked = []
})

let seed = 1
async function claimed(fate: AuthorizationFate | 'away', terms: Partial<ClaimTerms> = {}) {
  const payment = somePayment(seed++, BigInt(Math.floor(Date.now() / 1000) + 300))
  const key = authorizationKey(payment)
  await book.ledger.claim(key, 'owner', someTerms({ via: 'facilitator', ...terms }), payment)
  fates.set(payment.authorization.nonce, fate)
  return { key, payment, nonce: payment.authorization.nonce }
}
const used = (): UsedAuthorization => ({
  ...{ kind: 'used', to: somePayment(1).authorization.to, value: 1_000n },
  ...{ ...someSettled(seed++), blockMs: Date.now() },
})
const stateOf = async (key: string) => (await book.ledger.find(key))?.state
const passes = async (from: number, ...laterMs: number[]) => {
  for (const ms of laterMs) await reconcile(ports, from + ms)
}

describe('RPL-18, I9: whatever is stuck, everything gets its turn', () => {
  test('undecided: behind a hundred that nobody can decide an honest claim is settled', async () => {
    for (let stuck = 0; stuck < BATCH; stuck++) await claimed('away')
    const honest = await claimed(used())
    await passes(Date.now(), 60 * SECOND)
    expect(asked).not.toContain(honest.nonce)
    await passes(Date.now(), 62 * SECOND)
    expect(await stateOf(honest.key)).toBe('settled')
  })

  test('refused and watched: the same', async () => {
    for (let stuck = 0; stuck <= BATCH; stuck++) {
      const { key } = await claimed('away')
      await book.ledger.recordRefused(key, 'transfer_failed', 'refused')
    }
    const last = (await book.redis.zrange('claims:watched', '-1', '-1'))[0]!
    await book.redis.zadd('claims:watched', 'GT', Date.now() + 5 * MINUTE + 1, last)
    fates.set(last.split(':').at(-1)!, used())
    await passes(Date.now(), 20 * MINUTE)
    expect(await stateOf(last)).toBe('refused')
    await passes(Date.now(), 20 * MINUTE + 2 * SECOND)
    expect(await stateOf(last)).toBe('settled')
  })

  test('settled and not to be answered yet: the next hundred are tried in the next pass', async () => {
    const keys: string[] = []
    for (let sale = 0; sale <= BATCH; sale++) {
      const { key } = await claimed('away')
      await book.ledger.recordSettled(key, someSettled(seed++), 8453)
      keys.push(key)
    }
    const tried = new Set<string>()
    const finality = { reached: async ({ key }: { key: string }) => !tried.add(key) }
    const ask = (ms: number) => reconcile({ ...ports, finality }, Date.now() + ms)
    await ask(10 * SECOND)
    expect(tried.size).toBe(BATCH)
    await ask(12 * SECOND)
    expect(tried.size).toBe(BATCH + 1)
  })

  test.each([
    ['20 s old', 20 * SECOND, 2_499, 2_500],
    ['12 s old: at least 2 s', 12 * SECOND, 1_999, 2_000],
    ['a day old: at most 5 min', 24 * HOUR, 299_999, 300_000],
  ])('one that is %s is asked about again after an eighth of its age', async (_, ageMs, early, due) => {
    const { key } = await claimed('away')
    const { createdMs } = (await book.ledger.find(key))!
    const laterBy = [0, early, due]
    const counts: number[] = []
    for (const ms of laterBy) {
      await reconcile(ports, createdMs + ageMs + ms)
      counts.push(asked.length)
    }
    expect(counts).toEqual([1, 1, 2])
  })
})

describe('decision 002, I9: a use that no log shows ends the claim an hour after its window, and not before', () => {
  const endMs = (claim: Awaited<ReturnType<typeof claimed>>) =>
    Number(claim.payment.authorization.validBefore) * 1000
  const earlier = (blockMs: number): AuthorizationFate => ({ kind: 'earlier', blockNumber: 9n, blockMs })

  test.each([
    [HOUR, 'settling'],
    [HOUR + 1, 'void'],
  ])('chain time %d ms after validBefore: %s', async (afterMs, state) => {
    const claim = await claimed('away')
    fates.set(claim.nonce, earlier(endMs(claim) + afterMs))
    await passes(endMs(claim), 2 * HOUR)
    expect(await stateOf(claim.key)).toBe(state)
  })

  test('where a transaction that was sent for it shows the use after all it is settled', async () => {
    const claim = await claimed('away', { via: 'self' })
    await book.redis.set('settler:fence', '1')
    const tx = `0x${'7e'.repeat(32)}`
    await book.ledger.recordBroadcast([claim.key], tx, '1')
    receipts.set(tx, used())
    fates.set(claim.nonce, earlier(endMs(claim) + 2 * HOUR))
    await passes(endMs(claim), 2 * HOUR)
    expect(await stateOf(claim.key)).toBe('settled')
  })
})
