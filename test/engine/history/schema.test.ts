import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@clickhouse/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HistorySchema } from '../../../engine/contract/history.ts'
import { readSchema, retentionWords } from '../../../engine/history/readSchema.ts'
import { OWNER_TABLES } from '../../../ops/analyst.ts'
import { MIGRATIONS, migrate } from '../../../ops/migrate.ts'
import { type ClickhouseShare, shareClickhouse, sliceOf } from '../../support/clickhouse.ts'

let clickhouse: ClickhouseShare
let schema: HistorySchema
let database: string

beforeAll(async () => {
  clickhouse = await shareClickhouse()
  const { name, client } = await clickhouse.database()
  database = name
  await migrate(sliceOf(clickhouse, name))
  schema = HistorySchema.parse(await readSchema(client))
})
afterAll(() => clickhouse?.stop())

const table = (name: string) => schema.tables.find((one) => one.name === name)

describe('the schema page is what the database says of itself', () => {
  test('every table, view and materialized view that analysts may read', () => {
    expect(schema.database).toBe(database)
    const named = (kind: string) => schema.tables.filter((one) => one.kind === kind).map(({ name }) => name)
    expect(named('table')).toEqual([
      'closings',
      'feed_events',
      'feed_hours_states',
      'gap_days_states',
      'gap_episodes',
      'markets',
      'quote_bars_states',
      'quotes',
      'stream_gaps',
      'sweeps',
    ])
    expect(named('view')).toEqual(['feed_hours', 'gap_days', 'quote_bars', 'track_record'])
    expect(named('materialized view')).toEqual(['feed_hours_feeder', 'gap_days_feeder', 'quote_bars_feeder'])
    for (const name of OWNER_TABLES) expect(table(name)).toBeUndefined()
  })
  test('every table and every column says what it is', () => {
    const silent = schema.tables.flatMap(({ name, comment, columns }) => [
      ...(comment === '' ? [name] : []),
      ...columns.filter((column) => column.comment === '').map((column) => `${name}.${column.name}`),
    ])
    expect(silent).toEqual([])
  })
  test('a column that SELECT * leaves out says so, and no other does', async () => {
    const client = createClient({ url: clickhouse.url, database })
    for (const { name, kind, columns } of schema.tables) {
      if (kind === 'materialized view') continue
      const answer = await client.query({ query: `SELECT * FROM ${name} LIMIT 0`, format: 'JSON' })
      const all = (await answer.json()).meta!.map((column) => column.name)
      const said = columns.filter(({ comment }) => !comment.endsWith('SELECT * leaves it out'))
      expect([name, said.map((column) => column.name)]).toEqual([name, all])
    }
    await client.close()
  })
  test('the columns of the owner, too', async () => {
    const client = createClient({ url: clickhouse.url, database })
    const answer = await client.query({
      query: `SELECT name FROM system.columns WHERE database = '${database}' AND comment = '' AND table IN ('sales', 'sold_cards')`,
      format: 'JSONEachRow',
    })
    expect(await answer.json()).toEqual([])
    await client.close()
  })
  test('sales are kept ten years, as they say; whatever else is kept counts on the real clock', async () => {
    const client = createClient({ url: clickhouse.url, database })
    const answer = await client.query({
      query: `SELECT name, comment, engine_full AS of FROM system.tables WHERE database = '${database}' AND engine LIKE '%MergeTree'`,
      format: 'JSONEachRow',
    })
    const tables = await answer.json<{ name: string; comment: string; of: string }>()
    const sales = tables.find(({ name }) => name === 'sales')!
    expect([retentionWords(sales.of), sales.comment]).toEqual([
      '10 years',
      expect.stringContaining('Kept 10 years'),
    ])
    const ttl = tables.map(({ name, of }) => [name, /TTL (.*?) \+ toInterval/.exec(of)?.[1]] as const)
    const wrong = ttl.filter(
      ([name, by]) =>
        !['sales', 'schema_migrations'].includes(name) &&
        !/stream_ms|stream_lag_ms|stored_at|noticed_at/.test(by ?? ''),
    )
    expect(wrong).toEqual([])
    await client.close()
  })
  test('whatever keeps rows says for how long, in its words and in its settings alike', () => {
    for (const { name, kind, comment, retention } of schema.tables) {
      if (kind !== 'table') expect([name, retention]).toEqual([name, null])
      else expect([name, comment]).toEqual([name, expect.stringContaining(`Kept ${retention}`)])
    }
    expect(table('gap_episodes')?.retention).toBe('2 years')
    expect(table('quotes')?.retention).toBe('90 days')
  })
})

test('a database that is being migrated says nothing yet: half of its tables are no schema page', async () => {
  const { name, client } = await clickhouse.database()
  const some = await mkdtemp(join(tmpdir(), 'migrations-'))
  await cp(new URL('001_archive.sql', MIGRATIONS), join(some, '001_archive.sql'))
  const slice = sliceOf(clickhouse, name)
  await migrate(slice, pathToFileURL(`${some}/`))
  await rm(some, { recursive: true })
  await expect(readSchema(client)).rejects.toMatchObject({ code: 'clickhouse_migration' })
  await migrate(slice)
  expect((await readSchema(client)).tables.map((one) => one.name)).toContain('gap_episodes')
})

describe('retention in words', () => {
  test.each([
    [
      'MergeTree ORDER BY a TTL toDateTime(intDiv(stream_ms, 1000)) + toIntervalDay(90) SETTINGS x = 1',
      '90 days',
    ],
    ['MergeTree ORDER BY a TTL stored_at + toIntervalYear(1)', '1 year'],
    ['MergeTree ORDER BY a SETTINGS x = 1', null],
    ['', null],
  ])('%s: %s', (engineFull, words) => {
    expect(retentionWords(engineFull)).toBe(words)
  })
})
