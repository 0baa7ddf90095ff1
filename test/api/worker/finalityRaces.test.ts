import type { Redis } from 'ioredis'
import type { Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createCreditLedger } from '../../../api/ledger/credits.ts'
import { createFinalityLedger, type FinalityLedger } from '../../../api/ledger/finality.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { authorizationKey, type ClaimKey } from '../../../api/ledger/ledger.ts'
import { deliverClaim } from '../../../api/payment/deliver.ts'
import type { ChainView, PaymentChain, UsedAuthorization } from '../../../api/settlement/port.ts'
import { createFinalityWatch, GRACE_MS } from '../../../api/worker/watchFinality.ts'
import { SECOND } from '../../../ops/units.ts'
import { openLedger, quietLog, somePayment, someSettled, someTerms } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { newKey } from '../receipts/keys.ts'

/** Two workers watch one ledger; either may be stopped at any step. The chain is in memory, with one payment. */
const FINAL_BLOCKS = 64
const SECRET = Buffer.alloc(32, 7)

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

const payment = somePayment(1)
const key = authorizationKey(payment)
const { to, value } = payment.authorization
const settled = { ...someSettled(1), blockNumber: 995n }
let newest: bigint
let fork: bigint //  changes with every reorganisation
let there: UsedAuthorization | null //  where the payment is on chain
let finality: FinalityLedger
beforeEach(async () => {
  await book.redis.flushall()
  ;[newest, fork, there] = [1_000n, 0n, { kind: 'used', to, value, ...settled }]
  finality = createFinalityLedger(book.redis)
  const terms = { sku: 'SKU_AG_HOUR_PASS_01', asset: payment.asset, payTo: to, amountMicroUsdc: value }
  await book.ledger.claim(key, 'owner', someTerms(terms), payment)
  await settle()
})

const settle = () => book.ledger.recordSettled(key, settled, 8453)
const deliver = async () =>
  deliverClaim((await book.ledger.find(key))!, null, {
    ledger: book.ledger,
    credits: createCreditLedger(book.redis),
    finality: { reached: async () => true },
    answers: {
      receiptKey: newKey(),
      receiptKeys: new Map(),
      secret: SECRET,
      publicUrl: 'http://a.example',
      mode: 'sandbox',
    },
    faultPoint: () => {},
  })
const blockAt = async (number: bigint) => {
  const hash: Hex = `0x${(number * 100n + (number < 990n ? 0n : fork)).toString(16).padStart(64, '0')}`
  return { number, timeMs: 0, hash }
}
const chain = {
  head: () => blockAt(newest),
  blockAt,
  inflows: async (_asset, _to, from, until) =>
    there !== null && there.blockNumber >= from && there.blockNumber <= until
      ? [{ ...there, blockIndex: 0, from: '0xa' }]
      : [],
  fateIn: async () => there,
  fate: async () => ({ kind: 'unused', blockNumber: newest, blockMs: 0 }),
} as Partial<PaymentChain & ChainView> as PaymentChain & ChainView
const workerOn = (ledger: Partial<FinalityLedger> = {}) =>
  createFinalityWatch({
    finality: { ...finality, ...ledger },
    chain,
    answers: { secret: SECRET, mode: 'sandbox' },
    chainId: 8453,
    finalBlocks: FINAL_BLOCKS,
    log: quietLog,
  })

const leave = () => {
  ;[there, fork] = [null, fork + 1n]
}
const comeBack = (blockNumber: bigint) => {
  there = { kind: 'used', to, value, ...settled, blockNumber }
}
/** By when what is missing now is taken back. */
const pastGrace = async () => (await book.ledger.nowMs()) + GRACE_MS + SECOND
const rowOf = async (of: ClaimKey) => {
  const claim = await finality.find(of)
  return claim && { missing: claim.missing, suspended: claim.suspended }
}
const isWatched = async () => (await book.redis.zscore(KEYS.claims.unfinal, key)) !== null

/** A step at which a worker stops until it is told to go on. */
function stop<Args extends unknown[], Outcome>(step: (...args: Args) => Promise<Outcome>) {
  let goOn = () => {}
  let reach = () => {}
  const gone = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const stopped = async (...args: Args) => {
    reach()
    await gone
    return await step(...args)
  }
  return { stopped, reached, goOn: () => goOn() }
}

describe('CHN-03 a worker that was stopped on its way to taking back what was bought', () => {
  test('takes nothing back when another has meanwhile seen the money return and get final, and watches no more', async () => {
    await deliver()
    const suspend = stop(finality.suspend)
    const [held, other] = [workerOn({ suspend: suspend.stopped }), workerOn()]
    for (const watch of [held, other]) await watch(0)
    leave()
    for (const watch of [held, other]) await watch(0)
    const pass = held(await pastGrace())
    await suspend.reached
    comeBack(998n)
    expect((await other(0)).moved).toBe(1)
    newest += 2n * BigInt(FINAL_BLOCKS)
    expect([(await other(0)).final, await isWatched()]).toEqual([1, false])
    suspend.goOn()
    expect((await pass).suspended).toBe(0)
    expect(await rowOf(key)).toEqual({ missing: false, suspended: false })
  })

  test('takes it back just when another sees the money return: that one gives it back at once, since it may be final', async () => {
    await deliver()
    const move = stop(finality.move)
    const [first, other] = [workerOn(), workerOn({ move: move.stopped })]
    for (const watch of [first, other]) await watch(0)
    leave()
    for (const watch of [first, other]) await watch(0)
    const dueMs = await pastGrace()
    comeBack(998n)
    newest += 2n * BigInt(FINAL_BLOCKS)
    const pass = other(0)
    await move.reached
    there = null //  to the node of the first one, which is behind
    expect((await first(dueMs)).suspended).toBe(1)
    move.goOn()
    expect(await pass).toMatchObject({ moved: 1, restored: 1, final: 1 })
    expect(await rowOf(key)).toEqual({ missing: false, suspended: false })
  })
})

describe('CHN-02 a claim that was dropped before its answer, and is settled anew, is watched in its new block', () => {
  const settledAnew = { ...settled, blockNumber: 1_050n }
  const settleAnew = async () => {
    expect(await finality.gone(key, settled, 8453)).toBe('reopened')
    expect(await book.ledger.recordSettled(key, settledAnew, 8453)).toBe('recorded')
  }

  test('also when another worker, which has read that it is not settled, takes it off the list', async () => {
    await finality.gone(key, settled, 8453)
    const redis = Object.create(book.redis) as Redis
    const hmget = async (...args: Parameters<Redis['hmget']>) => {
      const read = await book.redis.hmget(...args)
      await book.ledger.recordSettled(key, settledAnew, 8453)
      return read
    }
    const late = createFinalityLedger(Object.assign(redis, { hmget }))
    expect(await late.watched([key])).toEqual({ claims: [], broken: [] })
    expect(await isWatched()).toBe(true)
  })

  test('also when another worker, which has seen its first block deep enough, goes on after that', async () => {
    const final = stop(finality.final)
    const held = workerOn({ final: final.stopped })
    newest += 2n * BigInt(FINAL_BLOCKS)
    const pass = held(0)
    await final.reached
    await settleAnew()
    final.goOn()
    expect((await pass).final).toBe(0)
    expect(await isWatched()).toBe(true)
  })

  test('until that is deep enough', async () => {
    await settleAnew()
    await deliver()
    comeBack(settledAnew.blockNumber)
    newest = settledAnew.blockNumber + BigInt(FINAL_BLOCKS) - 2n
    const watch = workerOn()
    expect([(await watch(0)).final, await isWatched()]).toEqual([0, true])
    newest += 1n
    expect([(await watch(0)).final, await isWatched()]).toEqual([1, false])
  })
})
