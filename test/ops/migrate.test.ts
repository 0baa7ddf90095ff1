import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectClickhouse } from '../../ops/clickhouse.ts'
import {
  MigrationError,
  migrate,
  pendingMigrations,
  readMigrations,
  splitStatements,
} from '../../ops/migrate.ts'
import { migratedSink } from '../../ops/migratedSink.ts'
import { sliceOf, startClickhouse } from '../support/clickhouse.ts'
import { freePort } from '../support/ports.ts'

/** Checksum of 009_seen_to_end.sql in the version that first had it. */
const NINE_BEFORE = '65a995f5fb2f7a73b7d3b0984cdda73aff37503798b9fbe7dbbd59749023c704'

describe('a file of statements', () => {
  test.each([
    ['SELECT 1', ['SELECT 1']],
    ['SELECT 1;', ['SELECT 1']],
    ['SELECT 1; ;\n SELECT 2 ;\n', ['SELECT 1', 'SELECT 2']],
    ["SELECT ';' -- not; here\n; SELECT 2", ["SELECT ';'", 'SELECT 2']],
    ["SELECT 'it''s; x', `a;b`, \"c;d\"", ["SELECT 'it''s; x', `a;b`, \"c;d\""]],
    ["SELECT 'a\\';b'", ["SELECT 'a\\';b'"]],
    ['/* a; b */ SELECT 4 / 2 - 1', ['SELECT 4 / 2 - 1']],
    ['-- nothing\n', []],
    ['', []],
  ])('%j', (sql, statements) => {
    expect(splitStatements(sql)).toEqual(statements)
  })
})

describe('history is never rewritten', () => {
  const file = (version: number, checksum: string) => ({
    version,
    name: `${version}.sql`,
    checksum,
    statements: [],
  })
  test('what is applied is skipped, what is new is pending, in any order of arrival', () => {
    const files = [file(1, 'a'), file(2, 'b'), file(3, 'c')]
    expect(pendingMigrations(files, []).map(({ version }) => version)).toEqual([1, 2, 3])
    expect(pendingMigrations(files, [file(1, 'a'), file(3, 'c')]).map(({ version }) => version)).toEqual([2])
  })
  test('an edited file stops everything', () => {
    expect(() => pendingMigrations([file(1, 'edited'), file(2, 'b')], [file(1, 'a')])).toThrow(MigrationError)
    const renamed = { ...file(1, 'edited'), name: 'other.sql' }
    expect(() => pendingMigrations([renamed], [file(1, 'a')])).toThrow('applied as 1.sql')
  })
  test('009 as it was out before: it is pending again, and no more once it is recorded anew', () => {
    const rewritten = { ...file(9, 'now'), name: '009_seen_to_end.sql' }
    const before = { ...rewritten, checksum: NINE_BEFORE }
    const files = [file(8, 'a'), rewritten, file(10, 'b')]
    const applied = [file(8, 'a'), before, file(10, 'b')]
    expect(pendingMigrations(files, applied)).toEqual([rewritten])
    expect(pendingMigrations(files, [...applied, rewritten])).toEqual([])
    expect(() => pendingMigrations([{ ...before, checksum: 'edited' }], [rewritten])).toThrow(MigrationError)
  })
  test('DATA-18: a database that is ahead is fine for an older process', () => {
    expect(pendingMigrations([file(1, 'a')], [file(1, 'a'), file(2, 'b')])).toEqual([])
  })
})

describe('a folder of migrations', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'microdata-migrations-'))
  })
  afterAll(() => rm(folder, { recursive: true }))
  const url = () => pathToFileURL(`${folder}/`)
  test('numbers decide, other files are not read, doubles and other names are refused', async () => {
    await writeFile(join(folder, '002_second.sql'), 'SELECT 2')
    await writeFile(join(folder, '001_first.sql'), 'SELECT 1')
    await writeFile(join(folder, 'README.md'), 'words')
    const versions = (await readMigrations(url())).map(({ version, name }) => [version, name])
    expect(versions).toEqual([
      [1, '001_first.sql'],
      [2, '002_second.sql'],
    ])
    await writeFile(join(folder, '002_other.sql'), 'SELECT 3')
    await expect(readMigrations(url())).rejects.toThrow('same number')
    await writeFile(join(folder, 'third.sql'), 'SELECT 3')
    await expect(readMigrations(url())).rejects.toThrow('NNN_words')
  })
})

describe('against the real engine', () => {
  let clickhouse: Awaited<ReturnType<typeof startClickhouse>>
  const slice = (database: string) => sliceOf(clickhouse, database)
  beforeAll(async () => {
    clickhouse = await startClickhouse()
  })
  afterAll(() => clickhouse.stop())
  const rows = async <T>(database: string, query: string): Promise<T[]> => {
    const client = connectClickhouse(slice(database))
    try {
      return await (await client.query({ query, format: 'JSONEachRow' })).json<T>()
    } finally {
      await client.close()
    }
  }

  test('an empty server gets the database and every table; the second run has nothing to do', async () => {
    const applied = await migrate(slice('fresh'))
    expect(applied.slice(0, 2)).toEqual(['001_archive.sql', '002_sales.sql'])
    expect(await migrate(slice('fresh'))).toEqual([])
    const tables = await rows<{ name: string; engine: string; sql: string }>(
      'fresh',
      `SELECT name, engine, create_table_query AS sql FROM system.tables WHERE database = 'fresh' AND name IN ('markets', 'quotes', 'closings', 'sweeps', 'stream_gaps', 'sales') ORDER BY name`,
    )
    expect(tables.map(({ name }) => name)).toEqual([
      'closings',
      'markets',
      'quotes',
      'sales',
      'stream_gaps',
      'sweeps',
    ])
    for (const { name, sql } of tables) {
      expect([name, /non_replicated_deduplication_window = \d+/.test(sql)]).toEqual([name, true])
      expect([name, / TTL /.test(sql)]).toEqual([name, true])
    }
  })
  test('what has gone since it was applied is made again, whatever it is; the rest keeps its rows', async () => {
    const tables = () =>
      rows<{ name: string; sql: string }>(
        'dropped',
        `SELECT name, create_table_query AS sql FROM system.tables WHERE database = 'dropped' ORDER BY name`,
      )
    await migrate(slice('dropped'))
    const before = await tables()
    const client = connectClickhouse(slice('dropped'))
    await client.command({ query: `INSERT INTO sales (event_id, at) VALUES ('kept', now64())` })
    await client.command({
      query: `INSERT INTO quotes (venue, market_id, seen_at, bid_bps, ask_bps) VALUES ('a', '1', now64(), 1, 3)`,
    })
    const made = ['TABLE quote_bars_states', 'VIEW quote_bars_feeder', 'VIEW sold_cards', 'TABLE sweeps']
    for (const gone of made) await client.command({ query: `DROP ${gone} SYNC` })
    expect((await migrate(slice('dropped'))).length).toBeGreaterThan(0)
    expect(await tables()).toEqual(before)
    expect(await migrate(slice('dropped'))).toEqual([])
    expect(await rows('dropped', 'SELECT event_id FROM sales')).toEqual([{ event_id: 'kept' }])
    //  what a feeder fills is counted again from its table, as ops/migrations/README.md says
    expect(await rows('dropped', 'SELECT quotes FROM quote_bars')).toEqual([])
    await client.command({
      query: `INSERT INTO quotes (venue, market_id, seen_at, bid_bps, ask_bps) VALUES ('a', '1', now64(), 1, 3)`,
    })
    const [feeder] = await rows<{ counts: string }>(
      'dropped',
      `SELECT as_select AS counts FROM system.tables WHERE database = 'dropped' AND name = 'quote_bars_feeder'`,
    )
    const counts = feeder!.counts.replace(' WHERE ', ' WHERE (toDate(seen_at) >= today() - 1) AND ')
    await client.command({ query: 'TRUNCATE TABLE quote_bars_states' }) //  the feeder has counted the second one
    await client.command({ query: `INSERT INTO quote_bars_states ${counts}` })
    expect(await rows('dropped', 'SELECT market_id, close_bps, quotes FROM quote_bars')).toEqual([
      { market_id: '1', close_bps: 2, quotes: 2 },
    ])
    //  DATA-18: a newer process knows better what belongs there
    await client.command({ query: `INSERT INTO schema_migrations (version, name) VALUES (999, 'newer')` })
    await client.command({ query: 'DROP TABLE sweeps SYNC' })
    expect(await migrate(slice('dropped'))).toEqual([])
    await client.close()
  })
  test('a database of the version that had 009 as it was before is brought to the newest', async () => {
    const view = () =>
      rows(
        'rewritten',
        `SELECT create_table_query FROM system.tables WHERE database = 'rewritten' AND name = 'sold_cards'`,
      )
    await migrate(slice('rewritten'))
    const newest = await view()
    const client = connectClickhouse(slice('rewritten'))
    await client.command({ query: 'CREATE OR REPLACE VIEW sold_cards AS SELECT 9 AS as_it_was' })
    await client.command({
      query: `ALTER TABLE schema_migrations UPDATE checksum = '${NINE_BEFORE}' WHERE version = 9 SETTINGS mutations_sync = 2`,
    })
    await client.close()
    expect(await migrate(slice('rewritten'))).toContain('009_seen_to_end.sql')
    expect(await view()).toEqual(newest)
    expect(await migrate(slice('rewritten'))).toEqual([])
  })
  test('one that died between 009 and a later file leaves nothing behind of what the earlier files made again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'microdata-migrations-'))
    const url = pathToFileURL(`${folder}/`)
    const comment = (words: string) => `ALTER TABLE sold COMMENT COLUMN IF EXISTS n '${words}';`
    const first = 'CREATE TABLE IF NOT EXISTS sold (n UInt8) ENGINE = MergeTree ORDER BY n;'
    await writeFile(join(folder, '005_comments.sql'), `${first} ${comment('before')}`)
    await writeFile(join(folder, '009_seen_to_end.sql'), 'SELECT 9')
    await writeFile(join(folder, '010_later.sql'), `SELECT * FROM power; ${comment('newest')}`)
    const client = connectClickhouse(slice('died'))
    const power = 'CREATE OR REPLACE VIEW power AS SELECT 1'
    const told = () =>
      rows('died', `SELECT comment FROM system.columns WHERE table = 'sold' AND database = 'died'`)
    await expect(migrate(slice('died'), url)).rejects.toBeInstanceOf(Error)
    await client.command({ query: power })
    await migrate(slice('died'), url)
    await client.command({
      query: `ALTER TABLE schema_migrations UPDATE checksum = '${NINE_BEFORE}' WHERE version = 9 SETTINGS mutations_sync = 2`,
    })
    await client.command({ query: 'DROP VIEW power SYNC' })
    await expect(migrate(slice('died'), url)).rejects.toMatchObject({ code: 'clickhouse_migration' })
    await client.command({ query: power })
    expect(await migrate(slice('died'), url)).toContain('009_seen_to_end.sql')
    expect(await told()).toEqual([{ comment: 'newest' }])
    expect(await migrate(slice('died'), url)).toEqual([])
    await client.close()
    await rm(folder, { recursive: true })
  })
  test('one that died while it made again what had gone is continued; until its columns are those of the newest file, nothing is written', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'microdata-migrations-'))
    const url = pathToFileURL(`${folder}/`)
    await writeFile(
      join(folder, '001_sold.sql'),
      'CREATE TABLE IF NOT EXISTS sold (n UInt8) ENGINE = MergeTree ORDER BY n',
    )
    await writeFile(join(folder, '002_power.sql'), 'SELECT * FROM power')
    await writeFile(join(folder, '003_part.sql'), 'ALTER TABLE sold ADD COLUMN IF NOT EXISTS part UInt8')
    const client = connectClickhouse(slice('half'))
    const power = 'CREATE OR REPLACE VIEW power AS SELECT 1'
    const columns = () =>
      rows('half', `SELECT name FROM system.columns WHERE table = 'sold' AND database = 'half'`)
    await expect(migrate(slice('half'), url)).rejects.toBeInstanceOf(Error)
    await client.command({ query: power })
    await migrate(slice('half'), url)
    for (const gone of ['VIEW power', 'TABLE sold']) await client.command({ query: `DROP ${gone} SYNC` })
    await expect(migrate(slice('half'), url)).rejects.toMatchObject({ code: 'clickhouse_migration' })
    expect(await columns()).toEqual([{ name: 'n' }])
    const ready = () => migratedSink(client, 3).ready!()
    await expect(ready()).rejects.toMatchObject({ code: 'clickhouse_migration', retryable: true })
    await client.command({ query: power })
    expect(await migrate(slice('half'), url)).toHaveLength(3)
    await ready()
    expect(await columns()).toEqual([{ name: 'n' }, { name: 'part' }])
    expect(await migrate(slice('half'), url)).toEqual([])
    await client.close()
    await rm(folder, { recursive: true })
  })
  test('two starters at once: both succeed, each file is recorded once', async () => {
    const both = await Promise.all([migrate(slice('twice')), migrate(slice('twice'))])
    expect(both.flat().length).toBeGreaterThanOrEqual(2)
    const history = await rows<{ version: number; times: string }>(
      'twice',
      'SELECT version, toString(count()) AS times FROM schema_migrations GROUP BY version ORDER BY version',
    )
    expect(history.every(({ times }) => times === '1')).toBe(true)
    expect(history.length).toBe(
      (await readMigrations(new URL('../../ops/migrations/', import.meta.url))).length,
    )
  })
  test('DATA-15: a server that was killed when it had noted the token of a record and not yet the row records it all the same', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'microdata-migrations-'))
    const url = pathToFileURL(`${folder}/`)
    await writeFile(join(folder, '001_one.sql'), 'SELECT 1')
    expect(await migrate(slice('lost'), url)).toEqual(['001_one.sql'])
    const client = connectClickhouse(slice('lost'))
    for (const _ of ['once', 'and again']) {
      //  a part that is mutated keeps its token
      await client.command({
        query: 'ALTER TABLE schema_migrations DELETE WHERE version = 1 SETTINGS mutations_sync = 2',
      })
      expect(await migrate(slice('lost'), url)).toEqual(['001_one.sql'])
      expect(await rows('lost', 'SELECT version FROM schema_migrations')).toEqual([{ version: 1 }])
    }
    await client.close()
    expect(await migrate(slice('lost'), url)).toEqual([])
    await rm(folder, { recursive: true })
  })
  test('an edited file is refused and changes nothing; a new one is applied; one that died half-way runs again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'microdata-migrations-'))
    const url = pathToFileURL(`${folder}/`)
    const first = 'CREATE TABLE IF NOT EXISTS one (n UInt8) ENGINE = MergeTree ORDER BY n;'
    await writeFile(join(folder, '001_one.sql'), first)
    expect(await migrate(slice('edited'), url)).toEqual(['001_one.sql'])
    await writeFile(
      join(folder, '002_two.sql'),
      `${first.replace('one', 'two')} SELECT throwIf(1, 'power cut')`,
    )
    await expect(migrate(slice('edited'), url)).rejects.toMatchObject({
      code: 'clickhouse_migration',
      retryable: true,
    })
    await writeFile(join(folder, '002_two.sql'), first.replace('one', 'two'))
    expect(await migrate(slice('edited'), url)).toEqual(['002_two.sql'])
    await writeFile(join(folder, '001_one.sql'), `${first}\n`)
    await writeFile(join(folder, '003_three.sql'), first.replace('one', 'three'))
    await expect(migrate(slice('edited'), url)).rejects.toBeInstanceOf(MigrationError)
    expect(await rows('edited', 'EXISTS TABLE three')).toEqual([{ result: 0 }])
    await rm(folder, { recursive: true })
  })
  test('ClickHouse away: an error that may pass', async () => {
    const away = { ...slice('x'), clickhouseUrl: `http://127.0.0.1:${await freePort()}` }
    await expect(migrate(away)).rejects.toMatchObject({ code: 'clickhouse_migration', retryable: true })
  })
})
