import { describe, expect, test, vi } from 'vitest'
import { tellFaults } from '../../../engine/stages/tellFaults.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { marketA } from '../support/markets.ts'

describe('a fault of pairing is counted each time and logged once in ten seconds', () => {
  test('by the market and the reason, never by its text', async () => {
    const [clock, error] = [vi.spyOn(performance, 'now').mockReturnValue(1_000), vi.fn()]
    const metrics = createMetrics('test')
    const faults = metrics.counter('engine_pairing_faults_total', 'help')
    const tell = tellFaults({ error }, faults)
    const fail = (id: string) => tell(marketA(id, 'Will Ann Bell visit Chile?'), new TypeError('no text'))
    fail('1')
    fail('2')
    clock.mockReturnValue(10_999)
    fail('3')
    expect(error.mock.calls).toEqual([
      [
        { venue: 'a', marketId: '1', reason: 'TypeError: no text' },
        'a market cannot be paired, by a fault of ours',
      ],
    ])
    clock.mockReturnValue(11_000)
    fail('4')
    expect(error.mock.calls.map(([{ marketId }]) => marketId)).toEqual(['1', '4'])
    expect(await metrics.registry.getSingleMetricAsString('engine_pairing_faults_total')).toMatch(/ 4$/)
    clock.mockRestore()
  })
})
