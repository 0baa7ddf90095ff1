import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ClosableChain, createPaymentChain } from '../../../api/settlement/chain.ts'
import { startLaggingNode } from '../../support/laggingNode.ts'
import { quietLog } from '../../support/ledger.ts'
import { until } from '../../support/process.ts'
import { pay } from './payer.ts'
import { type RpcProxy, startRpcProxy } from './rpcProxy.ts'
import { settlerWorld } from './settlerWorld.ts'

/** CHN-04: our own settler with two nodes, of which the second one is always some blocks behind. */
const BEHIND = 5
const world = settlerWorld({ buyers: 1, history: true })
let first: RpcProxy
let lagging: Awaited<ReturnType<typeof startLaggingNode>>
let single: ClosableChain
let nodes: string
beforeAll(async () => {
  first = await startRpcProxy(world.anvil.rpcUrl)
  lagging = await startLaggingNode(world.anvil.rpcUrl)
  lagging.lag(BEHIND)
  nodes = `${first.url},${lagging.rpcUrl}`
  single = world.chain
  world.chain = createPaymentChain({ rpcUrl: nodes, log: quietLog })
})
afterAll(async () => {
  await world.chain?.close()
  world.chain = single
  await first?.close()
  await lagging?.stop()
})

/** What the first has mined is under way until the second has it as well: nothing replaces it, nothing leaves anew. */
test('one transaction, of one fee, is recorded once both have it', async () => {
  const rounds = async () => {
    const before = first.count('eth_getTransactionCount')
    await until('the settler has looked', () => first.count('eth_getTransactionCount') > before + 2)
  }
  await world.mine(BEHIND) //  the second one knows the settler's gas
  const settler = world.start(nodes)
  const { row, add } = world.ledger
  add('a', await pay(world.buyer(0), world.anvil.receiver))
  settler.wake()
  await world.broadcast()
  await until('the first has mined it', async () => (await world.settlerTxs()) === 1)
  for (let block = 1; block < BEHIND; block++) {
    await world.mine()
    await rounds()
    expect(row('a').settled).toBeNull()
  }
  await world.mine()
  await world.ledger.quiet()
  expect(row('a').settled).toMatchObject({ tx: row('a').txs[0] })
  expect([row('a').txs.length, await world.settlerTxs()]).toEqual([1, 1])
})
