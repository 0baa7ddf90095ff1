import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createIntentLedger } from '../../../api/ledger/intents.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { transferKey } from '../../../api/ledger/ledger.ts'
import { type ClosableChain, createPaymentChain } from '../../../api/settlement/chain.ts'
import { REBUILT } from '../../../api/worker/books/classes.ts'
import { createLedgerView } from '../../../api/worker/books/ledgerView.ts'
import { writeOpenItems } from '../../../api/worker/books/openItems.ts'
import { readOrder, USAGE } from '../../../api/worker/books/order.ts'
import { createBooksGauges, createBooksWatch } from '../../../api/worker/books/publishBooks.ts'
import type { TokenPlace } from '../../../api/worker/books/tokenPlaces.ts'
import { RefusedOrder } from '../../../ops/commandLine.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { NETWORKS } from '../../../ops/sandbox/chain/networks.ts'
import { HOUR } from '../../../ops/units.ts'
import { lower } from '../../api/settlement/vectors.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { openLedger, quietLog } from '../../support/ledger.ts'
import { RECONCILE, runMain } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let anvil: TestChain
let chain: ClosableChain
let redis: TestRedis
let book: ReturnType<typeof openLedger>
beforeAll(async () => {
  ;[anvil, redis] = await Promise.all([
    startTestChain({ buyers: 2, network: NETWORKS.ethereum }),
    startRedis({ appendfsync: 'always' }),
  ])
  chain = createPaymentChain({ rpcUrl: anvil.rpcUrl, log: quietLog })
  book = openLedger(redis.url)
})
afterAll(async () => {
  book?.close()
  await chain?.close()
  await Promise.all([anvil?.stop(), redis?.stop()])
})

/** One look of the worker's. @returns books_unexplained_usdc. */
async function look(): Promise<number> {
  const place: TokenPlace = {
    rail: 'usdc_eth',
    rpcUrl: anvil.rpcUrl,
    chainId: 1,
    asset: lower(anvil.usdc),
    receivers: [lower(anvil.receiver)],
    hour: 300n,
  }
  const metrics = createMetrics('test')
  const view = { redis: book.redis, ledger: book.ledger, intents: createIntentLedger(book.redis) }
  const ledger = createLedgerView({ ...view, chainId: 1, rail: 'usdc_eth' })
  const gauges = createBooksGauges(metrics, ['usdc_eth'])
  await createBooksWatch({ redis: book.redis, gauges, place, chain, ledger, log: quietLog })(Date.now())
  const text = await metrics.registry.metrics()
  return Number(/^books_unexplained_usdc\{.*\} (.+)$/m.exec(text)?.[1])
}
async function reconcile(...args: string[]) {
  const running = runMain(RECONCILE, {
    args: ['--rail', 'usdc_eth', ...args],
    env: {
      LEDGER_REDIS_URL: redis.url,
      ETHEREUM_RPC_URL: anvil.rpcUrl,
      ETHEREUM_RECEIVER: anvil.receiver,
    },
  })
  const { code } = await running.exited
  return { code, out: running.stdout(), err: running.stderr() }
}
const stranger = (micro: bigint) =>
  anvil.send(
    anvil.buyers[1]!,
    anvil.usdc,
    encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [anvil.receiver, micro] }),
  )

/** Lists a transfer as the worker does, from before the first block: a real day of blocks takes too long to mine. */
async function follow(tx: Hex, microUsdc: bigint): Promise<void> {
  const [first, { number: until }] = await Promise.all([chain.blockAt(0n), chain.head('latest')])
  const row = { tx, logIndex: 0, blockIndex: 0, payer: '0xbb', authorization: null }
  const items = [{ why: 'unattributed' as const, ...row, microUsdc, atMs: first!.timeMs - HOUR }]
  await writeOpenItems(book.redis, 'usdc_eth', { until, items, unlistedSinceMs: null })
}

describe('I1 whoever is called by BooksDoNotJoin sees what it counts', () => {
  test('what the worker still follows is told too, however old; with --from-block only those blocks', async () => {
    const old: Hex = `0x${'0d'.repeat(32)}`
    await follow(old, 1_000_000n)
    expect(await look()).toBe(1)
    const young = await stranger(2_000_000n)
    expect(await look()).toBe(3)

    const told = await reconcile()
    expect(told.code, told.err).toBe(1)
    expect(told.out).toMatch(/unexplained +3 USDC +2 entries/)
    expect(told.out).toMatch(/1 of them .*outside these blocks/)
    expect(told.out.indexOf(old)).toBeGreaterThan(0)
    expect(told.out.split(young)).toHaveLength(2) //  the worker lists it too: it is told once
    const { unexplained, ...sums } = JSON.parse((await reconcile('--json')).out)
    expect(sums).toMatchObject({
      inflowMicroUsdc: '2000000',
      unexplainedMicroUsdc: '3000000',
      unexplainedCount: 2,
      followedCount: 1,
    })
    expect(unexplained.map(({ tx }: { tx: string }) => tx)).toEqual([old, young])

    const blocks = await reconcile('--from-block', '0')
    expect(blocks.out).toMatch(/unexplained +2 USDC +1 entries/)
    const elsewhere = await reconcile('--receiver', `0x${'99'.repeat(20)}`)
    expect([elsewhere.code, elsewhere.out]).toEqual([0, expect.not.stringContaining(old)])

    expect((await reconcile('--book', young)).code).toBe(0)
    await book.redis.set(KEYS.spent(transferKey(1, old, 0)), REBUILT) // so does --book
    const booked = await reconcile() //  judged anew, without a look of the worker's in between
    expect([booked.code, booked.out]).toEqual([0, expect.stringMatching(/unexplained +0 USDC +0 entries/)])
    expect(await look()).toBe(0)
  }, 120_000)

  test('more than the worker follows one by one: never all explained', async () => {
    const key = 'books:usdc_eth'
    const { number, timeMs } = (await chain.blockAt(0n))!
    const unlistedSinceMs = timeMs - HOUR
    await book.redis.set(key, JSON.stringify({ until: `${number}`, items: [], unlistedSinceMs }))
    const told = await reconcile()
    expect([told.code, told.out]).toEqual([1, expect.stringContaining('--from-block 0')])
    await book.redis.del(key)
  })

  test('--to-block after the newest block is refused by name; the newest is not', async () => {
    const { number } = await chain.head('latest')
    const ahead = await reconcile('--to-block', String(number + 1n))
    expect([ahead.code, ahead.out, ahead.err]).toEqual([
      2,
      '',
      `--to-block: is after the newest block, ${number}\nSee ops/reconcile --help\n`,
    ])
    expect((await reconcile('--to-block', String(number))).err).toBe('')
  })

  test('--book with what it would ignore is refused by name', () => {
    expect(() => readOrder(['--book', `0x${'ab'.repeat(32)}`, '--from-block', '1', '--json'])).toThrow(
      new RefusedOrder('--book looks at one transaction: not with --from-block, --json'),
    )
  })

  test('--help says how much is looked at without --from-block', () => {
    expect(USAGE).toMatch(/--from-block N .*a day of the rail's blocks/)
    expect(USAGE).toContain('7,200 on Ethereum')
    expect(USAGE).toContain('345,600 on Arbitrum')
  })
})
