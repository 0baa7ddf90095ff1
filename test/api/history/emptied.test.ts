import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KEYS } from '../../../api/ledger/keys.ts'
import { copyJournal } from '../../../api/worker/journal.ts'
import { keepHistory } from '../../../engine/history/keepHistory.ts'
import { keepArchive } from '../../../ingest/archive/keepArchive.ts'
import { QUOTE_STREAM } from '../../../ingest/contract/stream.ts'
import { createIngestMetrics } from '../../../ingest/metrics.ts'
import { loadConfig } from '../../../ops/config.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { at, drained, end, episode, historyDrained, sell } from '../../engine/history/support.ts'
import { marketA, quote } from '../../engine/support/markets.ts'
import { sendChanges } from '../../engine/support/stream.ts'
import { startClickhouse, type TestClickhouse } from '../../support/clickhouse.ts'
import { quietLog } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let server: TestRedis
let redis: Redis
let clickhouse: TestClickhouse
beforeAll(async () => {
  server = await startRedis({ appendfsync: 'always' })
  redis = new Redis(server.url.slice('unix:'.length))
  clickhouse = await startClickhouse()
})
afterAll(async () => {
  redis?.disconnect()
  await clickhouse?.stop()
  await server?.stop()
})

async function tell(n: number) {
  const id = `A${n}`
  await sendChanges(redis, 'a', {
    listed: [{ market: marketA(id, `Will ${n} happen?`), quote: quote('a', id, 4_000, 4_100) }],
  })
  await end(redis, episode(String(n), at(n), at(n, 30)))
  await sell(redis, at(n), ['card'])
}
const allDrained = async () => {
  await drained(redis, QUOTE_STREAM, 'archive')
  await historyDrained(redis)
  await drained(redis, KEYS.sales, 'sales')
}
const counts = async () => {
  const client = clickhouse.client({ database: 'microdata' })
  const query = `SELECT (SELECT count() FROM quotes) AS quotes, (SELECT count() FROM gap_episodes) AS episodes,
(SELECT count() FROM sales) AS sales, (SELECT count() FROM stream_gaps) AS holes, (SELECT sum(episodes) FROM gap_days) AS counted`
  const [row] = await (await client.query({ query, format: 'JSONEachRow' })).json<Record<string, unknown>>()
  return Object.fromEntries(Object.entries(row!).map(([name, value]) => [name, Number(value)]))
}

test('DATA-15: ClickHouse comes back empty under everybody who writes: it is migrated and filled again, each row once', async () => {
  const config = loadConfig(
    { REDIS_URL: server.url, LEDGER_REDIS_URL: server.url, CLICKHOUSE_URL: clickhouse.url },
    'script',
  )
  const stages = [
    keepArchive(config, quietLog, createIngestMetrics(createMetrics('ingest'))),
    keepHistory({ config, log: quietLog, metrics: createMetrics('engine') }),
    copyJournal({ redis, config, log: quietLog, metrics: createMetrics('worker') }),
  ]
  try {
    for (const n of [1, 2, 3]) await tell(n)
    await allDrained()
    expect(await counts()).toEqual({ quotes: 3, episodes: 3, sales: 3, holes: 0, counted: 3 })
    const port = new URL(clickhouse.url).port
    await clickhouse.kill()
    for (const name of await readdir(clickhouse.dir))
      await rm(join(clickhouse.dir, name), { recursive: true, force: true })
    await clickhouse.restart({ port })
    await tell(4)
    await allDrained()
    expect(await counts()).toEqual({ quotes: 4, episodes: 4, sales: 4, holes: 0, counted: 4 })
  } finally {
    await Promise.all(stages.map((stage) => ('close' in stage ? stage.close() : stage.stop())))
  }
})
