import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createIntentLedger } from '../../../api/ledger/intents.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { type ClosableChain, createPaymentChain } from '../../../api/settlement/chain.ts'
import { readInflows } from '../../../api/settlement/inflows.ts'
import { createLogPlaces } from '../../../api/settlement/logPlaces.ts'
import { createSpan } from '../../../api/settlement/logRanges.ts'
import { createRpc } from '../../../api/settlement/rpc.ts'
import { createJoin } from '../../../api/worker/books/joinAtStart.ts'
import { joinBooks, type Part } from '../../../api/worker/books/joinBooks.ts'
import { createLedgerView } from '../../../api/worker/books/ledgerView.ts'
import { createProgress } from '../../../api/worker/books/progress.ts'
import { HOUR, MINUTE } from '../../../ops/units.ts'
import { type RpcProxy, rpcError, startRpcProxy, type Treatment } from '../../api/settlement/rpcProxy.ts'
import { lower, USDC } from '../../api/settlement/vectors.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { startLaggingNode } from '../../support/laggingNode.ts'
import { openLedger, quietLog } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

/** CHN-04, DATA-03: a range that is too long for one answer, through a node that fails, lags or has another chain in between. */
let anvil: TestChain
let lagging: Awaited<ReturnType<typeof startLaggingNode>>
let proxy: RpcProxy
let redis: TestRedis
let book: ReturnType<typeof openLedger>
let chain: ClosableChain
let began: { number: bigint; timeMs: number } //  when the ledger was last open
let epoch = 0
beforeAll(async () => {
  ;[anvil, redis] = await Promise.all([
    startTestChain({ buyers: 2, history: true }),
    startRedis({ appendfsync: 'always' }),
  ])
  lagging = await startLaggingNode(anvil.rpcUrl)
  proxy = await startRpcProxy(lagging.rpcUrl)
  book = openLedger(redis.url)
})
afterAll(async () => {
  book?.close()
  await proxy?.close()
  await lagging?.stop()
  await Promise.all([anvil?.stop(), redis?.stop()])
})
beforeEach(async () => {
  lagging.lag(0)
  proxy.treat(() => 'pass')
  await book.redis.flushall()
  //  what other tests sent is now older than the hour that is looked back
  await anvil.clients.node.increaseTime({ seconds: 2 * 3_600 })
  await mine(1)
  chain = createPaymentChain({ rpcUrl: proxy.url, log: quietLog, patience: { pausesMs: [1, 1] } })
  began = await chain.head('latest')
  epoch++
})
afterEach(() => chain.close())

const mine = (blocks: number) => anvil.clients.node.mine({ blocks, interval: 2 })
const request = (method: string, params: unknown[]) =>
  anvil.clients.node.request({ method: method as never, params: params as never })
const transfer = (micro: bigint): Promise<Hex> =>
  anvil.send(
    anvil.buyers[1]!,
    anvil.usdc,
    encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [anvil.receiver, micro] }),
  )
const view = () =>
  createLedgerView({
    redis: book.redis,
    ledger: book.ledger,
    chainId: 8453,
    intents: createIntentLedger(book.redis),
  })
const asked = () => ({ chainId: 8453, asset: USDC, receivers: [lower(anvil.receiver)], partBlocks: PART })
/** A worker of its own, as after a restart. */
const join = async (mark = `e${epoch}`, kept = async () => {}) => {
  const { timeMs } = await chain.head('latest')
  return createJoin({
    chain,
    ledger: view(),
    asked: asked(),
    now: () => timeMs,
    progressOf: (of) => {
      const { after, keep } = createProgress(book.redis, 'usdc_base', 'joined', of)
      return { after, keep: (...block) => keep(...block).then(kept) }
    },
  })({ epoch: mark, beat: began.timeMs, ended: false })
}
const rangeOf = ([filter]: unknown[]) => {
  const { fromBlock, toBlock } = filter as { fromBlock: Hex; toBlock: Hex }
  return { from: BigInt(fromBlock), to: BigInt(toBlock) }
}
/** Treats requests for logs by their range. @returns the lowest block that has been asked for. */
function onLogs(treatment: (range: { from: bigint; to: bigint }) => Treatment | Promise<Treatment>) {
  const seen = { lowest: null as bigint | null }
  proxy.treat(({ method, params }) => {
    if (method !== 'eth_getLogs') return 'pass'
    const range = rangeOf(params)
    if (seen.lowest === null || range.from < seen.lowest) seen.lowest = range.from
    return treatment(range)
  })
  return seen
}
const unavailable = { code: 'chain_unavailable' }
const refused = rpcError(-32602, 'not now')
const PART = 20n //  blocks
const LONG = 70 //   more than a part

describe('DATA-03 a join that comes to no end opens nothing, and goes on where it was', () => {
  test('a node that limits calls: one attempt is enough', async () => {
    await mine(LONG)
    let calls = 0
    proxy.treat(() => (++calls % 5 === 0 ? { status: 429, body: '' } : 'pass'))
    await expect(join()).resolves.toBeNull()
    expect(calls).toBeGreaterThan(10)
  })

  test('a node that fails in the middle: a new process asks only for what is left, under the same mark', async () => {
    await mine(LONG)
    const half = began.number + BigInt(LONG) - 30n
    onLogs(({ to }) => (to >= half ? refused : 'pass'))
    await expect(join()).rejects.toMatchObject(unavailable)
    const again = onLogs(() => 'pass')
    await expect(join()).resolves.toBeNull()
    expect(again.lowest).toBeGreaterThan(began.number + PART)
    const other = onLogs(() => 'pass')
    await expect(join(`other${epoch}`)).resolves.toBeNull()
    expect(other.lowest).toBeLessThanOrEqual(began.number)
  })

  test.each(['no JSON', '{"mark":7}', '{"mark":"m","from":"x","until":"1","hash":"0x"}'])(
    'progress that nobody can read is none: %s',
    async (text) => {
      await book.redis.set('books:usdc_base:joined', text)
      await mine(LONG)
      const seen = onLogs(() => 'pass')
      await expect(join()).resolves.toBeNull()
      expect(seen.lowest).toBeLessThanOrEqual(began.number)
    },
  )

  test('a loss in the first part is told, and is told again by whoever starts anew', async () => {
    await transfer(10_000n)
    await mine(LONG)
    const words = /does not know 1 transfers of 0\.01 USDC from block \d+ to \d+/
    await expect(join()).resolves.toMatch(words)
    await expect(join()).resolves.toMatch(words)
  })

  test('a loss in the last part is told', async () => {
    await mine(LONG)
    await transfer(10_000n)
    await expect(join()).resolves.toMatch(/does not know 1 transfers/)
  })
})

describe('CHN-04 a part is not taken for complete', () => {
  test('when what was joined before is replaced: all of it is joined again', async () => {
    const was = await request('evm_snapshot', [])
    await mine(LONG)
    const half = began.number + BigInt(LONG) - 30n
    onLogs(({ to }) => (to >= half ? refused : 'pass'))
    await expect(join()).rejects.toMatchObject(unavailable)
    await request('evm_revert', [was])
    await transfer(10_000n)
    await mine(LONG)
    onLogs(() => 'pass')
    await expect(join()).resolves.toMatch(/does not know 1 transfers/)
  })

  test.each([
    ['its own blocks', 1n],
    ['those before it', 30n],
  ])('when %s are replaced while it is read', async (_, above) => {
    const was = await request('evm_snapshot', [])
    await mine(LONG)
    let isReplaced = false
    onLogs(async ({ from }): Promise<Treatment> => {
      if (from < began.number + above || isReplaced) return 'pass'
      isReplaced = true
      await request('evm_revert', [was])
      await transfer(10_000n)
      await mine(LONG)
      return 'pass'
    })
    await expect(join()).rejects.toMatchObject(unavailable)
    expect(isReplaced).toBe(true)
    await expect(join()).resolves.toMatch(/does not know 1 transfers/)
  })

  test('when the blocks before it are replaced before it is read', async () => {
    const was = await request('evm_snapshot', [])
    await mine(LONG)
    let isReplaced = false
    const replace = async () => {
      if (isReplaced) return
      isReplaced = true
      await request('evm_revert', [was])
      await transfer(10_000n)
      await mine(LONG)
    }
    await expect(join(undefined, replace)).rejects.toMatchObject(unavailable)
    await expect(join()).resolves.toMatch(/does not know 1 transfers/)
  })

  test('by a node that falls behind while it is read', async () => {
    await mine(10)
    await transfer(10_000n)
    onLogs(() => {
      lagging.lag(3)
      return 'pass'
    })
    await expect(join()).rejects.toMatchObject(unavailable)
    lagging.lag(0)
    proxy.treat(() => 'pass')
    await expect(join()).resolves.toMatch(/does not know 1 transfers/)
  })

  test('a transaction whose receipt is missing is not taken for an ordinary transfer', async () => {
    await expect(chain.authorizationOf(USDC, `0x${'0d'.repeat(32)}`, 0)).rejects.toMatchObject(unavailable)
  })
})

describe('the parts of a range', () => {
  /** A chain whose parts end after each block with a transfer. */
  const inSmallParts = (rpc = createRpc(proxy.url)) => {
    const arriving = { places: createLogPlaces(), span: createSpan() }
    const arrivals: ClosableChain['arrivals'] = (asset, receivers, from, until) =>
      readInflows(rpc, arriving, { asset, receivers, from, until, enough: 1 })
    return Object.assign(Object.create(chain), { arrivals }) as ClosableChain
  }
  async function parts(of: ClosableChain, change = {}): Promise<Part[]> {
    const { number: until, timeMs: nowMs } = await chain.head('latest')
    const found: Part[] = []
    for await (const part of joinBooks(
      { ...asked(), from: began.number, until, ...change },
      { chain: of, ledger: view(), nowMs },
    ))
      found.push(part)
    return found
  }
  const sale = (tx: Hex, attestationId: string, atMs: number, writtenMs = atMs) =>
    book.redis.xadd(
      KEYS.sales,
      `${writtenMs}-*`,
      'sale',
      JSON.stringify({
        atMs,
        rail: 'usdc_base',
        purchasePath: 'x402',
        attestationId,
        payer: '0xbb',
        tx,
        logIndex: 0,
        amountMicroUsdc: '10000',
      }),
    )

  test('follow each other without a gap, hold no more than is enough, and find what one look would', async () => {
    for (let micro = 1n; micro <= 3n; micro++) {
      await transfer(micro)
      await mine(70) //  more blocks than the first request asks for
    }
    const found = await parts(inSmallParts(), { partBlocks: 1_000n })
    expect(found.length).toBeGreaterThan(2)
    expect(found[0]!.from).toBe(began.number)
    for (const [at, { until, end }] of found.slice(0, -1).entries())
      expect([found[at + 1]!.from, end.number]).toEqual([until + 1n, until])
    expect(found.at(-1)!.until).toBe((await chain.head('latest')).number)
    const sums = found.flatMap(({ unexplained }) => unexplained.map(({ microUsdc }) => microUsdc))
    expect(sums).toEqual([1n, 2n, 3n])
    const [whole] = await parts(chain, { partBlocks: 1_000n })
    expect(whole!.unexplained).toEqual(found.flatMap(({ unexplained }) => unexplained))
  })

  test('I3 a sale is looked at once, in whichever part its transfer is; one whose money is gone is named once', async () => {
    const txs = [await transfer(10_000n)]
    await mine(70)
    txs.push(await transfer(10_000n))
    await mine(70)
    const middle = (await chain.blockAt(began.number + 71n))!
    for (const [index, tx] of txs.entries()) await sale(tx, `there${index}`, middle.timeMs)
    await sale(`0x${'0d'.repeat(32)}`, 'gone', middle.timeMs)
    await sale(`0x${'0e'.repeat(32)}`, 'reversed', middle.timeMs)
    await book.redis.set(KEYS.revoked('reversed'), String(middle.timeMs))
    const laterMs = (await chain.head('latest')).timeMs + 60_000
    await sale(`0x${'0f'.repeat(32)}`, 'gone, and answered late', middle.timeMs, laterMs)
    const found = (await parts(inSmallParts())).flatMap(({ unexplained }) => unexplained)
    expect(found.flatMap((entry) => (entry.why === 'not_on_chain' ? [entry.receipt] : []))).toEqual([
      'gone',
      'gone, and answered late',
    ])
  })

  test('I3 whatever instant it was written down at: between two parts, or by a clock that is behind that of the blocks', async () => {
    await transfer(10_000n)
    await mine(70)
    const [{ end }] = (await parts(inSmallParts())) as [Part]
    expect(end.number).toBeLessThan((await chain.head('latest')).number)
    const written = [
      began.timeMs - HOUR + MINUTE,
      end.timeMs - 1,
      end.timeMs,
      end.timeMs + 1,
      end.timeMs + 999,
    ]
    for (const [at, ms] of written.entries())
      await sale(`0x${String(at).padStart(64, '0')}`, `gone ${at}`, began.timeMs, ms)
    const found = (await parts(inSmallParts())).flatMap(({ unexplained }) => unexplained)
    const gone = found.flatMap((entry) => (entry.why === 'not_on_chain' ? [entry.receipt] : []))
    expect(gone.sort()).toEqual(written.map((_, at) => `gone ${at}`))
  })
})
