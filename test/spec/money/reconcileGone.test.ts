import type { Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { KEYS } from '../../../api/ledger/keys.ts'
import { type Sale, transferKey } from '../../../api/ledger/ledger.ts'
import { type ClosableChain, createPaymentChain } from '../../../api/settlement/chain.ts'
import type { Inflow } from '../../../api/settlement/port.ts'
import { bookGone } from '../../../api/worker/books/bookGone.ts'
import { HOUR, MINUTE } from '../../../ops/units.ts'
import { lower, USDC } from '../../api/settlement/vectors.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { openLedger, quietLog } from '../../support/ledger.ts'
import { RECONCILE, runMain } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

const GONE: Hex = `0x${'0d'.repeat(32)}`
const OWNER = 'auth:8453:0xusdc:0xbb:0x01'

let anvil: TestChain
let chain: ClosableChain
let redis: TestRedis
let book: ReturnType<typeof openLedger>
beforeAll(async () => {
  ;[anvil, redis] = await Promise.all([startTestChain({ buyers: 1 }), startRedis({ appendfsync: 'always' })])
  chain = createPaymentChain({ rpcUrl: anvil.rpcUrl, log: quietLog })
  book = openLedger(redis.url)
})
afterAll(async () => {
  book?.close()
  await chain?.close()
  await Promise.all([anvil?.stop(), redis?.stop()])
})

/** A sale whose transfer is on no chain and that the worker no longer watches. */
let sale: Sale
beforeEach(async () => {
  await book.redis.flushall()
  await anvil.clients.node.mine({ blocks: 1 })
  const { timeMs } = await chain.head('latest')
  sale = {
    eventId: 'one',
    atMs: timeMs,
    rail: 'usdc_base',
    purchasePath: 'x402',
    attestationId: 'receipt',
    payer: '0xbb',
    tx: GONE,
    logIndex: 0,
    amountMicroUsdc: '10000',
    creditMicroUsdc: '2000',
    cardIds: ['card'],
  } as Sale
  await book.redis.xadd(KEYS.sales, '*', 'sale', JSON.stringify(sale))
  await book.redis.set(KEYS.spent(transferKey(8453, GONE, 0)), OWNER)
})

async function reconcile(...args: string[]) {
  const running = runMain(RECONCILE, {
    args,
    env: {
      LEDGER_REDIS_URL: redis.url,
      BASE_RPC_URL: anvil.rpcUrl,
      USDC_ADDRESS: anvil.usdc,
      RECEIVER_ADDRESS: anvil.receiver,
    },
  })
  const { code } = await running.exited
  return { code, out: running.stdout(), err: running.stderr() }
}
const journal = async () =>
  (await book.redis.xrange(KEYS.sales, '-', '+')).map(([, [field, text]]) => [field, JSON.parse(text!)])
const bookNow = (change: Partial<ClosableChain> = {}) => {
  const asked = { chainId: 8453, rail: 'usdc_base' as const, asset: USDC, receivers: [lower(anvil.receiver)] }
  const view = Object.assign(Object.create(chain), change) as ClosableChain
  return bookGone(book.redis, GONE, asked, { chain: view, nowMs: Date.now() })
}

describe('I3 a sale whose money has left the chain for good, and that an operator has looked at', () => {
  test('--book reverses it in the books and revokes its receipt, once, and it is explained', async () => {
    const before = await reconcile()
    expect([before.code, before.out]).toEqual([1, expect.stringMatching(/not_on_chain .*0\.008 USDC/)])

    const booked = await reconcile('--book', GONE)
    expect([booked.code, booked.err]).toEqual([0, ''])
    expect(booked.out).toBe(
      `${GONE}: is not on the chain; its sale of 0.01 USDC is reversed in the books, and receipt receipt is revoked\n`,
    )
    const [, reversal] = await journal()
    expect(reversal).toEqual([
      'reversal',
      {
        ...sale,
        eventId: expect.stringMatching(/^receipt:reversed:seen \d+-0$/),
        purchasePath: 'reversed',
        amountMicroUsdc: '-10000',
        creditMicroUsdc: '-2000',
        cardIds: [],
        responseHash: '',
      },
    ])
    expect(Number(await book.redis.get(KEYS.revoked('receipt')))).toBeGreaterThan(0)

    const again = await reconcile('--book', GONE)
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('was reversed before')])
    expect(await journal()).toHaveLength(2)
    expect((await reconcile()).code).toBe(0)
  }, 120_000)

  test.each<[string, () => Promise<unknown>]>([
    ['a claim', () => book.redis.zadd(KEYS.claims.unfinal, 1, OWNER)],
    [
      'a classic purchase',
      async () => {
        await book.redis.set(KEYS.spent(transferKey(8453, GONE, 0)), 'intent:name')
        await book.redis.zadd(KEYS.intents.unfinal, 1, 'name')
      },
    ],
  ])('%s that is still watched is left to the worker, which also gives back', async (_, watch) => {
    await watch()
    expect(await bookNow()).toEqual([{ receipt: 'receipt', microUsdc: 10_000n, outcome: 'watched' }])
    expect([await journal(), await book.redis.exists(KEYS.revoked('receipt'))]).toMatchObject([
      { length: 1 },
      0,
    ])
  })

  test('CHN-04 by a node that lags, lacks the time of the sale, or lists its transfer, nothing is booked', async () => {
    const head = await chain.head('latest')
    const old = { ...head, timeMs: Date.now() - 2 * MINUTE - 1_000 }
    const unavailable = { code: 'chain_unavailable' }
    await expect(bookNow({ head: async () => old })).rejects.toMatchObject(unavailable)
    const inflow = { tx: GONE } as Inflow
    const arrivals = async () => ({ until: head.number, inflows: [inflow] })
    await expect(bookNow({ arrivals })).rejects.toMatchObject(unavailable)
    const young = { ...head, timeMs: Date.now() }
    const blockAt = async (number: bigint) => (number === head.number ? young : null)
    sale = { ...sale, atMs: Date.now() - HOUR }
    await book.redis.xadd(KEYS.sales, '*', 'sale', JSON.stringify(sale))
    await expect(bookNow({ head: async () => young, blockAt })).rejects.toMatchObject(unavailable)
    expect(await book.redis.exists(KEYS.revoked('receipt'))).toBe(0)
  })

  test('sales of another transfer, of another rail, or that moved to another transaction are left alone', async () => {
    await book.redis.del(KEYS.sales)
    const add = (field: string, change: Partial<Sale>) =>
      book.redis.xadd(KEYS.sales, '*', field, JSON.stringify({ ...sale, ...change }))
    await add('sale', { tx: `0x${'0e'.repeat(32)}`, attestationId: 'other' })
    await add('sale', { rail: 'usdc_eth', attestationId: 'eth' })
    await add('sale', {})
    await add('reversal', { purchasePath: 'reversed', amountMicroUsdc: '-10000' })
    await add('reversal', { purchasePath: 'restored', tx: `0x${'0e'.repeat(32)}` })
    expect(await bookNow()).toEqual([])
    const booked = await reconcile('--book', `0x${'0f'.repeat(32)}`)
    expect([booked.code, booked.out]).toEqual([1, `0x${'0f'.repeat(32)}: is not on the chain\n`])
  })
})
