import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Rail, RailTransfer } from '../../../api/rails/rail.ts'
import { newAddress, type Transaction, transfer } from '../../../ops/sandbox/solana/transaction.ts'
import { type RailWorld, startRailWorld } from '../../support/railWorld.ts'
import { type RpcProxy, startRpcProxy } from '../settlement/rpcProxy.ts'
import { liesAbout } from './lies.ts'

let world: RailWorld
let proxy: RpcProxy
let sol: Rail
beforeAll(async () => {
  world = await startRailWorld()
  proxy = await startRpcProxy(world.env.SOLANA_RPC_URL!)
  sol = world.rails({ SOLANA_RPC_URL: proxy.url }).find('sol')!
})
afterAll(async () => {
  await proxy?.close()
  await world?.stop()
})

/** None of them says that nothing was paid. */
const NOT_TOLD = /^(chain_unavailable|unknown)$/

const us = () => world.receivers.solana.address
const alternate = () => world.receivers.solanaAlternate.address
const paid = (to: string): Transaction =>
  transfer({ to, lamports: 1_000_000, nowMs: Date.now(), slot: world.cluster.slot() })
function withWhale(): Transaction {
  const truth = paid(us())
  truth.meta.preBalances[2] = 2 ** 58 + 64
  truth.meta.postBalances[2] = 2 ** 58 + 64
  return truth
}

/** What we see of a transaction while the node answers `said` to each question for it. */
async function seen(tx: string, said: unknown): Promise<RailTransfer[] | string> {
  proxy.treat(() => ({ status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: said }) }))
  return await sol.byHash(tx).catch((error: { code?: string }) => error.code ?? String(error))
}

describe('CHN-04, RAIL-06: a node that says one value otherwise than it is', () => {
  test.each([
    ['an ordinary transfer', () => paid(us()), 0],
    ['beside an account of more than 2^53, to the lamports that JSON rounds', withWhale, 128],
  ])('%s: worth as much as it is, or an outage, never nothing and never more', async (_, make, rounded) => {
    const truth = make()
    const tx = truth.transaction.signatures[0]!
    let lies = 0
    for (const { name, said } of liesAbout(truth, [us(), alternate()])) {
      const found = await seen(tx, said)
      lies++
      //  whom it names instead is for its signature to say, which is not looked at
      if (name.startsWith('transaction.message.accountKeys.1: ') && Array.isArray(found)) continue
      if (typeof found === 'string') expect([name, found]).toEqual([name, expect.stringMatching(NOT_TOLD)])
      else {
        expect([name, found]).toMatchObject([name, [{ to: us() }]])
        expect([name, Math.abs(Number(found[0]!.atomic) - 1_000_000) <= rounded]).toEqual([name, true])
      }
    }
    expect(lies).toBeGreaterThan(700)
    proxy.treat(() => 'pass')
    await world.cluster.add(truth)
    expect(await sol.byHash(tx)).toMatchObject([{ atomic: 1_000_000n }])
  })
})

describe('CHN-04 discovery: what a node once showed otherwise is found when it shows it as it is', () => {
  test.each<[string, (truth: Transaction) => void]>([
    ['another transaction', (truth) => Object.assign(truth, paid(us()))],
    ['to somebody else', ({ transaction }) => transaction.message.accountKeys.splice(1, 1, newAddress())],
    ['less', ({ meta }) => meta.postBalances.splice(1, 1, 999_999)],
    ['nothing', ({ meta }) => meta.postBalances.splice(1, 1, 0)],
    ['failed', ({ meta }) => Object.assign(meta, { err: {} })],
  ])('%s', async (_, lie) => {
    const truth = paid(us())
    const tx = await world.cluster.add(truth)
    const said = structuredClone(truth)
    lie(said)
    const mine = world.rails({ SOLANA_RPC_URL: proxy.url }).find('sol')!
    proxy.treat(({ method, params }) =>
      method === 'getTransaction' && params[0] === tx
        ? { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: said }) }
        : 'pass',
    )
    await expect(mine.since(Date.now() - 60_000)).rejects.toMatchObject({ code: 'chain_unavailable' })
    proxy.treat(() => 'pass')
    const found = (await mine.since(Date.now() - 60_000)).filter((one) => one.tx === tx)
    expect(found).toMatchObject([{ atomic: 1_000_000n, to: us() }])
  })
})
