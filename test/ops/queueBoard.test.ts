import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OperatorServer, serveOperator } from '../../ops/health.ts'
import { createMetrics } from '../../ops/metrics.ts'
import { openQueue, openWorker } from '../../ops/queue.ts'
import { quietLog } from '../support/ledger.ts'
import { until } from '../support/process.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'

let redis: TestRedis
let operator: OperatorServer
let queue: ReturnType<typeof openQueue>
const ends: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  redis = await startRedis()
  ends.push(redis.stop)
  queue = openQueue(redis.url, 'sweeps', quietLog)
  ends.push(queue.close)
  await queue.queue.upsertJobScheduler('hourly', { every: 3_600_000 }, { name: 'hourly' })
  const worker = openWorker(redis.url, 'sweeps', quietLog, async ({ name }) => {
    if (name === 'broken') throw new Error('the venue said no')
    return 'swept'
  })
  ends.push(worker.close)
  await queue.queue.add('broken', {})
  await until('one was run and one has failed', async () => {
    const { completed, failed } = await queue.queue.getJobCounts()
    return completed === 1 && failed === 1
  })
  operator = await serveOperator({
    host: '127.0.0.1',
    port: 0,
    metrics: createMetrics('test'),
    checks: [],
    queues: [queue.queue],
  })
  ends.push(operator.close)
})
afterAll(async () => {
  for (const end of ends.reverse()) await end()
})

const ask = (path: string, method = 'GET') =>
  fetch(`http://127.0.0.1:${operator.port}${path}`, { method, redirect: 'manual' })

describe('design 5: the queue board on the operator port', () => {
  test('a page whose parts are all served here, and none from elsewhere', async () => {
    const page = await ask('/queues')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'self';/)
    const html = await page.text()
    expect(html).toContain('<base href="/queues/"')
    const parts = [...html.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map(([, part]) => part)
    expect(parts.length).toBeGreaterThan(3)
    for (const part of parts) expect((await ask(`/queues/${part}`)).status).toBe(200)
  })

  test('each queue with its counts, its schedule, and what a job failed with', async () => {
    const { queues } = (await (await ask('/queues/api/queues?activeQueue=sweeps&status=failed')).json()) as {
      queues: { name: string; readOnlyMode: boolean; counts: object; jobs: object[] }[]
    }
    expect(queues).toMatchObject([
      {
        name: 'sweeps',
        readOnlyMode: true,
        counts: { completed: 1, failed: 1, delayed: 1 },
        jobs: [{ name: 'broken', failedReason: 'the venue said no', data: {} }],
      },
    ])
    const schedulers = await (await ask('/queues/api/job-schedulers')).json()
    expect(JSON.stringify(schedulers)).toContain('"hourly"')
  })

  test('it is for looking: whatever would change something is refused and changes nothing', async () => {
    const [failed] = await queue.queue.getFailed()
    const before = await queue.queue.getJobCounts()
    for (const [method, path] of [
      ['PUT', `/queues/api/queues/sweeps/${failed!.id}/retry`],
      ['PUT', `/queues/api/queues/sweeps/${failed!.id}/clean`],
      ['PUT', '/queues/api/queues/sweeps/pause'],
      ['PUT', '/queues/api/queues/sweeps/empty'],
      ['PUT', '/queues/api/queues/sweeps/obliterate'],
      ['POST', '/queues/api/queues/sweeps/add'],
      ['PUT', '/queues/api/queues/sweeps/job-schedulers/hourly/remove'],
    ])
      expect((await ask(path!, method)).status, `${method} ${path}`).toBe(405)
    expect(await queue.queue.getJobCounts()).toEqual(before)
    expect(await queue.queue.isPaused()).toBe(false)
  })

  test('a process without queues has no board', async () => {
    const other = await serveOperator({
      host: '127.0.0.1',
      port: 0,
      metrics: createMetrics('other'),
      checks: [],
    })
    expect((await fetch(`http://127.0.0.1:${other.port}/queues`)).status).toBe(404)
    await other.close()
  })
})
