import { describe, expect, test } from 'vitest'
import { ClientGone, type Handler, type HttpRequest } from '../../api/http/exchange.ts'
import type { Route } from '../../api/http/router.ts'
import { serveHttp } from '../../api/http/server.ts'
import { measured } from '../../api/measured.ts'
import { createLog } from '../../ops/log.ts'
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
      return text.split('\n').filter((line) => !line.startsWith('#') && !line.endsWith(' 0'))
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

describe('what ends with 500 is counted, though it is the server that says so', () => {
  test('each route from the start at 0; a handler that throws, at once or later; not a client that left', async () => {
    const metrics = createMetrics('api')
    const faults: Record<string, Handler> = {
      '/at-once': () => {
        throw new Error('a fault of ours')
      },
      '/later': async () => {
        throw new Error('a fault of ours')
      },
      '/left': async () => {
        throw new ClientGone()
      },
      '/fine': () => reply(200),
    }
    const faulty = Object.keys(faults).map((path) => ({ path })) as unknown as Route[]
    const handler = measured((request) => faults[request.path]!(request), faulty, metrics)
    const log = createLog('test', 'silent')
    const server = await serveHttp({ host: '127.0.0.1', port: 0, handler, log })
    const counted = async () => {
      const text = await metrics.registry.getSingleMetricAsString('http_answers_total')
      const found = text.matchAll(/route="([^"]+)",status="500"[^}]*\} (\d+)/g)
      return Object.fromEntries([...found].map(([, route, count]) => [route, Number(count)]))
    }
    const none = { '/at-once': 0, '/later': 0, '/left': 0, '/fine': 0, other: 0 }
    expect(await counted()).toEqual(none)
    for (const path of ['/at-once', '/later', '/later', '/left'])
      expect((await fetch(`http://127.0.0.1:${server.port}${path}`)).status).toBe(500)
    await fetch(`http://127.0.0.1:${server.port}/fine`)
    expect(await counted()).toEqual({ ...none, '/at-once': 1, '/later': 2 })
    await server.close()
  })
})
