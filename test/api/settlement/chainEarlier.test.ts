import { type Hex, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ClosableChain, createPaymentChain } from '../../../api/settlement/chain.ts'
import { locate } from '../../../api/settlement/locate.ts'
import { DAY, HOUR, SECOND } from '../../../ops/units.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { quietLog } from './chainWorld.ts'
import { pay, transferCall } from './payer.ts'
import { type RpcProxy, rpcError, startRpcProxy, type Treatment } from './rpcProxy.ts'
import { USDC } from './vectors.ts'

/** A node may lack the logs of this many newest blocks, although it has their state. */
const LOGS_BEHIND = 60

let anvil: TestChain
let proxy: RpcProxy
let chain: ClosableChain
beforeAll(async () => {
  anvil = await startTestChain({ buyers: 2, history: true })
  proxy = await startRpcProxy(anvil.rpcUrl)
  chain = createPaymentChain({ rpcUrl: proxy.url, log: quietLog })
})
afterAll(async () => {
  await chain?.close()
  await proxy?.close()
  await anvil?.stop()
})

const LATER_S = 5 * 3_600
const newestMs = async () => Number((await anvil.clients.reads.getBlock()).timestamp) * SECOND
/** A payment that somebody has submitted. */
async function used() {
  proxy.treat(() => 'pass')
  const payment = await pay(anvil.buyers[0]!, anvil.receiver, { validBefore: 4_000_000_000n })
  const tx = await anvil.send(anvil.buyers[1]!, anvil.usdc, transferCall(payment))
  const { from, nonce } = payment.authorization
  const ask = async (sinceMs: number) => await chain.fate(USDC, from, nonce, sinceMs)
  return { payment, tx, usedMs: await newestMs(), ask }
}
/** The same, and then this many blocks; the first of them comes five hours later. */
async function usedBefore(blocks: number) {
  const one = await used()
  await anvil.clients.node.increaseTime({ seconds: LATER_S })
  await anvil.clients.node.mine({ blocks, interval: 2 })
  return one
}
const answer = (result: unknown): Treatment => ({
  status: 200,
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, result }),
})
/** Makes the node answer for states, but without the latest logs. */
const withoutLogs = (byHash: Treatment) =>
  proxy.treat(({ method, params: [filter] }) => {
    if (method !== 'eth_getLogs') return 'pass'
    return 'blockHash' in (filter as object) ? byHash : answer([])
  })

/** As on a chain that is weeks old: this many blocks come before ours. The latest logs are missing here too. */
const BEFORE = 1_000_000n
const onOlderChain = () =>
  proxy.treat(async ({ method, params }) => {
    if (method === 'eth_getLogs') return answer([])
    const own = params.map((one) =>
      typeof one === 'string' && /^0x[0-9a-f]{1,16}$/.test(one) ? toHex(BigInt(one) - BEFORE) : one,
    )
    const result = await anvil.clients.node.request({ method, params: own } as never)
    if (method !== 'eth_getBlockByNumber') return answer(result)
    const block = result as { number: Hex }
    return answer({ ...block, number: toHex(BigInt(block.number) + BEFORE) })
  })

describe('CHN-04, I9: "used, and not since then" is only said when the logs prove it', () => {
  test('a use is looked for from two hours before the time that is asked from on, to the block: what is older was earlier', async () => {
    const { tx, usedMs, ask } = await used()
    await anvil.clients.node.setBlockTimestampInterval({ interval: 2 })
    await anvil.clients.node.mine({ blocks: LOGS_BEHIND + 1 })
    await anvil.clients.node.removeBlockTimestampInterval()
    expect(await ask(usedMs + 2 * HOUR)).toMatchObject({ kind: 'used', tx })
    const blockMs = usedMs + 2 * (LOGS_BEHIND + 1) * SECOND
    expect(await ask(usedMs + 2 * HOUR + 2 * SECOND)).toMatchObject({ kind: 'earlier', blockMs })
  })

  test.each([
    ['from its use on', 2 * HOUR, 'earlier'],
    ['from longer ago than is looked back', -8 * DAY, 'chain_unavailable'],
  ])('asked %s, on a chain that is older: %s from now, %s', async (_, fromNowMs, outcome) => {
    const { ask } = await usedBefore(LOGS_BEHIND)
    onOlderChain()
    const said = await ask((await newestMs()) + fromNowMs).then(
      ({ kind }) => kind,
      (error: { code: string }) => error.code,
    )
    expect(said).toBe(outcome)
  })

  test.each([
    [LOGS_BEHIND - 1, 'chain_unavailable'],
    [LOGS_BEHIND, 'earlier'],
  ])('%d blocks after the use, without a log of it: %s', async (blocks, outcome) => {
    const { ask } = await usedBefore(blocks)
    withoutLogs(answer([]))
    const said = await ask((await newestMs()) + HOUR).then(
      ({ kind }) => kind,
      (error: { code: string }) => error.code,
    )
    expect(said).toBe(outcome)
  })

  test.each<[string, Treatment]>([
    ['does not know the block of two minutes ago', rpcError(-32000, 'unknown block')],
    ['is in trouble', rpcError(-32603, 'internal')],
    ['shows the use in that block, and hid it among others', 'pass'],
  ])('a node for logs that %s has not answered', async (_, byHash) => {
    const { ask } = await usedBefore(LOGS_BEHIND)
    withoutLogs(byHash)
    await expect(ask((await newestMs()) + HOUR)).rejects.toMatchObject({ code: 'chain_unavailable' })
  })

  test('a node that no longer keeps the state of two minutes ago has not answered', async () => {
    const { ask } = await usedBefore(LOGS_BEHIND)
    const head = await anvil.clients.reads.getBlockNumber()
    proxy.treat(({ method, params }) => {
      if (method === 'eth_getLogs') return answer([])
      const old = method === 'eth_call' && Number(params[1] as string) === Number(head) - LOGS_BEHIND
      return old ? rpcError(-32000, 'missing trie node') : 'pass'
    })
    await expect(ask(await newestMs())).rejects.toMatchObject({ code: 'chain_unavailable' })
  })

  test('CHN-03 of money that was settled it never says that it is gone', async () => {
    const { payment, tx, usedMs } = await usedBefore(LOGS_BEHIND)
    const { from, to, value, nonce } = payment.authorization
    const claim = {
      key: `auth:8453:${USDC}:${from}:${nonce}`,
      asset: USDC,
      payer: from,
      payTo: to,
      amountMicroUsdc: value,
      settled: { tx, logIndex: 1, blockNumber: 1n, blockMs: usedMs },
    }
    expect(await locate(chain, claim)).toMatchObject({ tx })
    const elsewhere: Hex = `0x${'12'.repeat(32)}`
    withoutLogs(answer([]))
    await expect(
      locate(chain, { ...claim, settled: { ...claim.settled, tx: elsewhere } }),
    ).rejects.toMatchObject({ code: 'chain_unavailable' })
  })
})
