import { describe, expect, test } from 'vitest'
import type { Handler, HttpRequest } from '../../api/http/exchange.ts'
import type { Route } from '../../api/http/router.ts'
import { measured } from '../../api/measured.ts'
import { createMetrics } from '../../ops/metrics.ts'

const reply = (status: number) => ({ status, headers: [], body: '' })
const routes = [{ path: '/a' }, { path: '/b/*' }] as unknown as Route[]

describe('OPS-09 answers are counted by route and status, never by a path of the caller', () => {
  test('each once, however often they are read', async () => {
    const metrics = createMetrics('api')
    const answer: Handler = ({ path, method }) =>
      method === 'LATER' ? Promise.resolve(reply(201)) : reply(path === '/a' ? 200 : 404)
    const handler = measured(answer, routes, metrics)
    const ask = (path: string, method = 'GET') => handler({ path, method } as HttpRequest)
    const counted = async () => {
      const text = await metrics.registry.getSingleMetricAsString('http_answers_total')
      return text.split('\n').filter((line) => !line.startsWith('#'))
    }
    expect(await counted()).toEqual([])
    ask('/a')
    ask('/a')
    ask('/b/anything')
    ask('/nobody/knows/this')
    await ask('/a', 'LATER')
    const expected = [
      'http_answers_total{route="/a",status="200",role="api"} 2',
      'http_answers_total{route="/a",status="201",role="api"} 1',
      'http_answers_total{route="/b/*",status="404",role="api"} 1',
      'http_answers_total{route="other",status="404",role="api"} 1',
    ]
    expect((await counted()).toSorted()).toEqual(expected)
    expect((await counted()).toSorted()).toEqual(expected)
    ask('/a')
    expect((await counted()).toSorted()[0]).toBe('http_answers_total{route="/a",status="200",role="api"} 3')
  })
})
