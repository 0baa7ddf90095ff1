import { deflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createCreditLedger } from '../../../api/ledger/credits.ts'
import { createFinalityLedger } from '../../../api/ledger/finality.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { authorizationKey, type Claim, type ClaimTerms } from '../../../api/ledger/ledger.ts'
import { answerClaims } from '../../../api/worker/answerClaims.ts'
import { MINUTE } from '../../../ops/units.ts'
import { named, openLedger, quietLog, somePayment, someSettled, someTerms } from '../../support/ledger.ts'
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
beforeEach(() => book.redis.flushall())

const payment = somePayment(1)
const key = authorizationKey(payment)
const FULL: ClaimTerms = someTerms({
  rail: 'usdc_base',
  snapshotVersion: 7,
  creditTo: { account: 'a', auth: 'b' },
  paid: [{ network: 'eip155:8453', asset: '0x1', amountAtomic: '1', transaction: '0x2' }] as never,
  draft: `{"text":"${'a'.repeat(20_000)}"}`,
  foundTx: `0x${'ab'.repeat(32)}`,
})
const listedOf = ({ draft: _, answer: __, ...rest }: Claim) => rest

describe('a list has claims without what they answer, which may be long, and all else of them', () => {
  test.each<[string, 'settling' | 'undelivered' | 'watched', () => Promise<unknown>]>([
    ['being settled', 'settling', async () => {}],
    ['settled', 'undelivered', () => book.ledger.recordSettled(key, someSettled(1), 8453)],
    ['refused', 'watched', () => book.ledger.recordRefused(key, 'expired', 'refused')],
  ])('%s', async (_, which, then) => {
    await book.ledger.claim(key, 'owner', FULL, payment)
    await then()
    const listed = await book.ledger.list(which, 10)
    expect(listed).toEqual([listedOf((await book.ledger.find(key))!)])
    expect(Object.keys(listed[0]!)).not.toContain('draft')
  })

  test('nor is it read: 20,000 questions that are repeated to 140 KB each would be 2.8 GB at once', async () => {
    await book.ledger.claim(key, 'owner', FULL, payment)
    await book.redis.config('RESETSTAT')
    await book.ledger.list('settling', 10)
    const stats = await book.redis.info('commandstats')
    expect([/cmdstat_hmget/.test(stats), /cmdstat_hgetall/.test(stats)]).toEqual([true, false])
  })
})

describe('so has the watch for reorganisations, which reads five thousand at once', () => {
  const finality = () => createFinalityLedger(book.redis)
  const settle = async () => {
    await book.ledger.claim(key, 'owner', FULL, payment)
    await book.ledger.recordSettled(key, someSettled(1), 8453)
  }
  const answer = async () => {
    const delivery = { body: 'b'.repeat(20_000), paymentResponse: '', attestationId: 'a', attestation: '{}' }
    const sale = { eventId: 'a', tx: someSettled(1).tx } as never
    await book.ledger.deliver(key, { ...delivery, sale, grant: null })
  }

  test.each<[string, boolean, () => Promise<unknown>]>([
    ['not answered', false, async () => {}],
    ['answered', true, answer],
    ['answered, and missing', true, () => answer().then(() => finality().gone(key, someSettled(1), 8453))],
  ])('%s', async (_, isAnswered, then) => {
    await settle()
    await then()
    const { draft: _d, answer: _a, ...rest } = (await finality().find(key))!
    await book.redis.config('RESETSTAT')
    expect(await finality().watched([key])).toEqual({ claims: [{ ...rest, isAnswered }], broken: [] })
    expect(await book.redis.info('commandstats')).not.toMatch(/cmdstat_hgetall/)
  })
})

test('DATA-08 a paid claim whose draft is broken is put behind the others, and holds up none of them', async () => {
  const other = somePayment(2)
  for (const one of [payment, other]) {
    await book.ledger.claim(authorizationKey(one), 'owner', FULL, one)
    const { nonce } = one.authorization
    await book.ledger.recordSettled(authorizationKey(one), someSettled(Number(nonce)), 8453)
  }
  const cut = deflateRawSync(FULL.draft).subarray(0, 20).toString('base64')
  await book.redis.hset(KEYS.claim(key), 'draft', `deflate:${cut}`)
  const nowMs = (await book.ledger.nowMs()) + 10_000
  const looked: string[] = []
  const find = async (which: string) => {
    looked.push(which)
    return await book.ledger.find(which)
  }
  const credits = { expiredHolds: async () => [] }
  const ports = { ledger: { ...book.ledger, find }, credits, log: quietLog } as never
  expect(await answerClaims(ports, nowMs)).toEqual({ delivered: 0, refunded: 0 })
  expect(looked.sort()).toEqual([key, authorizationKey(other)].sort())
  const due = await book.ledger.list('undelivered', 10, nowMs)
  expect(due.map((claim) => claim.key)).toEqual([authorizationKey(other)])
})

test.each([
  ['the hold', KEYS.hold('a')],
  ['the account', KEYS.account('a')],
])('DATA-08 credit that cannot be released, since %s is broken, keeps nobody else’s', async (_, row) => {
  const credits = createCreditLedger(book.redis)
  for (const [at, name] of ['a', 'b'].entries()) {
    const holder = { account: name, auth: 'secret' }
    await credits.deposit(`lot of ${name}`, 10n, name, holder.auth)
    await credits.hold(name, 10n, holder, at, named(name))
  }
  await book.redis.multi().del(row).set(row, 'wrong').exec()
  const told: unknown[] = []
  const log = { ...quietLog, error: (what: unknown) => void told.push(what) }
  const nowMs = await book.ledger.nowMs()
  const round = (atMs: number) => answerClaims({ ledger: book.ledger, credits, log } as never, atMs)
  await round(nowMs)
  expect(await credits.balance({ account: 'b', auth: 'secret' })).toMatchObject({ heldMicro: 0n })
  await round(nowMs + MINUTE - 1)
  expect(told).toEqual([{ purchase: 'a' }])
  await round(nowMs + MINUTE)
  expect(told).toEqual([{ purchase: 'a' }, { purchase: 'a' }])
})

test('I4 credit that a buyer asks for again while expired holds are listed stays his: he was told that it is held', async () => {
  const credits = createCreditLedger(book.redis)
  const holder = { account: 'a', auth: 'secret' }
  await credits.deposit('lot', 10n, holder.account, holder.auth)
  const nowMs = await book.ledger.nowMs()
  const holdUntil = (untilMs: number) => credits.hold('a', 10n, holder, untilMs, named('a'))
  await holdUntil(nowMs)
  const expiredHolds: typeof credits.expiredHolds = async (...asked) => {
    const listed = await credits.expiredHolds(...asked)
    expect(await holdUntil(nowMs + MINUTE)).toEqual({ outcome: 'held', micro: 10n })
    return listed
  }
  const ports = { ledger: book.ledger, log: quietLog }
  await answerClaims({ ...ports, credits: { ...credits, expiredHolds } } as never, nowMs)
  expect(await credits.balance(holder)).toMatchObject({ heldMicro: 10n })
  await answerClaims({ ...ports, credits } as never, nowMs + MINUTE)
  expect(await credits.balance(holder)).toMatchObject({ heldMicro: 0n })
})
