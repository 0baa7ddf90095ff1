import type { ClickHouseClient } from '@clickhouse/client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { clickhouseSink } from '../../ops/clickhouseSink.ts'
import type { DrainSink } from '../../ops/drainStream.ts'
import { instant } from '../../ops/instant.ts'
import { MIGRATIONS, readMigrations } from '../../ops/migrate.ts'
import { DAY } from '../../ops/units.ts'
import { type ClickhouseShare, shareClickhouse } from '../support/clickhouse.ts'

/** For table `quotes`, whose stream_ms is computed from the distance to seen_at: its market clock is months behind. */
const NOW = Date.now()
const BEHIND = 100 * DAY

let clickhouse: ClickhouseShare
let client: ClickHouseClient
let sink: DrainSink
beforeAll(async () => {
  clickhouse = await shareClickhouse()
})
afterAll(() => clickhouse?.stop())
beforeEach(async () => {
  ;({ client } = await clickhouse.database())
  const [archive] = await readMigrations(MIGRATIONS)
  for (const query of archive!.statements) await client.command({ query })
  await client.command({ query: 'SYSTEM STOP MERGES quotes' })
  sink = clickhouseSink(client, { quotes: 'seen_at' })
})

const row = (ms: number, seq: number, seenMs = ms - BEHIND) => ({
  venue: 'a',
  market_id: `M${seq}`,
  seen_at: instant(seenMs),
  bid_bps: 1,
  ask_bps: 2,
  volume_24h: 0,
  stream_lag_ms: ms - seenMs,
  stream_ms: ms,
  stream_seq: seq,
})
const insert = (...rows: ReturnType<typeof row>[]) => sink.insert('quotes', rows, JSON.stringify(rows))

describe('the newest entry a table holds', () => {
  test('of an empty one none; of one that is not there an error', async () => {
    expect(await sink.newest('quotes')).toBeNull()
    await expect(sink.newest('nothing')).rejects.toMatchObject({ code: 'clickhouse_query' })
  })
  test('the last of what was inserted last, in whichever month of the market clock', async () => {
    await insert(row(NOW, 1), row(NOW, 3), row(NOW, 2))
    expect(await sink.newest('quotes')).toEqual({ ms: NOW, seq: 3 })
    await insert(row(NOW + 1, 0, NOW - BEHIND - 40 * DAY), row(NOW + 2, 0))
    expect(await sink.newest('quotes')).toEqual({ ms: NOW + 2, seq: 0 })
    await insert(row(NOW + 2, 1), row(NOW + 2, 2, NOW - BEHIND - 40 * DAY), row(NOW + 2, 3))
    expect(await sink.newest('quotes')).toEqual({ ms: NOW + 2, seq: 3 })
    await insert(row(NOW + 3, 0, NOW - BEHIND - 40 * DAY))
    expect(await sink.newest('quotes')).toEqual({ ms: NOW + 3, seq: 0 })
    await client.command({ query: 'SYSTEM START MERGES quotes' })
    await client.command({ query: 'OPTIMIZE TABLE quotes FINAL' })
    expect(await sink.newest('quotes')).toEqual({ ms: NOW + 3, seq: 0 })
  })
  test.each([0, 1, 2, 3, 4])(
    'of a block of five months, the one inserted at place %i of them',
    async (place) => {
      const months = [0, 1, 2, 3, 4].map((at) =>
        row(NOW, at === place ? 9 : at, NOW - BEHIND - at * 40 * DAY),
      )
      await insert(...months)
      expect(await clickhouseSink(client).newest('quotes')).toEqual({ ms: NOW, seq: 9 })
    },
  )
  test('parts that are merged away while it looks: it looks again, and says so when they never stand still', async () => {
    const through = (before: (query: string) => Promise<object | null>) => {
      const between: ClickHouseClient = Object.create(client)
      between.query = (async (asked: Parameters<ClickHouseClient['query']>[0]) =>
        (await before(asked.query)) ?? client.query(asked)) as ClickHouseClient['query']
      return clickhouseSink(between, { quotes: 'seen_at' }).newest('quotes')
    }
    await insert(row(NOW, 1))
    await insert(row(NOW, 2))
    let isMerged = false
    const merge = async (query: string) => {
      if (isMerged || !query.includes('_part IN')) return null
      isMerged = true
      await client.command({ query: 'SYSTEM START MERGES quotes' })
      await client.command({ query: 'OPTIMIZE TABLE quotes FINAL' })
      return null
    }
    expect(await through(merge)).toEqual({ ms: NOW, seq: 2 })
    let looks = 0
    const never = async (query: string) =>
      query.includes('system.parts') ? { json: async () => [{ name: `part_${looks++}` }] } : null
    await expect(through(never)).rejects.toMatchObject({ code: 'clickhouse_query', retryable: true })
  })
  test('nothing but the last parts is looked at: to order all rows by a computed column takes minutes', async () => {
    await insert(row(NOW + DAY, 9)) //  a look at all rows would find it
    await insert(row(NOW, 1))
    await insert(row(NOW, 2))
    expect(await sink.newest('quotes')).toEqual({ ms: NOW, seq: 2 })
  })
})

describe('which of these entries a table holds', () => {
  test('those of which it has a row, whatever lies between and around them', async () => {
    await insert(row(NOW, 1), row(NOW, 2), row(NOW + 5, 0))
    const held = await sink.held('quotes', [row(NOW, 2), row(NOW, 3), row(NOW + 5, 0), row(NOW + 6, 0)])
    expect([...held]).toEqual(expect.arrayContaining([`${NOW}-2`, `${NOW + 5}-0`]))
    expect(held.has(`${NOW}-3`) || held.has(`${NOW + 6}-0`)).toBe(false)
  })
  test('also where no column narrows it', async () => {
    const closing = { venue: 'a', market_id: 'M', stream_ms: NOW, stream_seq: 4 }
    await sink.insert('closings', [closing], 'token')
    expect([...(await sink.held('closings', [closing, { ...closing, stream_seq: 5 }]))]).toEqual([`${NOW}-4`])
  })
})

describe('from when on a table keeps its rows, as its migration says', () => {
  test.each([
    ['quotes', 90],
    ['closings', 2 * 365],
  ])('%s: %d days, to the second', async (table, days) => {
    const agoMs = Date.now() - (await sink.keptFromMs(table))
    expect(agoMs).toBeGreaterThan(days * DAY - 2_000)
    expect(agoMs).toBeLessThan((days + 1) * DAY) //  one of two years may have a day more
  })
  test('one that says nothing keeps everything', async () => {
    await client.command({ query: 'CREATE TABLE facts (n UInt8) ENGINE = MergeTree ORDER BY n' })
    expect(await sink.keptFromMs('facts')).toBe(0)
  })
})

test('DATA-14, DATA-15: an insert is acknowledged when it is on disk, errors and all, and counts once by its token, in views too', async () => {
  const asked: unknown[] = []
  const noting: ClickHouseClient = Object.create(client)
  noting.insert = (async ({ clickhouse_settings }: { clickhouse_settings: unknown }) => {
    asked.push(clickhouse_settings)
  }) as unknown as ClickHouseClient['insert']
  await clickhouseSink(noting).insert('closings', [row(NOW, 1)], 'token')
  expect(asked).toMatchObject([
    {
      insert_deduplication_token: 'token',
      insert_deduplicate: 1,
      async_insert: 0,
      wait_end_of_query: 1,
      deduplicate_blocks_in_dependent_materialized_views: 1,
    },
  ])
})
