import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startArchive } from '../../../ingest/archive/archive.ts'
import { TABLES } from '../../../ingest/contract/tables.ts'
import { createIngestMetrics } from '../../../ingest/metrics.ts'
import { createLog } from '../../../ops/log.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { marketA, quote } from '../../engine/support/markets.ts'
import { sendChanges, sendSweep } from '../../engine/support/stream.ts'
import { until } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let server: TestRedis
let redis: Redis
beforeAll(async () => {
  server = await startRedis()
  redis = new Redis(server.url.slice('unix:'.length))
})
afterAll(async () => {
  redis.disconnect()
  await server.stop()
})

test('DATA-14: a sweep is archived after all that came before it, as exports take its word for', async () => {
  const now = Date.now()
  await sendSweep(redis, 'a', now)
  await sendChanges(redis, 'a', {
    listed: [{ market: marketA('1', 'One'), quote: quote('a', '1', 1, 2) }],
    closed: ['2'],
  })
  await sendSweep(redis, 'a', now + 1)
  const written: string[] = []
  const archive = startArchive({
    redis,
    sink: {
      insert: async (table) => void written.push(table),
      newest: async () => null,
      held: async () => new Set(),
    },
    metrics: createIngestMetrics(createMetrics('test')),
    log: createLog('test', 'silent'),
  })
  await until('archived', () => written.length === 4)
  await archive.stop()
  expect(written).toEqual([TABLES.markets, TABLES.quotes, TABLES.closings, TABLES.sweeps])
})
