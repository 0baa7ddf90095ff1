import { expect, test } from 'vitest'
import { createMetrics } from '../../ops/metrics.ts'

test('labels with their values: every series is there before anything has happened', async () => {
  const metrics = createMetrics('test')
  const counter = metrics.counter('a_total', 'a', { one: ['x', 'y'], two: ['z'] })
  metrics.gauge('b', 'b', { one: ['x'] })
  metrics.counter('c_total', 'c', ['one'])
  metrics.counter('d_total', 'd')
  const series = async () =>
    (await metrics.registry.metrics()).split('\n').filter((line) => /^[abcd](_total)?[{ ]/.test(line))
  expect(await series()).toEqual([
    'a_total{one="x",two="z",role="test"} 0',
    'a_total{one="y",two="z",role="test"} 0',
    'b{one="x",role="test"} 0',
    'd_total{role="test"} 0',
  ])
  counter.inc({ one: 'y', two: 'z' })
  expect((await series())[1]).toBe('a_total{one="y",two="z",role="test"} 1')
})
