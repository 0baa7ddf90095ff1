import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepArchive } from '../../../ingest/archive/keepArchive.ts'
import { type Batch, QUOTE_STREAM } from '../../../ingest/contract/stream.ts'
import { createIngestMetrics } from '../../../ingest/metrics.ts'
import { loadConfig } from '../../../ops/config.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { DAY } from '../../../ops/units.ts'
import { drained } from '../../engine/history/support.ts'
import { marketA, quote } from '../../engine/support/markets.ts'
import { startClickhouse, type TestClickhouse } from '../../support/clickhouse.ts'
import { quietLog } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let server: TestRedis
let redis: Redis
let clickhouse: TestClickhouse
beforeAll(async () => {
  server = await startRedis()
  redis = new Redis(server.url.slice('unix:'.length))
  clickhouse = await startClickhouse()
})
afterAll(async () => {
  redis?.disconnect()
  await clickhouse?.stop()
  await server?.stop()
})

/** A market and its quote, as they were told this long ago. */
function tell(id: string, agoMs: number) {
  const seenMs = Date.now() - agoMs
  const [markets, quotes] = [[marketA(id, `Will ${id} happen?`)], [quote('a', id, 4_000, 4_100, { seenMs })]]
  const batch: Batch = { kind: 'changes', venue: 'a', markets, quotes, closed: [] }
  return redis.xadd(QUOTE_STREAM, `${seenMs}-*`, 'batch', JSON.stringify(batch))
}
/** Starts the archive, lets it take all there is, and stops it. @returns how many batches it says are lost. */
async function archived(): Promise<number> {
  const metrics = createMetrics('ingest')
  const config = loadConfig({ REDIS_URL: server.url, CLICKHOUSE_URL: clickhouse.url }, 'script')
  const archive = keepArchive(config, quietLog, createIngestMetrics(metrics))
  await drained(redis, QUOTE_STREAM, 'archive')
  await archive.close()
  const [lost] = (await metrics.registry.getSingleMetric('ingest_lost_batches_total')!.get()).values
  return lost?.value ?? 0
}

test('DATA-14: after a pause longer than quotes are kept each start goes on where it was: their bars count them once, and nothing is a hole', async () => {
  const client = clickhouse.client({ database: 'microdata' })
  const counts = async () => {
    const query = `SELECT (SELECT count() FROM markets) AS markets, (SELECT count() FROM quotes) AS quotes,
(SELECT sum(quotes) FROM quote_bars) AS counted, (SELECT count() FROM stream_gaps) AS holes`
    const [row] = await (await client.query({ query, format: 'JSONEachRow' })).json<Record<string, unknown>>()
    return Object.values(row!).map(Number)
  }
  for (const id of ['1', '2', '3', '4']) await tell(id, 100 * DAY)
  const lost = [await archived()]
  await client.command({ query: 'OPTIMIZE TABLE quotes FINAL' })
  expect(await counts()).toEqual([4, 0, 4, 0])
  for (const kept of [3, 2]) {
    await redis.xtrim(QUOTE_STREAM, 'MAXLEN', kept)
    lost.push(await archived())
  }
  await tell('5', 0)
  lost.push(await archived())
  expect(await counts()).toEqual([5, 1, 5, 0])
  expect(lost).toEqual([0, 0, 0, 0])
}, 60_000)
