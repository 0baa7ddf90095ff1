import type { ServerResponse } from 'node:http'
import type { Queue } from 'bullmq'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Check, type OperatorServer, serveOperator } from '../../ops/health.ts'
import { createMetrics } from '../../ops/metrics.ts'

let server: OperatorServer | null = null
afterEach(() => server?.close())

const ask = async (checks: Check[]) => {
  server = await serveOperator({ host: '127.0.0.1', port: 0, metrics: createMetrics('test'), checks })
  const base = `http://127.0.0.1:${server.port}`
  const ready = await fetch(`${base}/readyz`)
  const text = await (await fetch(`${base}/metrics`)).text()
  return {
    status: ready.status,
    body: await ready.json(),
    notReady: text.split('\n').filter((line) => line.startsWith('not_ready{')),
  }
}

describe('/readyz and not_ready say the same', () => {
  test('what is fine is there too, so that an alert has something to compare', async () => {
    expect(await ask([{ name: 'fence', problem: () => null }])).toEqual({
      status: 200,
      body: { ok: true, checks: [{ name: 'fence', problem: null }] },
      notReady: ['not_ready{check="fence",role="test"} 0'],
    })
  })

  test.each<[string, Check['problem'], RegExp]>([
    ['a problem', () => 'the ledger is empty', /^the ledger is empty$/],
    ['one that comes later', async () => 'the chain is away', /^the chain is away$/],
    ['a check that throws', () => Promise.reject(new Error('no store')), /no store/],
    ['a check that throws at once', () => raise('no store'), /no store/],
    ['a check that never answers', () => new Promise(() => {}), /^no answer within/],
  ])('%s is 503, and only it is', async (_, problem, words) => {
    const { status, body, notReady } = await ask([
      { name: 'good', problem: () => null },
      { name: 'bad', problem },
    ])
    expect(status).toBe(503)
    expect(body).toEqual({
      ok: false,
      checks: [
        { name: 'good', problem: null },
        { name: 'bad', problem: expect.stringMatching(words) },
      ],
    })
    expect(notReady).toEqual([
      'not_ready{check="good",role="test"} 0',
      'not_ready{check="bad",role="test"} 1',
    ])
  })
})

test.each([
  ['/healthz', 'fine', 200],
  ['/readyz', 'fine', 200],
  ['/readyz', 'a problem', 503],
  ['/metrics', 'fine', 200],
  ['/nothing', 'fine', 404],
])('HEAD %s, %s: the status and headers of its GET, no body', async (path, how, status) => {
  const problem = () => (how === 'fine' ? null : how)
  const checks = [{ name: 'one', problem }]
  server = await serveOperator({ host: '127.0.0.1', port: 0, metrics: createMetrics('test'), checks })
  const [head, get] = await Promise.all(
    ['HEAD', 'GET'].map((method) => fetch(`http://127.0.0.1:${server!.port}${path}`, { method })),
  )
  expect([head!.status, get!.status]).toEqual([status, status])
  expect(head!.headers.get('content-type')).toBe(get!.headers.get('content-type'))
  expect(await head!.text()).toBe('')
  expect(await get!.text()).not.toBe('')
})

test.each(['/healthz', '/readyz', '/metrics', '/queues'])(
  'POST %s: refused, only GET and HEAD are answered',
  async (path) => {
    server = await serveOperator({ host: '127.0.0.1', port: 0, metrics: createMetrics('test'), checks: [] })
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { method: 'POST' })
    expect(answer.status).toBe(405)
  },
)

test('a board that could not be loaded, say because no file could be opened, is loaded at the next look', async () => {
  const queues = [{}] as Queue[]
  const checks: Check[] = []
  const createQueueBoard = () => (_: unknown, response: ServerResponse) => response.end('board')
  vi.doMock('../../ops/queueBoard.ts', () => Promise.reject(new Error('EMFILE')))
  server = await serveOperator({ host: '127.0.0.1', port: 0, metrics: createMetrics('test'), checks, queues })
  const look = () => fetch(`http://127.0.0.1:${server!.port}/queues`)
  expect((await look()).status).toBe(500)
  vi.doMock('../../ops/queueBoard.ts', () => ({ createQueueBoard }))
  expect(await (await look()).text()).toBe('board')
  vi.doUnmock('../../ops/queueBoard.ts')
})

function raise(words: string): never {
  throw new Error(words)
}
