import type { ClickHouseClient } from '@clickhouse/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXAMPLE_QUERIES } from '../../../api/history/queries.ts'
import { migrate } from '../../../ops/migrate.ts'
import { type ClickhouseShare, shareClickhouse, sliceOf } from '../../support/clickhouse.ts'

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
  await migrate(sliceOf(clickhouse, database))
})
afterAll(() => clickhouse?.stop())

const MIB = 1024 * 1024
async function found(name: string, day: string, mib = 1024) {
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

describe('flags-and-persistence', () => {
  /** As many gaps, each of which opened on this day with both flags and stood for a minute. */
  const gaps = async (day: string, count: number) => {
    const id = `concat('a:1|b:KXMARKET-26NOV20-', toString(number), '@', toString(toUnixTimestamp('${day} 00:00:00', 'UTC')), '000')`
    const [from, to] = [0, 60].map((s) => `toDateTime64('${day} 00:00:00', 3, 'UTC') + ${s}`)
    await run(`INSERT INTO feed_events (at, kind, topic, card_id, opened_at, risk_flags, stream_ms)
SELECT ${from}, 'opened', 'gaps', ${id}, ${from}, ['young_gap', 'flickering'], toUnixTimestamp64Milli(now64(3)) FROM numbers(${count})`)
    await run(`INSERT INTO gap_episodes (episode_id, opened_at, closed_at, why_closed, stream_ms)
SELECT ${id}, ${from}, ${to}, 'narrowed', toUnixTimestamp64Milli(now64(3)) FROM numbers(${count})`)
  }
  const of = (count: number) =>
    ['flickering', 'young_gap'].map((flag) => ({
      flag,
      gaps: count,
      median_life_s: 60,
      share_narrowed: 1,
    }))

  test('is of 30 days: it need not hold all that history has', async () => {
    await gaps('2026-10-21', 1)
    await gaps('2026-10-22', 2)
    await gaps('2026-11-20', 3)
    expect(await found('flags-and-persistence', '2026-10-20')).toEqual([])
    expect(await found('flags-and-persistence', '2026-10-21')).toEqual(of(1))
    expect(await found('flags-and-persistence', '2026-11-19')).toEqual(of(3))
    expect(await found('flags-and-persistence', '2026-11-20')).toEqual(of(5))
  })
  test('and holds a number and a text of each gap', async () => {
    await gaps('2026-09-01', 60_000)
    expect(await found('flags-and-persistence', '2026-09-01', 32)).toEqual(of(60_000))
  })
})

test('sold_cards does not hold what was told of cards that their sales note', async () => {
  const id = `concat('a:1|b:KXMARKET-26NOV20-', toString(number % 200), '@1795132800000')`
  await run(`INSERT INTO feed_events (at, kind, topic, card_id, opened_at, verdict, gap_cents, stream_ms)
SELECT now64(3), 'changed', 'gaps', ${id}, '2026-11-20 00:00:00', 'identity', 9, toUnixTimestamp64Milli(now64(3)) - 1000 FROM numbers(400000)`)
  const note = `tuple(${id}, now64(3), 'inverted', NULL, 5, 1, 'watch', true)`
  await run(`INSERT INTO sales (event_id, at, card_ids, cards, stream_ms)
SELECT toString(number), now64(3), [${id}], [${note}], toUnixTimestamp64Milli(now64(3)) FROM numbers(200)`)
  const answer = await client.query({
    query: `SELECT verdict, gap_when_sold_cents, opened_at, count() AS cards FROM sold_cards GROUP BY ALL`,
    format: 'JSONEachRow',
    clickhouse_settings: { max_memory_usage: String(24 * MIB), max_threads: 2 },
  })
  expect(await answer.json()).toEqual([
    { verdict: 'inverted', gap_when_sold_cents: 5, opened_at: '2026-11-20 00:00:00.000', cards: 200 },
  ])
})
