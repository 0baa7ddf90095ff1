import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createFinalityLedger } from '../../../api/ledger/finality.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { authorizationKey, transferKey } from '../../../api/ledger/ledger.ts'
import { type ClosableChain, createPaymentChain } from '../../../api/settlement/chain.ts'
import { locate } from '../../../api/settlement/locate.ts'
import type { Settled } from '../../../api/settlement/port.ts'
import { createFinalityWatch, type FinalityCounts } from '../../../api/worker/watchFinality.ts'
import { SECOND } from '../../../ops/units.ts'
import { pay, transferCall } from '../../api/settlement/payer.ts'
import { lower, USDC } from '../../api/settlement/vectors.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { startLaggingNode } from '../../support/laggingNode.ts'
import { openLedger, quietLog, someTerms } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

/** CHN-04, I4: sales are watched through a node that lags behind the one that showed them. */
let anvil: TestChain
let node: Awaited<ReturnType<typeof startLaggingNode>>
let chain: ClosableChain
let redis: TestRedis
let book: ReturnType<typeof openLedger>
let watch: ReturnType<typeof createFinalityWatch>
beforeAll(async () => {
  ;[anvil, redis] = await Promise.all([
    startTestChain({ buyers: 2, history: true }),
    startRedis({ appendfsync: 'always' }),
  ])
  node = await startLaggingNode(anvil.rpcUrl)
  chain = createPaymentChain({ rpcUrl: node.rpcUrl, log: quietLog })
  book = openLedger(redis.url)
})
afterAll(async () => {
  book?.close()
  await chain?.close()
  await node?.stop()
  await Promise.all([anvil?.stop(), redis?.stop()])
})
beforeEach(async () => {
  node.lag(0)
  await book.redis.del(KEYS.claims.unfinal)
  await mine(5)
  watch = createFinalityWatch({
    finality: createFinalityLedger(book.redis),
    chain,
    chainId: 8453,
    finalBlocks: 64,
    log: quietLog,
    answers: { secret: Buffer.alloc(32, 7), mode: 'sandbox' },
  })
})

const mine = (blocks: number) => anvil.clients.node.mine({ blocks })
const request = (method: string, params: unknown[]) =>
  anvil.clients.node.request({ method: method as never, params: params as never })

const KINDS = ['auth', 'tx'] as const
/** A sale in the newest block; `drop` takes the chain back to before it. */
async function sale(kind: (typeof KINDS)[number], answered: boolean) {
  const payment = await pay(anvil.buyers[0]!, anvil.receiver)
  const { from, value, nonce } = payment.authorization
  const terms = someTerms({ payer: from, asset: USDC, payTo: lower(anvil.receiver), amountMicroUsdc: value })
  if (kind === 'auth') await book.ledger.claim(authorizationKey(payment), 'o', terms, payment)
  const chainWas = await request('evm_snapshot', [])
  const tx = await anvil.send(anvil.buyers[1]!, anvil.usdc, transferCall(payment))
  const { logIndex, blockNumber, blockMs } = (await chain.fateIn(USDC, from, nonce, tx))!
  const settled: Settled = { tx, logIndex, blockNumber, blockMs }
  const key = kind === 'auth' ? authorizationKey(payment) : transferKey(8453, tx, logIndex)
  const outcome =
    kind === 'auth'
      ? await book.ledger.recordSettled(key, settled, 8453)
      : await book.ledger.claimTransfer(key, { ...terms, via: 'transfer' }, settled, 8453)
  expect(['recorded', 'won']).toContain(outcome)
  if (answered)
    await book.ledger.deliver(key, {
      body: '{"ok":true}',
      paymentResponse: 'p',
      attestationId: `a-${key}`,
      attestation: '{}',
      sale: {} as never,
      grant: null,
    })
  return { key, settled, drop: () => request('evm_revert', [chainWas]) }
}
async function passes(...atMs: number[]): Promise<FinalityCounts> {
  const sum: Partial<FinalityCounts> = {}
  for (const ms of atMs)
    for (const [name, count] of Object.entries(await watch(Date.now() + ms)) as [
      keyof FinalityCounts,
      number,
    ][])
      sum[name] = (sum[name] ?? 0) + count
  return sum as FinalityCounts
}
const NOTHING = {
  final: 0,
  moved: 0,
  reopened: 0,
  forgotten: 0,
  suspended: 0,
  restored: 0,
  lost: 0,
  unsure: 0,
}

describe.each(KINDS)('of an %s claim', (kind) => {
  describe.each([true, false])('answered: %s', (answered) => {
    test('below its block nothing is said of it; at its block it is where it was', async () => {
      const { key, settled } = await sale(kind, answered)
      await passes(0)
      await mine(2)
      node.lag(4)
      expect(await passes(0, 31 * SECOND, 62 * SECOND)).toEqual(NOTHING)
      expect(await book.ledger.find(key)).toMatchObject({ state: 'settled', settled })
      expect(await book.redis.hexists(`claim:${key}`, 'missing')).toBe(0)
      node.lag(2)
      expect(await passes(100 * SECOND, 200 * SECOND)).toEqual(NOTHING)
      expect(await book.ledger.find(key)).toMatchObject({ state: 'settled', settled })
    })

    test('that is really gone: told as soon as the node has come to its block, and not before', async () => {
      const { drop } = await sale(kind, answered)
      await passes(0)
      await drop()
      expect(await passes(0, 31 * SECOND)).toEqual(NOTHING)
      await mine(1)
      const outcome = answered ? 'suspended' : kind === 'auth' ? 'reopened' : 'forgotten'
      expect(await passes(0, 31 * SECOND)).toEqual({ ...NOTHING, [outcome]: 1 })
    })
  })

  test('a node behind it does not say where it is, also not to who waits for confirmations', async () => {
    const claim = (await book.ledger.find((await sale(kind, false)).key))!
    const asked = { ...claim, settled: claim.settled! }
    expect(await locate(chain, asked)).toEqual(claim.settled)
    node.lag(1)
    await expect(locate(chain, asked)).rejects.toMatchObject({ code: 'chain_unavailable' })
  })
})
