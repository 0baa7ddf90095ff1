import { expect, test, vi } from 'vitest'
import { tellContradictions } from '../../../api/settlement/contradictions.ts'
import type { Rpc } from '../../../api/settlement/rpc.ts'
import { agreeing } from '../../../api/settlement/twoNodes.ts'
import { createMetrics } from '../../../ops/metrics.ts'

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
