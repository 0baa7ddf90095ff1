import type { ClickHouseClient } from '@clickhouse/client'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { KEYS } from '../../../api/ledger/keys.ts'
import { copyJournal, rowsOfSale } from '../../../api/worker/journal.ts'
import { loadConfig } from '../../../ops/config.ts'
import { createLog } from '../../../ops/log.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { MIGRATIONS, migrate, readMigrations } from '../../../ops/migrate.ts'
import { at, drained, sell } from '../../engine/history/support.ts'
import { type ClickhouseShare, shareClickhouse, sliceOf } from '../../support/clickhouse.ts'
import { until } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let server: TestRedis
let redis: Redis
let clickhouse: ClickhouseShare
let client: ClickHouseClient
let database: string
const log = createLog('test', 'silent')
const copies: ReturnType<typeof copyJournal>[] = []

beforeAll(async () => {
  server = await startRedis({ appendfsync: 'always' })
  redis = new Redis(server.url.slice('unix:'.length))
  clickhouse = await shareClickhouse()
})
afterAll(async () => {
  redis?.disconnect()
  await server?.stop()
  await clickhouse?.stop()
})
beforeEach(async () => {
  await redis.flushall()
  ;({ name: database, client } = await clickhouse.database())
})
afterEach(async () => {
  for (const copy of copies.splice(0)) await copy.stop()
})

const slice = () => sliceOf(clickhouse, database)
function start() {
  const env = { CLICKHOUSE_URL: clickhouse.url, CLICKHOUSE_DATABASE: database }
  const metrics = createMetrics('test')
  copies.push(copyJournal({ redis, config: loadConfig(env, 'script'), log, metrics }))
  const of = async (name: string) => (await metrics.registry.getSingleMetric(name)?.get())?.values[0]?.value
  return { backlog: () => of('sales_journal_backlog'), lost: () => of('sales_journal_lost_total') }
}
const cards = async () => {
  const answer = await client.query({
    query: 'SELECT sku, card_ids FROM sales ORDER BY at',
    format: 'JSONEachRow',
  })
  return answer.json()
}

describe('the journal of sales is copied with the cards that were sold', () => {
  test('an entry of before there were any has none', () => {
    const entry = (sale: object) => ({
      id: '7-1',
      ms: 7,
      seq: 1,
      fields: { sale: JSON.stringify({ atMs: 0, ...sale }) },
    })
    expect(rowsOfSale(entry({}))[0]?.rows[0]).toMatchObject({ card_ids: [], stream_ms: 7, stream_seq: 1 })
    expect(rowsOfSale(entry({ cardIds: ['x', 'y'] }))[0]?.rows[0]).toMatchObject({ card_ids: ['x', 'y'] })
  })
  test('what of a sale was store credit is no money of its rail; of older entries: all that is named so', async () => {
    await migrate(slice())
    const paid = { rail: 'usdc_base', amountMicroUsdc: '2486530' }
    await sell(redis, at(10), [], { ...paid, creditMicroUsdc: '1230000' })
    await sell(redis, at(11), [], { ...paid, amountMicroUsdc: '-2486530', creditMicroUsdc: '-1230000' })
    await sell(redis, at(12), [], paid)
    await sell(redis, at(13), [], { ...paid, rail: 'store_credit', amountMicroUsdc: '70' })
    start()
    await drained(redis, KEYS.sales, 'sales')
    const query = 'SELECT toInt32(amount_micro - credit_micro) AS money FROM sales ORDER BY at'
    const answer = await client.query({ query, format: 'JSONEachRow' })
    expect(await answer.json()).toEqual([1_256_530, -1_256_530, 2_486_530, 0].map((money) => ({ money })))
  })

  test('sales that left the journal before they were copied are counted as lost', async () => {
    await migrate(slice())
    await sell(redis, at(10), [])
    start()
    await drained(redis, KEYS.sales, 'sales')
    for (const copy of copies.splice(0)) await copy.stop()
    for (const minute of [11, 12, 13, 14]) await sell(redis, at(minute), [])
    await redis.xtrim(KEYS.sales, 'MAXLEN', 1)
    const { lost } = start()
    await drained(redis, KEYS.sales, 'sales')
    expect(await lost()).toBe(3)
  })

  test('DATA-18: a worker beside a database that has no such column yet waits, and loses no card', async () => {
    const [archive, sales] = await readMigrations(MIGRATIONS)
    for (const query of [...archive!.statements, ...sales!.statements]) await client.command({ query })
    const { backlog } = start()
    await sell(redis, at(10), ['card'])
    await until('it says that it waits', async () => (await backlog()) === 1)
    expect(
      await (await client.query({ query: 'SELECT count() FROM sales', format: 'TabSeparated' })).text(),
    ).toBe('0\n')
    await migrate(slice())
    await drained(redis, KEYS.sales, 'sales')
    expect(await cards()).toEqual([{ sku: 'SKU_BOT_FUEL', card_ids: ['card'] }])
  })
})
