import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coversTime } from '../../../api/rails/evm/covers.ts'
import { readNamed } from '../../../api/rails/evm/named.ts'
import { createEvmNetwork } from '../../../api/rails/evm/network.ts'
import { createPaymentChain } from '../../../api/settlement/chain.ts'
import { locate } from '../../../api/settlement/locate.ts'
import { transferLogs } from '../../../api/settlement/tokenLogs.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { quietLog } from '../../support/ledger.ts'
import { pay, transferCall } from './payer.ts'
import { type RpcCall, type RpcProxy, startRpcProxy } from './rpcProxy.ts'
import { lower, USDC } from './vectors.ts'

/** CHN-04: one of two nodes changes anything in its answers. */
let anvil: TestChain
let first: RpcProxy
let second: RpcProxy
beforeAll(async () => {
  anvil = await startTestChain({ buyers: 2, history: true })
  first = await startRpcProxy(anvil.rpcUrl)
  second = await startRpcProxy(anvil.rpcUrl)
})
afterAll(async () => {
  await Promise.all([first?.close(), second?.close()])
  await anvil?.stop()
})

type Fields = Record<string, unknown>
/** One change to every answer of a method. `other`: an honest answer to something else. */
type Lie = { method: string; name: string; tell(answer: unknown, other: unknown): unknown }

const METHODS = ['eth_getTransactionReceipt', 'eth_getBlockByNumber', 'eth_getLogs']
const FIELDS = ['blockHash', 'blockNumber', 'hash', 'number', 'status', 'timestamp', 'transactionHash']
const OF_LOGS = [
  'address',
  'blockHash',
  'blockNumber',
  'data',
  'logIndex',
  'removed',
  'topics',
  'transactionHash',
]
const VALUES = [null, '0x1', '0x7fffffff', `0x${'7'.repeat(64)}`, true, []]

const ofLogs = (answer: unknown, change: (logs: Fields[]) => unknown): unknown =>
  Array.isArray(answer)
    ? change(answer)
    : { ...(answer as Fields), logs: change((answer as { logs: Fields[] }).logs) }

const lies: Lie[] = METHODS.flatMap((method) => {
  const lie = (name: string, tell: Lie['tell']): Lie => ({ method, name, tell })
  const field = (name: string, value: unknown) =>
    lie(`${name}: ${value}`, (answer) => ({ ...(answer as Fields), [name]: value }))
  const log = (name: string, value: unknown) =>
    lie(`${name} of a log: ${value}`, (answer) =>
      ofLogs(answer, ([one, ...rest]) => [{ ...one, [name]: value }, ...rest]),
    )
  return [
    lie('nothing', () => null),
    lie('another one', (_, other) => other),
    ...(method === 'eth_getLogs' ? [] : FIELDS.flatMap((name) => VALUES.map((value) => field(name, value)))),
    ...(method === 'eth_getBlockByNumber'
      ? []
      : [
          ...OF_LOGS.flatMap((name) => VALUES.map((value) => log(name, value))),
          lie('a log less', (answer) => ofLogs(answer, (logs) => logs.slice(1))),
          lie('a log twice', (answer) => ofLogs(answer, (logs) => [...logs, logs[0]])),
          lie('a log more, that was given up', (answer) =>
            ofLogs(answer, (logs) => [{ ...logs[0], removed: true, logIndex: '0x0' }, ...logs]),
          ),
        ]),
  ]
})

async function honest(call: RpcCall): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...call })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(anvil.rpcUrl, { method: 'POST', headers, body })
  return ((await answer.json()) as { result: unknown }).result
}

/** Where the money of a payment is, through these nodes, by everything that decides about it. */
function openEyes(rpcUrl: string, { tx, number, timeMs, payment }: Awaited<ReturnType<typeof paid>>) {
  const chain = createPaymentChain({ rpcUrl, log: quietLog })
  const network = createEvmNetwork({ rpcUrl, chainId: 8453, log: quietLog })
  const { from, nonce, to } = payment.authorization
  const settled = { tx, logIndex: 1, blockNumber: number, blockMs: timeMs }
  const claim = { asset: USDC, payer: from, payTo: to, amountMicroUsdc: 10_000n, settled }
  const named = () =>
    readNamed(network, tx, async (_, { receipt, block }) => {
      const moved = transferLogs(receipt.logs, lower(USDC)).map(({ logIndex }) => logIndex)
      return [block.timeMs, ...moved] as never
    })
  return {
    ways: [
      () => locate(chain, { ...claim, key: `auth:8453:${USDC}:${from}:${nonce}` }),
      () => locate(chain, { ...claim, key: `tx:8453:${tx}:1` }),
      async () => {
        const found = await named()
        if (found !== 'unknown' || !(await coversTime(network, timeMs))) return found
        return (await named()) === 'unknown' ? 'gone' : found
      },
      () => chain.transfers(USDC, tx),
      () => chain.inflows(USDC, to, number, number),
    ],
    close: () => Promise.all([chain.close(), network.close()]),
  }
}

/** Not the first transaction of its block, so that its logs do not begin at 0. */
async function paid() {
  const { node, reads } = anvil.clients
  const payment = await pay(anvil.buyers[0]!, anvil.receiver)
  await node.setAutomine(false)
  const before = await pay(anvil.buyers[1]!, anvil.receiver)
  const sent = [anvil.send(anvil.accounts.owner, anvil.usdc, transferCall(before))]
  sent.push(anvil.send(anvil.buyers[1]!, anvil.usdc, transferCall(payment)))
  await expect.poll(async () => (await node.getTxpoolStatus()).pending).toBe(2)
  await node.setAutomine(true)
  await node.mine({ blocks: 1 })
  const [, tx] = await Promise.all(sent)
  const { blockNumber: number } = await reads.getTransactionReceipt({ hash: tx! })
  const { timestamp } = await reads.getBlock({ blockNumber: number })
  await node.mine({ blocks: 3 })
  return { tx: tx!, number, timeMs: Number(timestamp) * 1_000, payment }
}

const NOTHING_SAID = Symbol('outage')

describe.each([
  ['first', () => first],
  ['second', () => second],
])('the %s of them lies', (_, node) => {
  test.each(METHODS)('%s: nothing is believed of it, and no money is gone', async (method) => {
    const sale = await paid()
    const truth = openEyes(anvil.rpcUrl, sale)
    const told = await Promise.all(truth.ways.map((look) => look()))
    await truth.close()
    const other = await honest({ method: 'eth_getBlockByNumber', params: ['0x1', false] })
    const believed: string[] = []
    for (const { name, tell } of lies.filter((lie) => lie.method === method)) {
      node().treat(async (call) => {
        if (call.method !== method) return 'pass'
        const result = await honest(call)
        const body = { jsonrpc: '2.0', id: 1, result: result === null ? null : tell(result, other) }
        return { status: 200, body: JSON.stringify(body) }
      })
      const { ways, close } = openEyes(`${first.url},${second.url}`, sale)
      for (const [way, look] of ways.entries()) {
        const answer = await look().catch((error: unknown) => {
          expect(error).toMatchObject({ code: 'chain_unavailable' })
          return NOTHING_SAID
        })
        if (answer !== NOTHING_SAID && !isDeepStrictEqual(answer, told[way]))
          believed.push(`${name}, way ${way}`)
      }
      await close()
    }
    node().treat(() => 'pass')
    expect(believed).toEqual([])
  })
})
