import type { ClickHouseClient } from '@clickhouse/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EXAMPLE_QUERIES } from '../../../api/history/queries.ts'
import { migrate } from '../../../ops/migrate.ts'
import { type ClickhouseShare, shareClickhouse } from '../../support/clickhouse.ts'

/*
 * What the analyst's bound of memory is to the tables of a year, a bound of some MiB is to these: a query that holds
 * what it could count fails in both.
 */

let clickhouse: ClickhouseShare
let client: ClickHouseClient
beforeAll(async () => {
  clickhouse = await shareClickhouse()
  let database: string
  ;({ name: database, client } = await clickhouse.database())
  await migrate({
    clickhouseUrl: clickhouse.url,
    clickhouseUser: 'default',
    clickhousePassword: '',
    clickhouseDatabase: database,
  })
})
afterAll(() => clickhouse?.stop())

const MIB = 1024 * 1024
async function found(name: string, day: string, mib: number) {
  const { sql } = EXAMPLE_QUERIES.find((query) => query.name === name)!
  const answer = await client.query({
    query: sql,
    query_params: { day },
    format: 'JSONEachRow',
    clickhouse_settings: { max_memory_usage: String(mib * MIB), max_threads: 2 }, // each thread holds some
  })
  return answer.json<Record<string, unknown>>()
}
const run = (query: string) => client.command({ query, clickhouse_settings: { wait_end_of_query: 1 } })

test('busiest-markets holds a market, not each of its hours', async () => {
  const hours = Array.from({ length: 24 }, (_, hour) => hour)
  await run(`INSERT INTO quote_bars_states (venue, market_id, hour, high, low, quotes, stored_at)
SELECT 'b', concat('KXMARKET-26NOV20-', toString(number)), toDateTime('2026-11-20 00:00:00', 'UTC') + 3600 * arrayJoin(${JSON.stringify(hours)}), number + 1, 0, 1, now()
FROM numbers(8000)`)
  const rows = await found('busiest-markets', '2026-11-20', 32)
  expect(rows).toHaveLength(20)
  expect(rows[0]).toMatchObject({
    market_id: 'KXMARKET-26NOV20-7999',
    title: '',
    range_cents: 80,
    changes: 24,
  })
})
