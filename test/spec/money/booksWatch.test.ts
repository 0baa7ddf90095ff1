import { type Address, encodeFunctionData, erc20Abi, type Hex, multicall3Abi } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createIntentLedger } from '../../../api/ledger/intents.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { authorizationKey, transferKey } from '../../../api/ledger/ledger.ts'
import type { Mark } from '../../../api/ledger/marks.ts'
import { type ClosableChain, createPaymentChain } from '../../../api/settlement/chain.ts'
import { blockSince, everyBlockSince } from '../../../api/worker/books/blockSince.ts'
import { bookOne } from '../../../api/worker/books/bookUnknown.ts'
import { createJoin } from '../../../api/worker/books/joinAtStart.ts'
import { createLedgerView } from '../../../api/worker/books/ledgerView.ts'
import { readOpenItems } from '../../../api/worker/books/openItems.ts'
import { readOrder } from '../../../api/worker/books/order.ts'
import { createProgress } from '../../../api/worker/books/progress.ts'
import { createBooksGauges, createBooksWatch } from '../../../api/worker/books/publishBooks.ts'
import { placesAsked } from '../../../api/worker/books/source.ts'
import { type TokenPlace, tokenPlaces } from '../../../api/worker/books/tokenPlaces.ts'
import { loadConfig } from '../../../ops/config.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { HOUR, MINUTE, SECOND } from '../../../ops/units.ts'
import { pay, transferCall } from '../../api/settlement/payer.ts'
import { lower, USDC } from '../../api/settlement/vectors.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { openLedger, quietLog, someTerms } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let anvil: TestChain
let chain: ClosableChain
let redis: TestRedis
let book: ReturnType<typeof openLedger>
let place: TokenPlace
beforeAll(async () => {
  ;[anvil, redis] = await Promise.all([startTestChain({ buyers: 2 }), startRedis({ appendfsync: 'always' })])
  chain = createPaymentChain({ rpcUrl: anvil.rpcUrl, log: quietLog })
  book = openLedger(redis.url)
})
afterAll(async () => {
  book?.close()
  await chain?.close()
  await Promise.all([anvil?.stop(), redis?.stop()])
})
beforeEach(async () => {
  await book.redis.flushall()
  await anvil.clients.node.mine({ blocks: 10 }) //  what came before is beyond the overlap
  place = {
    rail: 'usdc_base',
    rpcUrl: anvil.rpcUrl,
    chainId: 8453,
    asset: USDC,
    receivers: [lower(anvil.receiver)],
    hour: 3n,
  }
})

const view = ({ chainId, rail } = place) =>
  createLedgerView({
    redis: book.redis,
    ledger: book.ledger,
    chainId,
    rail,
    intents: createIntentLedger(book.redis),
  })
const stranger = (micro: bigint, to = anvil.receiver) =>
  anvil.send(
    anvil.buyers[1]!,
    anvil.usdc,
    encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, micro] }),
  )
const pass = (blocks: number) => anvil.clients.node.mine({ blocks })
const explain = async (tx: Hex) =>
  bookOne(book.redis, tx, place, { chain, ledger: view(), nowMs: Date.now() })

/** Looks with a new worker, as after a restart. @returns what its gauges show. */
async function look(nowMs = Date.now()) {
  const metrics = createMetrics('test')
  const gauges = createBooksGauges(metrics, [place.rail])
  const watch = createBooksWatch({
    redis: book.redis,
    gauges,
    place,
    chain,
    ledger: view(),
    log: quietLog,
  })
  await watch(nowMs)
  const text = await metrics.registry.metrics()
  const figure = (name: string, labels = '') =>
    Number(new RegExp(`^${name}\\{rail="${place.rail}"${labels},role="test"\\} (.+)$`, 'm').exec(text)?.[1])
  return {
    unexplained: figure('books_unexplained_usdc'),
    unlisted: figure('books_unexplained_unlisted'),
    oldestS: figure('books_unexplained_oldest_seconds'),
    unattributed: figure('books_usdc', ',class="unattributed"'),
    broken: figure('books_usdc', ',class="broken"'),
  }
}

describe('I1, L4 the books are joined from where the last look ended', () => {
  test('what came while nobody looked is found, however long that was', async () => {
    await look()
    await stranger(250_000n)
    await pass(50)
    expect(await look()).toMatchObject({ unexplained: 0.25, unattributed: 0.25 })
  })

  test('the first look is at the newest hour', async () => {
    await stranger(250_000n)
    await pass(50)
    await stranger(3_000n)
    expect((await look()).unexplained).toBe(0.003)
  })

  test('what is not explained stays and is summed, by its age, until it is', async () => {
    const first = await stranger(250_000n)
    await look()
    await pass(50)
    await look()
    const second = await stranger(1_000n)
    const { timeMs } = await chain.head('latest')
    const found = await look(timeMs + HOUR)
    expect(found).toMatchObject({ unexplained: 0.251, unattributed: 0.001 })
    expect(found.oldestS).toBeGreaterThanOrEqual(HOUR / SECOND)
    await pass(50)
    expect((await look()).unexplained).toBe(0.251)
    expect(await explain(first)).toBe(1)
    expect((await look()).unexplained).toBe(0.001)
    expect(await explain(second)).toBe(1)
    expect(await look()).toMatchObject({ unexplained: 0, oldestS: 0 })
  })

  test('RAIL-14 what arrives at a deposit address is unattributed, in its own coin, until somebody has looked', async () => {
    place = { ...place, rail: 'sol_base' } //  any token is a coin of nine decimals there
    await look()
    const tx = await stranger(50_000_000n)
    await pass(50)
    expect(await look()).toMatchObject({ unexplained: 0.05, unattributed: 0.05 })
    expect(await explain(tx)).toBe(1)
    expect((await look()).unexplained).toBe(0)
  })

  test('a transfer that its buyer is answered for later is explained', async () => {
    const tx = await stranger(10_000n)
    await look()
    await pass(50)
    const transfers = await chain.transfers(USDC, tx)
    if (!Array.isArray(transfers)) throw new Error('the transfer is there')
    const [transfer] = transfers
    const key = transferKey(8453, tx, transfer!.logIndex)
    await book.ledger.claimTransfer(key, someTerms({ asset: USDC }), transfer!, 8453)
    expect((await look()).unexplained).toBe(0)
  })

  test('DATA-08 a transfer whose row is broken stays unexplained until it can be read, and hides no other', async () => {
    const tx = await stranger(10_000n)
    const transfers = await chain.transfers(USDC, tx)
    if (!Array.isArray(transfers)) throw new Error('the transfer is there')
    const [transfer] = transfers
    const key = transferKey(8453, tx, transfer!.logIndex)
    await book.ledger.claimTransfer(key, someTerms({ asset: USDC }), transfer!, 8453)
    await book.redis.rename(KEYS.claim(key), 'aside')
    await book.redis.set(KEYS.claim(key), 'wrong')
    await stranger(250_000n)
    expect(await look()).toMatchObject({ unexplained: 0.26, unattributed: 0.25, broken: 0.01 })
    await pass(50)
    expect((await look()).unexplained).toBe(0.26)
    await book.redis.rename('aside', KEYS.claim(key))
    expect((await look()).unexplained).toBe(0.25)
  })

  test('I3 a sale without its money stays until the money is there again or the sale is reversed', async () => {
    await pass(1)
    const { timeMs } = await chain.head('latest')
    const sale = {
      atMs: timeMs,
      rail: 'usdc_base',
      purchasePath: 'x402',
      attestationId: 'gone',
      payer: '0xbb',
      tx: `0x${'0d'.repeat(32)}`,
      logIndex: 0,
      amountMicroUsdc: '10000',
    }
    await book.redis.xadd(KEYS.sales, '*', 'sale', JSON.stringify(sale))
    expect((await look()).unexplained).toBe(0.01)
    await anvil.clients.node.increaseTime({ seconds: 10 })
    for (const _ of [1, 2, 3]) {
      await pass(5)
      expect((await look()).unexplained).toBe(0.01)
    }
    await book.redis.set('revoked:gone', String(timeMs))
    expect((await look()).unexplained).toBe(0)
  })

  test('more strangers than are listed: the largest are, it says so, and it goes on', async () => {
    await stranger(1n) //  older than the transfers that crowd it out of the list
    await look()
    await pass(50)
    await anvil.mint(anvil.multicall3, 6_000n)
    const allowFailure = false
    const one = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [anvil.receiver, 2n] })
    const call = { target: anvil.usdc, allowFailure, callData: one }
    const data = encodeFunctionData({
      abi: multicall3Abi,
      functionName: 'aggregate3',
      args: [Array.from({ length: 87 }, () => call)],
    })
    for (let sent = 0; sent <= 2_000; sent += 87) await anvil.send(anvil.buyers[1]!, anvil.multicall3, data)
    const large = await stranger(5_000_000n)
    await pass(50)
    for (const _ of [1, 2]) expect(await look()).toMatchObject({ unexplained: 5.003998, unlisted: 1 })
    await pass(50)
    await stranger(7_000_000n)
    expect(await look()).toMatchObject({ unexplained: 12.003996, unlisted: 1 })
    await explain(large)
    expect(await look()).toMatchObject({ unexplained: 7.003996, unlisted: 1 })
    //  there is room for one that was left out, and still not for all
    expect(await look()).toMatchObject({ unexplained: 7.003998, unlisted: 1 })
    const { items } = (await readOpenItems(book.redis, 'usdc_base'))!
    const booked = (await explain(items.at(-1)!.tx))!
    await look()
    const { unexplained, unlisted } = await look()
    expect([unexplained, unlisted]).toEqual([expect.closeTo(7.004003 - (2 * booked) / 1e6, 6), 0])
  }, 120_000)

  test('another chain and token is joined with its own rows', async () => {
    place = { ...place, rail: 'usdc_eth', chainId: 1 }
    const tx = await stranger(5_000n)
    expect((await look()).unexplained).toBe(0.005)
    expect(await explain(tx)).toBe(1)
    expect(await book.redis.keys('spent:*')).toEqual([expect.stringMatching(/^spent:tx:1:/)])
    expect((await look()).unexplained).toBe(0)
  })
})

const everyReceiver = () => {
  const receiver = (digit: string) => `0x${digit.repeat(40)}`
  return loadConfig(
    {
      RECEIVER_ADDRESS: receiver('A'),
      ETHEREUM_RPC_URL: 'http://e',
      ETHEREUM_RECEIVER: receiver('b'),
      POLYGON_RPC_URL: 'http://p',
      POLYGON_RECEIVER: receiver('c'),
      ARBITRUM_RPC_URL: 'http://a',
      ARBITRUM_RECEIVER: receiver('d'),
      SOL_BASE_RECEIVER: receiver('E'),
      SOL_BASE_TOKEN: receiver('f'),
    },
    'script',
  )
}

test('L4 every token receiver that is configured is joined, with the hour of its own blocks', () => {
  const receiver = (digit: string) => `0x${digit.repeat(40)}`
  const told = tokenPlaces(everyReceiver()).map(({ rail, chainId, receivers, hour }) => [
    rail,
    chainId,
    receivers,
    hour,
  ])
  expect(told).toEqual([
    ['usdc_base', 8453, [receiver('a')], 1_800n],
    ['usdc_eth', 1, [receiver('b')], 300n],
    ['usdt_eth', 1, [receiver('b')], 300n],
    ['usdc_polygon', 137, [receiver('c')], 1_800n],
    ['usdc_arbitrum', 42_161, [receiver('d')], 14_400n],
    ['sol_base', 8453, [receiver('e')], 1_800n],
  ])
})

describe('the first block of a time', () => {
  const at = (number: bigint) => ({ number, hash: '0x' as Hex, timeMs: Number(number) * 2_000 })
  const head = at(100n)
  test.each([
    ['the whole chain', {}, 0n, 0n],
    ['from a time on', { sinceMs: 50_001 }, 0n, 26n],
    ['from its very time on', { sinceMs: 50_000 }, 0n, 25n],
    ['the newest', { sinceMs: 200_000 }, 0n, 100n],
    ['later than the newest: the next', { sinceMs: 200_001 }, 0n, 101n],
    ['from a block on', { lowest: 40n }, 0n, 40n],
    ['a node that has forgotten it: the oldest it has', { lowest: 40n }, 77n, 77n],
  ])('%s', async (_, asked, oldest, found) => {
    const blockAt = async (number: bigint) => (number < oldest || number > 100n ? null : at(number))
    expect(await blockSince({ blockAt }, head, asked)).toBe(found)
  })

  test.each([
    ['all of them', 0n, 50_000, 25n],
    ['all of them, and one more', 24n, 50_000, 25n],
    ['a chain that is younger', 0n, -1, 0n],
  ])('every block of a time: %s', async (_, oldest, sinceMs, found) => {
    const blockAt = async (number: bigint) => (number < oldest || number > 100n ? null : at(number))
    expect(await everyBlockSince({ blockAt }, head, sinceMs)).toBe(found)
  })

  test.each([
    ['the first ones', 25n, 50_000],
    ['most', 77n, 50_000],
    ['the newest', 0n, 200_001],
  ])('CHN-04 a node that has not %s of a time does not answer for it', async (_, oldest, sinceMs) => {
    const blockAt = async (number: bigint) => (number < oldest || number > 100n ? null : at(number))
    await expect(everyBlockSince({ blockAt }, head, sinceMs)).rejects.toMatchObject({
      code: 'chain_unavailable',
    })
  })
})

describe('DATA-03 what a ledger is asked for before it is believed', () => {
  let receiver: Address
  beforeEach(() => {
    receiver = privateKeyToAddress(generatePrivateKey())
  })
  const asked = () => ({ ...place, receivers: [lower(receiver)] })
  const joined = async ({ ended = false, laterMs = 0, nowMs = 0 } = {}) => {
    const { timeMs } = await chain.head('latest')
    const now = () => nowMs || timeMs
    const progressOf = (mark: Mark) => createProgress(book.redis, 'usdc_base', 'joined', mark)
    const join = createJoin({ chain, ledger: view(), asked: asked(), progressOf, now })
    return join({ epoch: receiver, beat: timeMs + laterMs, ended })
  }
  const send = (micro: bigint) => stranger(micro, receiver)

  test('nothing came, or less than anything costs: it is', async () => {
    expect(await joined()).toBeNull()
    await send(499n)
    expect(await joined()).toBeNull()
  })

  test('a transfer nobody knows: not, until it is booked; after a stop in order it may have come meanwhile', async () => {
    const tx = await send(500n)
    expect(await joined()).toMatch(/does not know 1 transfers of 0\.0005 USDC from block .*--rebuild.*--open/)
    expect(await joined({ ended: true })).toBeNull()
    await bookOne(book.redis, tx, asked(), { chain, ledger: view(), nowMs: Date.now() })
    expect(await joined()).toBeNull()
  })

  test('DATA-08 one whose row is broken is no loss: the ledger knows it. One that nobody knows beside it is', async () => {
    const key = transferKey(8453, await send(500n), 0)
    await book.redis.set(KEYS.spent(key), key)
    await book.redis.set(KEYS.claim(key), 'wrong')
    expect(await joined()).toBeNull()
    await send(500n)
    expect(await joined()).toMatch(/does not know 1 transfers of 0\.0005 USDC/)
  })

  test('CHN-04 by a node that has not seen what came since, nothing is said', async () => {
    const { timeMs } = await chain.head('latest')
    const unavailable = { code: 'chain_unavailable' }
    await expect(joined({ nowMs: timeMs + 2 * MINUTE })).resolves.toBeNull()
    await expect(joined({ nowMs: timeMs + 2 * MINUTE + 1 })).rejects.toMatchObject(unavailable)
    await expect(joined({ laterMs: 2 * HOUR })).rejects.toMatchObject(unavailable)
  })

  test('an authorization nobody knows: not, also after a stop in order; one that is claimed is known', async () => {
    const payment = await pay(anvil.buyers[1]!, receiver)
    await anvil.send(anvil.buyers[1]!, anvil.usdc, transferCall(payment))
    expect(await joined({ ended: true })).toMatch(/1 transfers of 0\.01 USDC/)
    const terms = someTerms({ payer: payment.authorization.from, asset: USDC })
    await book.ledger.claim(authorizationKey(payment), 'o', terms, payment)
    expect(await joined({ ended: true })).toBeNull()
  })

  test('a transfer of more than an hour before the last beat is not asked about', async () => {
    await send(500n)
    expect(await joined({ laterMs: HOUR - MINUTE })).toContain('does not know 1 transfers')
    await anvil.clients.node.increaseTime({ seconds: (2 * HOUR) / SECOND })
    await pass(1)
    expect(await joined()).toBeNull()
  })
})

describe('RAIL-14 a deposit address in ops/reconcile', () => {
  const places = tokenPlaces(everyReceiver())
  const asked = (...words: string[]) => placesAsked(readOrder(words)!, places).map(({ rail }) => rail)

  test('is looked at if it is asked for, and never rebuilt: what came there has bought nothing', () => {
    expect(asked('--rail', 'sol_base')).toEqual(['sol_base'])
    expect(asked('--rebuild')).toEqual(['usdc_base', 'usdc_eth', 'usdt_eth', 'usdc_polygon', 'usdc_arbitrum'])
  })

  test('of an unknown token says what is missing', () => {
    const order = readOrder(['--rail', 'sol_base'])!
    const known = places.filter(({ rail }) => rail !== 'sol_base')
    expect(() => placesAsked(order, known)).toThrow('--rail sol_base: its address or its token is missing')
  })
})
