import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startArchive } from '../../../ingest/archive/archive.ts'
import { QUOTE_STREAM } from '../../../ingest/contract/stream.ts'
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
beforeEach(() => redis.flushall())

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
      upS: async () => 1e9,
      newest: async () => null,
      held: async () => new Set(),
      keptFromMs: async () => 0,
    },
    metrics: createIngestMetrics(createMetrics('test')),
    log: createLog('test', 'silent'),
  })
  await until('archived', () => written.length === 4)
  await archive.stop()
  expect(written).toEqual([TABLES.markets, TABLES.quotes, TABLES.closings, TABLES.sweeps])
})

test('what its operator reads: what was stored, what is lost or unreadable, how much waits and for how long', async () => {
  const metrics = createMetrics('test')
  const figure = async (name: string, label = '') => {
    const line = new RegExp(`^${name}\\{.*${label}.*\\} (\\S+)$`, 'm').exec(await metrics.registry.metrics())
    return Number(line?.[1])
  }
  let away = true
  const gaps: unknown[] = []
  for (const ms of [1, 2, 3]) await redis.xadd(QUOTE_STREAM, `${ms}-0`, 'batch', 'lost')
  await redis.xadd(QUOTE_STREAM, '4-0', 'batch', 'unreadable')
  await sendSweep(redis, 'a', Date.now())
  await redis.xtrim(QUOTE_STREAM, 'MAXLEN', 2)
  const archive = startArchive({
    redis,
    sink: {
      ready: async () => {
        if (away) throw new Error('away')
      },
      insert: async (table: string, rows: Record<string, unknown>[]) => {
        if (table === 'stream_gaps') gaps.push(...rows)
      },
      upS: async () => 1e9,
      newest: async () => null,
      held: async () => new Set<string>(),
      keptFromMs: async () => 0,
    },
    metrics: createIngestMetrics(metrics),
    log: createLog('test', 'silent'),
  })
  await until('it says what waits', async () => (await figure('ingest_archive_backlog_batches')) === 2)
  expect(await figure('ingest_archive_backlog_ms')).toBeGreaterThan(Date.UTC(2020)) //  its entries have ids of 1970
  away = false
  await until('nothing waits', async () => (await figure('ingest_archive_backlog_batches')) === 0)
  await archive.stop()
  expect(gaps).toMatchObject([{ stream: QUOTE_STREAM, after_id: '0-0', before_id: '4-0', dropped: 3 }])
  expect(await figure('ingest_lost_batches_total')).toBe(3)
  expect(await figure('ingest_unreadable_entries_total')).toBe(1)
  expect(await figure('ingest_archived_rows_total', 'table="sweeps"')).toBe(1)
  expect(await figure('ingest_archive_backlog_ms')).toBe(0)
})
