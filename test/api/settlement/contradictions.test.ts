import { expect, test, vi } from 'vitest'
import { createRails } from '../../../api/rails/index.ts'
import { tellContradictions } from '../../../api/settlement/contradictions.ts'
import type { Rpc } from '../../../api/settlement/rpc.ts'
import { agreeing } from '../../../api/settlement/twoNodes.ts'
import { realClock } from '../../../ops/clock.ts'
import { loadConfig } from '../../../ops/config.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { quietLog } from '../../support/ledger.ts'
import { startRpcProxy } from './rpcProxy.ts'

const saying = (answer: () => unknown): Rpc => ({ call: async () => answer(), close: async () => {} })

test('CHN-04 every contradiction of two nodes is counted, from 0 on, and told once in a while', async () => {
  const metrics = createMetrics('test')
  const warn = vi.fn()
  const counted = async () =>
    /^chain_contradictions_total\{chain="(\d+)",\S* (\d+)$/m.exec(await metrics.registry.metrics())?.slice(1)
  const told = tellContradictions(metrics, { warn }, 8453)
  expect(await counted()).toEqual(['8453', '0'])

  let others = '0x1'
  const nodes = agreeing(
    saying(() => '0x2105'),
    saying(() => others),
    told,
  )
  for (let time = 0; time < 3; time++)
    await expect(nodes.call('eth_chainId', [])).rejects.toMatchObject({ code: 'chain_unavailable' })
  expect(await counted()).toEqual(['8453', '3'])
  expect(warn.mock.calls).toEqual([
    [{ chainId: 8453, method: 'eth_chainId' }, 'the two nodes contradict each other'],
  ])

  others = '0x2105'
  await nodes.call('eth_chainId', [])
  expect(await counted()).toEqual(['8453', '3'])
  tellContradictions(metrics, { warn }, 8453)('eth_call') //  another part of the process, on the same chain
  expect(await counted()).toEqual(['8453', '4'])
})

test('CHN-04 those of the nodes of a rail are counted for its chain', async () => {
  const metrics = createMetrics('test')
  const servers = await Promise.all([1, 2].map(() => startRpcProxy('http://127.0.0.1:9')))
  servers.forEach((server, at) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result: `0x${at}` })
    server.treat(() => ({ status: 200, body }))
  })
  const config = loadConfig(
    {
      RECEIVER_ADDRESS: `0x${'42'.repeat(20)}`,
      POLYGON_RECEIVER: `0x${'42'.repeat(20)}`,
      POLYGON_RPC_URL: servers.map(({ url }) => url).join(','),
    },
    'script',
  )
  const { find, close } = createRails({ config, clock: realClock, log: quietLog, metrics })
  await expect(find('usdc_polygon')!.covers(Date.now())).rejects.toMatchObject({ code: 'chain_unavailable' })
  expect(await metrics.registry.metrics()).toMatch(/^chain_contradictions_total\{chain="137",\S* [1-9]/m)
  await close()
  await Promise.all(servers.map((server) => server.close()))
})
