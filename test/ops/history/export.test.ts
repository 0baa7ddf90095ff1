import { readdirSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import type { ClickHouseClient } from '@clickhouse/client'
import { Session } from 'chdb'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ANALYST_BOUNDS } from '../../../ops/analyst.ts'
import { clickhouseSink } from '../../../ops/clickhouseSink.ts'
import { RefusedOrder } from '../../../ops/commandLine.ts'
import { instant } from '../../../ops/instant.ts'
import { migrate } from '../../../ops/migrate.ts'
import { EXPORTS, type ExportTable, PIECE_ROWS, readOrder } from '../../../ops/scripts/exportOrder.ts'
import { cut, exportTable, tiled } from '../../../ops/scripts/exportTable.ts'
import { DAY, HOUR } from '../../../ops/units.ts'
import { at, episode } from '../../engine/history/support.ts'
import { sliceOf, startClickhouse, type TestClickhouse } from '../../support/clickhouse.ts'
import { runMain, until } from '../../support/process.ts'

let clickhouse: TestClickhouse
let client: ClickHouseClient
let out: string

beforeAll(async () => {
  clickhouse = await startClickhouse()
  await migrate(sliceOf(clickhouse, 'microdata'))
  client = clickhouse.client({ database: 'microdata' })
  const rows = [
    episode('1', at(10), at(11), { topic: 'A "quoted", topic', category: null, half_life_ms: 5 }),
    episode('2', at(23, 59), at(24, 5)),
    episode('3', at(24), at(25), { peak_cents: 7.25 }),
    episode('4', at(72), at(73)),
  ].map((row, seq) => ({ ...row, stream_ms: at(96) + 400 * DAY, stream_seq: seq }))
  await clickhouseSink(client).insert('gap_episodes', rows, 'rows')
  await sweptAt(at(96))
})
afterAll(() => clickhouse?.stop())
/** Archives a sweep up to this instant of the market clock, which is far behind the real one. */
async function sweptAt(ms: number, streamMs = ms + 400 * DAY): Promise<void> {
  const [started_at, finished_at] = [instant(ms), instant(ms + HOUR)]
  const sweep = { venue: 'a', started_at, finished_at, changed_at: started_at, complete: true }
  await client.insert({
    table: 'sweeps',
    values: [{ ...sweep, stream_ms: streamMs }],
    format: 'JSONEachRow',
  })
}
beforeEach(async () => {
  out = await mkdtemp(join(tmpdir(), 'microdata-export-'))
})
afterEach(() => rm(out, { recursive: true }))

const run = (args: string[], env: Record<string, string> = {}) =>
  start(args, { CLICKHOUSE_URL: clickhouse.url, ...env })
const start = (args: string[], env: Record<string, string>) => runMain('ops/scripts/export.ts', { args, env })
const order = (format: string, more: Record<string, string> = {}) =>
  Object.entries({
    table: 'gap_episodes',
    from: '2026-11-20',
    to: '2026-11-21',
    format,
    out,
    ...more,
  }).flatMap(([name, value]) => [`--${name}`, value])
/** Reads a file with an engine that knows nothing of the one that wrote it. */
async function readBack(file: string, format: string): Promise<Record<string, unknown>[]> {
  const reader = new Session(join(out, 'reader'))
  try {
    const answer = await reader.queryAsync(`SELECT * FROM file('${file}', ${format}) ORDER BY opened_at`, {
      format: 'JSONEachRow',
    })
    return Buffer.from(answer.bytes())
      .toString('utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  } finally {
    reader.close()
  }
}

describe('npm run export', () => {
  test('Parquet: one file a day with rows, read back with its types', async () => {
    const exporting = run(order('parquet', { to: '2026-11-23' }))
    expect([await exporting.exited, exporting.stderr()]).toMatchObject([{ code: 0 }, ''])
    expect((await readdir(out)).sort()).toEqual([
      'gap_episodes-2026-11-20.parquet',
      'gap_episodes-2026-11-21.parquet',
      'gap_episodes-2026-11-23.parquet',
    ])
    expect(exporting.stdout()).toMatch(/gap_episodes-2026-11-20\.parquet {2}2 rows {2}[\d,]+ bytes\n/)
    const rows = await readBack(join(out, 'gap_episodes-2026-11-20.parquet'), 'Parquet')
    expect(rows).toMatchObject([
      {
        episode_id: episode('1', at(10), at(11)).episode_id,
        topic: 'A "quoted", topic',
        category: null,
        opened_at: '2026-11-20 10:00:00.000',
        half_life_ms: 5,
        ever_executable: true,
        peak_cents: 5,
        life_ms: 3_600_000,
      },
      { opened_at: '2026-11-20 23:59:00.000', category: 'Economics', half_life_ms: null },
    ])
    expect(rows).toHaveLength(2)
  })
  test('CSV: names first, quotes doubled, empty for null; both days of the range', async () => {
    expect(await run(order('csv')).exited).toMatchObject({ code: 0 })
    expect((await readdir(out)).sort()).toEqual([
      'gap_episodes-2026-11-20.csv',
      'gap_episodes-2026-11-21.csv',
    ])
    const text = await readFile(join(out, 'gap_episodes-2026-11-20.csv'), 'utf8')
    const [names, first] = text.split('\n')
    expect(names).toMatch(/^"episode_id","pair_id","topic","category",/)
    expect(first).toContain('"A ""quoted"", topic",,"identity"')
    expect(await readBack(join(out, 'gap_episodes-2026-11-21.csv'), 'CSVWithNames')).toMatchObject([
      { opened_at: expect.stringMatching(/^2026-11-21 00:00:00\.0+$/), peak_cents: 7.25 },
    ])
  })
  describe('a day that is too large for one answer is read in pieces', () => {
    const day = { table: 'gap_episodes', from: '2026-11-20', to: '2026-11-20' } as const
    const exported = async (format: 'csv' | 'parquet', rows: number) => {
      const files: string[] = []
      await exportTable(
        client,
        { ...day, format, out },
        ({ file, rows: count }) => files.push(`${basename(file)} ${count}`),
        rows,
      )
      return files
    }
    test('CSV: one file, the names of the columns once', async () => {
      expect(await exported('csv', 1)).toEqual(['gap_episodes-2026-11-20.csv 2'])
      const pieces = await readFile(join(out, 'gap_episodes-2026-11-20.csv'), 'utf8')
      await exported('csv', 2)
      expect(pieces).toBe(await readFile(join(out, 'gap_episodes-2026-11-20.csv'), 'utf8'))
      expect(pieces.split('\n')).toHaveLength(4)
    })
    test('Parquet: one file a piece, and none that says the same in another cut', async () => {
      const pieces = [
        'gap_episodes-2026-11-20T0000-1001.parquet',
        'gap_episodes-2026-11-20T1001-2400.parquet',
      ]
      await exported('parquet', 2)
      expect(await exported('parquet', 1)).toEqual(pieces.map((name) => `${name} 1`))
      expect(await readdir(out)).toEqual(pieces)
      expect(await readBack(join(out, pieces[1]!), 'Parquet')).toMatchObject([
        { opened_at: '2026-11-20 23:59:00.000' },
      ])
      await exported('parquet', 2)
      expect((await readdir(out)).filter((name) => name.endsWith('.parquet'))).toEqual([
        'gap_episodes-2026-11-20.parquet',
      ])
    })
    test('Parquet: broken off after a piece, the day stays as it was exported before', async () => {
      await exported('parquet', 2)
      let calls = 0
      const failing: ClickHouseClient = Object.create(client, {
        exec: {
          value: (query: Parameters<ClickHouseClient['exec']>[0]) =>
            ++calls === 2 ? Promise.reject(new Error('connection reset')) : client.exec(query),
        },
      })
      const again = exportTable(failing, { ...day, format: 'parquet', out }, () => {}, 1)
      await expect(again).rejects.toThrow('connection reset')
      expect(await readdir(out)).toEqual(['gap_episodes-2026-11-20.parquet'])
    })
    test('two at once into one folder, of processes with one number, as in containers: each writes the whole day', async () => {
      let calls = 0
      let other: Promise<unknown> = Promise.resolve()
      const between: ClickHouseClient = Object.create(client, {
        exec: {
          value: async (query: Parameters<ClickHouseClient['exec']>[0]) => {
            if (++calls === 2) {
              other = exported('csv', 1)
              await other
            }
            return client.exec(query)
          },
        },
      })
      const file = join(out, 'gap_episodes-2026-11-20.csv')
      await exportTable(between, { ...day, format: 'csv', out }, () => {}, 1)
      await other
      expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(4)
      expect(await readdir(out)).toEqual([basename(file)])
    })
    test('what a killed export has left is in nobody’s way', async () => {
      await writeFile(join(out, `gap_episodes-2026-11-20.csv.${process.pid}.part`), 'half')
      expect(await exported('csv', 1)).toEqual(['gap_episodes-2026-11-20.csv 2'])
    })
    test('pieces of an earlier export, by whatever name, are in nobody’s way', async () => {
      for (const part of ['T1000', 'T0000-1312'])
        await writeFile(join(out, `gap_episodes-2026-11-20${part}.csv`), 'old')
      await exported('csv', 1)
      expect(await readdir(out)).toEqual(['gap_episodes-2026-11-20.csv'])
    })
    test('without gaps they reach from the beginning of the day to its end', () => {
      const pieces = [
        { fromMinute: 600, toMinute: 601, rows: 1 },
        { fromMinute: 700, toMinute: 800, rows: 2 },
      ]
      expect(tiled(pieces)).toEqual([
        { fromMinute: 0, toMinute: 601, rows: 1 },
        { fromMinute: 601, toMinute: 1_440, rows: 2 },
      ])
    })
    test('minutes stay whole, and are gathered up to the bound', () => {
      const minutes = [3, 2, 4, 9, 2].map((rows, minute) => ({ minute, rows }))
      expect(cut(minutes, 5).map(({ fromMinute, toMinute, rows }) => [fromMinute, toMinute, rows])).toEqual([
        [0, 2, 5],
        [2, 3, 4],
        [3, 4, 9],
        [4, 5, 2],
      ])
    })
    test('a piece is smaller than what an analyst may ask for', () => {
      for (const rows of Object.values(PIECE_ROWS)) expect(rows).toBeLessThan(ANALYST_BOUNDS.resultRows)
      const help = run(['--help'])
      return help.exited.then(() => expect(help.stdout()).toContain('5,000,000 rows'))
    })
  })
  describe('a day that is not over, or not all in the archive, says until when it is complete', () => {
    const exported = async (format: 'csv' | 'parquet', rows?: number) => {
      const day = { table: 'gap_episodes', from: '2026-11-20', to: '2026-11-20', format, out } as const
      await exportTable(client, day, () => {}, rows)
      return (await readdir(out)).filter((name) => name.endsWith(format))
    }
    beforeEach(() => client.command({ query: 'TRUNCATE TABLE sweeps' }))
    afterEach(() => sweptAt(at(96)))

    test.each([
      [at(13, 12), 'T0000-1312'],
      [at(23, 59), 'T0000-2359'],
      [at(24) - 1, 'T0000-2359'], //  its last minute may still get rows
      [at(24), ''],
      [at(-1), 'T0000-0000'], //      nothing of it is promised
    ])('archived up to %d: %s, with all rows there are', async (ms, part) => {
      await sweptAt(ms)
      for (const format of ['csv', 'parquet'] as const)
        expect(await exported(format)).toEqual([`gap_episodes-2026-11-20${part}.${format}`])
      const text = await readFile(join(out, `gap_episodes-2026-11-20${part}.csv`), 'utf8')
      expect(text.trim().split('\n')).toHaveLength(3)
    })
    test('nothing is known of the archive: nothing is promised', async () => {
      expect(await exported('csv')).toEqual(['gap_episodes-2026-11-20T0000-0000.csv'])
    })
    test.each([
      [at(13, 12), ['T0000-1001', 'T1001-1312'], 'T0000-1312'],
      [at(9, 30), ['T0000-0930', 'T1001-1001'], 'T0000-0930'], // later rows promise nothing
    ])('in pieces, archived up to %d: none of them says more', async (ms, pieces, whole) => {
      await sweptAt(ms)
      expect(await exported('parquet', 1)).toEqual(
        pieces.map((part) => `gap_episodes-2026-11-20${part}.parquet`),
      )
      expect(await exported('csv', 1)).toEqual([`gap_episodes-2026-11-20${whole}.csv`])
    })
    test('what is dated by the real clock, by that one', async () => {
      await client.insert({
        table: 'stream_gaps',
        values: [{ stream: 's', after_id: '1-0', before_id: '2-0', dropped: 1, noticed_at: instant(at(9)) }],
        format: 'JSONEachRow',
      })
      await sweptAt(at(0) - 400 * DAY, at(13, 12))
      const day = { table: 'stream_gaps', from: '2026-11-20', to: '2026-11-20', format: 'csv', out } as const
      await exportTable(client, day, () => {})
      await client.command({ query: 'TRUNCATE TABLE stream_gaps' })
      expect(await readdir(out)).toEqual(['stream_gaps-2026-11-20T0000-1312.csv'])
    })
    test('exported again when it is over: only the whole day is there', async () => {
      await sweptAt(at(13, 12))
      await exported('csv')
      await sweptAt(at(24))
      expect(await exported('csv')).toEqual(['gap_episodes-2026-11-20.csv'])
    })
  })
  describe('sales are promised up to the newest that was copied, however far the archive of quotes has come', () => {
    const sold = (ms: number, paidMs = ms) =>
      client.insert({
        table: 'sales',
        values: [{ event_id: `sold-${ms}`, at: instant(paidMs), stream_ms: ms }],
        format: 'JSONEachRow',
      })
    afterEach(() => client.command({ query: 'TRUNCATE TABLE sales' }))

    test.each([
      ['of that day', [at(9), at(13, 12)], 'T0000-1312'],
      ['of the day after', [at(9), at(25)], ''],
    ])('the newest is %s', async (_, instants, part) => {
      for (const ms of instants) await sold(ms)
      const day = { table: 'sales', from: '2026-11-20', to: '2026-11-20', format: 'csv', out } as const
      await exportTable(client, day, () => {})
      expect(await readdir(out)).toEqual([`sales-2026-11-20${part}.csv`])
    })
    test('what was paid for on a day and delivered when its file was there is of the day after: that file stays all there is', async () => {
      const days = { table: 'sales', from: '2026-11-20', to: '2026-11-21', format: 'csv', out } as const
      const idsOf = async (day: string) =>
        (await readFile(join(out, `sales-2026-11-${day}.csv`), 'utf8')).match(/sold-\d+/g)
      for (const ms of [at(9), at(25), at(49)]) await sold(ms)
      await exportTable(client, days, () => {})
      const before = await readFile(join(out, 'sales-2026-11-20.csv'), 'utf8')
      await sold(at(26), at(23, 59))
      await exportTable(client, days, () => {})
      expect(await readFile(join(out, 'sales-2026-11-20.csv'), 'utf8')).toBe(before)
      expect(await idsOf('20')).toEqual([`sold-${at(9)}`])
      expect(await idsOf('21')).toEqual([`sold-${at(25)}`, `sold-${at(26)}`])
    })
  })
  describe('the feed is promised up to the newest event that was copied: engines copy it, not the archive', () => {
    const told = (ms: number) =>
      client.insert({
        table: 'feed_events',
        values: [{ at: instant(ms), stream_ms: Date.now() }],
        format: 'JSONEachRow',
      })
    afterEach(async () => {
      for (const table of ['feed_events', 'feed_hours_states'])
        await client.command({ query: `TRUNCATE TABLE ${table}` })
    })

    test.each([
      ['of that day', [at(9), at(13, 12)], 'T0000-1312'],
      ['of the day after', [at(9), at(25)], ''],
    ])('the newest is %s', async (_, instants, part) => {
      for (const ms of instants) await told(ms)
      for (const table of ['feed_events', 'feed_hours'] as const)
        await exportTable(
          client,
          { table, from: '2026-11-20', to: '2026-11-20', format: 'csv', out },
          () => {},
        )
      expect((await readdir(out)).sort()).toEqual(
        ['feed_events', 'feed_hours'].map((table) => `${table}-2026-11-20${part}.csv`),
      )
    })
  })
  describe('a day that is partly too old: the feed is kept 180 days, by the real clock', () => {
    const day = { table: 'feed_events', from: '2026-11-20', to: '2026-11-20', format: 'csv', out } as const
    const files = async () => (await readdir(out)).sort()
    beforeEach(async () => {
      //  an hour of margin and five minutes: all of 12:00 is kept, of 11:00 it is not sure
      const aheadMs = Date.now() - 180 * DAY + HOUR - at(11, 55)
      const values = [9, 11, 13, 25].map((hour) => ({ at: instant(at(hour)), stream_ms: at(hour) + aheadMs }))
      await client.insert({ table: 'feed_events', values, format: 'JSONEachRow' })
    })
    afterEach(async () => {
      for (const table of ['feed_events', 'feed_hours_states'])
        await client.command({ query: `TRUNCATE TABLE ${table}` })
    })

    test('its file says from when it is complete; the day after it is whole, and so is what is kept for longer', async () => {
      for (const table of ['feed_events', 'feed_hours'] as const)
        expect(await exportTable(client, { ...day, table, to: '2026-11-21', out }, () => {})).toEqual([])
      expect(await files()).toEqual([
        expect.stringMatching(/^feed_events-2026-11-20T1[12]\d\d-2400\.csv$/),
        'feed_events-2026-11-21T0000-0100.csv',
        'feed_hours-2026-11-20.csv',
        'feed_hours-2026-11-21T0000-0100.csv',
      ])
    })
    test('pieces: nothing is promised of one that is too old', async () => {
      await exportTable(client, { ...day, format: 'parquet', out }, () => {}, 1)
      expect(await files()).toEqual([
        'feed_events-2026-11-20T0000-0000.parquet',
        'feed_events-2026-11-20T0901-0901.parquet',
        expect.stringMatching(/^feed_events-2026-11-20T1[12]\d\d-2400\.parquet$/),
      ])
    })
    test.each([
      ['', 'of the whole day', true],
      ['T0000-2359', 'of most of it', true],
      ['T0000-0800', 'of less than there is', false],
    ])('a file %s %s stays: %s', async (part, _, stays) => {
      const file = `feed_events-2026-11-20${part}.csv`
      await writeFile(join(out, file), 'before')
      const stay = await exportTable(client, { ...day, out }, () => {})
      expect(stay).toEqual(stays ? ['2026-11-20'] : [])
      if (stays) expect(await readFile(join(out, file), 'utf8')).toBe('before')
      expect(await files()).toEqual([stays ? file : expect.stringMatching(/-2400\.csv$/)])
    })
    test('the command says so', async () => {
      await writeFile(join(out, 'feed_events-2026-11-20.csv'), 'before')
      const exporting = run(order('csv', { table: 'feed_events', to: '2026-11-20' }))
      expect(await exporting.exited).toMatchObject({ code: 0 })
      expect(exporting.stdout()).toBe(
        'feed_events keeps no more of 2026-11-20 than its files have: they stay as they are\n',
      )
    })
  })
  describe('an episode is exported once it has ended, however long after the day it opened', () => {
    let live: ClickHouseClient
    beforeEach(async () => {
      let name: string
      ;({ name, client: live } = await clickhouse.database())
      await migrate(sliceOf(clickhouse, name))
    })
    /** Market clock and real clock are the same. Day 0 was 40 days ago: nothing of it is removed yet. */
    const today = Math.floor(Date.now() / DAY) * DAY
    const on = (day: number, hour: number) => today + (day - 40) * DAY + hour * HOUR
    const dayOf = (day: number) => instant(on(day, 0)).slice(0, 10)
    const store = (row: ReturnType<typeof episode>, storedMs: number) =>
      clickhouseSink(live).insert(
        'gap_episodes',
        [{ ...row, stream_ms: storedMs, stream_seq: 0 }],
        row.episode_id,
      )
    /** As ops/README has it done, 40 minutes into this day. @returns the days that were written. */
    async function night(day: number, table: 'gap_episodes' | 'gap_days' = 'gap_episodes') {
      const values = [{ venue: 'a', started_at: instant(on(day, 0)), stream_ms: on(day, 0) }]
      await live.insert({ table: 'sweeps', values, format: 'JSONEachRow' })
      const files: string[] = []
      const week = { from: dayOf(day - 7), to: dayOf(day - 1), format: 'csv', out } as const
      await exportTable(live, { table, ...week }, ({ file }) => files.push(basename(file)))
      return files
    }
    const exported = async (table: string, day: number) =>
      (await readFile(join(out, `${table}-${dayOf(day)}.csv`), 'utf8')).trim().split('\n').slice(1)

    test('each night writes the day anew on which a gap opened that ended since, and no other', async () => {
      await store(episode('short', on(0, 2), on(0, 3)), on(0, 3))
      await store(episode('other', on(1, 2), on(1, 3)), on(1, 3))
      const long = episode('long', on(0, 4), on(10, 5))
      for (let day = 1; day <= 10; day++) await night(day)
      expect(await exported('gap_episodes', 0)).toHaveLength(1)
      await store(long, on(10, 5))
      expect(await night(11)).toEqual([`gap_episodes-${dayOf(0)}.csv`])
      const lines = await exported('gap_episodes', 0)
      expect(lines.map((line) => line.includes(long.episode_id))).toEqual([false, true])
      expect(await night(17)).toEqual([`gap_episodes-${dayOf(0)}.csv`])
      expect(await night(18)).toEqual([])
    })
    test('one that ended unwatched is dated back, and known by when it was stored', async () => {
      const lost = episode('lost', on(0, 4), on(1, 5), { why_closed: 'unwatched' })
      await store(lost, on(20, 6))
      expect(await night(21)).toEqual([`gap_episodes-${dayOf(0)}.csv`])
    })
    test('and counted in the day it opened', async () => {
      await store(episode('short', on(0, 2), on(0, 3)), on(0, 3))
      await night(1, 'gap_days')
      const before = await exported('gap_days', 0)
      await store(episode('long', on(0, 4), on(10, 5)), on(10, 5))
      expect(await night(11, 'gap_days')).toEqual([`gap_days-${dayOf(0)}.csv`])
      expect(await exported('gap_days', 0)).not.toEqual(before)
    })
  })
  test.each(['csv', 'parquet'] as const)(
    '%s: the same rows make the same file, in whatever order they were written',
    async (format) => {
      const row = { stream: 's', after_id: '1-0', before_id: '2-0', noticed_at: instant(at(9)) }
      const rows = [3, 1, 2].map((dropped) => ({ ...row, dropped }))
      const files: Buffer[] = []
      for (const values of [rows, rows.toReversed()]) {
        await client.insert({ table: 'stream_gaps', values, format: 'JSONEachRow' })
        const day = { table: 'stream_gaps', from: '2026-11-20', to: '2026-11-20', format, out } as const
        await exportTable(client, day, () => {})
        await client.command({ query: 'TRUNCATE TABLE stream_gaps' })
        files.push(await readFile(join(out, `stream_gaps-2026-11-20.${format}`)))
      }
      expect(files[1]).toEqual(files[0])
    },
  )
  test('a day is told of when nothing else says the same', async () => {
    await writeFile(join(out, 'gap_episodes-2026-11-20T0000-1312.csv'), 'old')
    const day = { table: 'gap_episodes', from: '2026-11-20', to: '2026-11-20', format: 'csv', out } as const
    const there: string[][] = []
    await exportTable(client, day, () => there.push(readdirSync(out)))
    expect(there).toEqual([['gap_episodes-2026-11-20.csv']])
  })
  test('nothing in the range: no file, and it says so', async () => {
    const exporting = run(order('csv', { from: '2026-01-01', to: '2026-01-02' }))
    expect(await exporting.exited).toMatchObject({ code: 0 })
    expect(exporting.stdout()).toBe('gap_episodes has no rows from 2026-01-01 to 2026-01-02\n')
    expect(await readdir(out)).toEqual([])
  })
  test('every table can be exported', async () => {
    for (const table of Object.keys(EXPORTS) as ExportTable[])
      await exportTable(
        client,
        { table, format: 'parquet', from: '2026-11-20', to: '2026-11-20', out: join(out, table) },
        () => {},
      )
    expect((await readdir(out)).sort()).toEqual(Object.keys(EXPORTS).sort())
  })
  test('an analyst exports history, but not the sales', async () => {
    const env = { CLICKHOUSE_USER: 'analyst', CLICKHOUSE_PASSWORD: clickhouse.analystPassword }
    expect(await run(order('csv'), env).exited).toMatchObject({ code: 0 })
    const refused = run(order('csv', { table: 'sales' }), env)
    expect(await refused.exited).toMatchObject({ code: 1 })
    expect(refused.stderr()).toContain('Not enough privileges')
  })
  test('whoever has the folder of a sandbox exports its sales too', async () => {
    const access = { url: clickhouse.url, database: 'microdata' }
    const sandbox = {
      url: 'http://127.0.0.1:1',
      chain: { rpcUrl: 'http://127.0.0.1:1' },
      clickhouse: { ...access, user: 'analyst', password: clickhouse.analystPassword },
      journal: { ...access, user: 'default', password: '' },
      buyers: [],
    }
    await writeFile(join(out, 'sandbox.json'), JSON.stringify(sandbox))
    for (const table of ['sales', 'gap_episodes'] as const) {
      const exporting = start(order('csv', { table, 'data-dir': out }), {})
      expect(await exporting.exited, exporting.stderr()).toMatchObject({ code: 0 })
    }
  })
  test('a second export replaces the first when it is complete; one that is cut leaves it, and nothing half', async () => {
    const day = { table: 'gap_episodes', format: 'csv', from: '2026-11-21', to: '2026-11-21', out } as const
    const file = join(out, 'gap_episodes-2026-11-21.csv')
    await writeFile(file, 'before')
    const cut: ClickHouseClient = Object.create(client, {
      exec: {
        value: async (...args: Parameters<ClickHouseClient['exec']>) => {
          const answer = await client.exec(...args)
          const broken = new PassThrough()
          answer.stream.once('data', (bytes) => {
            broken.write(bytes)
            broken.destroy(new Error('connection reset'))
          })
          return { ...answer, stream: broken }
        },
      },
    })
    await expect(exportTable(cut, day, () => {})).rejects.toThrow('connection reset')
    expect(await readdir(out)).toEqual(['gap_episodes-2026-11-21.csv'])
    expect(await readFile(file, 'utf8')).toBe('before')
    await exportTable(client, day, () => {})
    expect(await readFile(file, 'utf8')).toContain('"episode_id"')
  })

  test.each([
    ['csv', 0],
    ['csv', 0.5],
    ['parquet', 0],
    ['parquet', 0.5],
  ] as const)(
    '%s: an answer that ends after %d of its bytes as if it were whole is no file',
    async (format, share) => {
      const day = { table: 'gap_episodes', format, from: '2026-11-21', to: '2026-11-21', out } as const
      const name = `gap_episodes-2026-11-21.${format}`
      await writeFile(join(out, name), 'before')
      //  as a proxy hands on, without a length, what a database sent that was killed
      const half: ClickHouseClient = Object.create(client, {
        exec: {
          value: async (...args: Parameters<ClickHouseClient['exec']>) => {
            const answer = await client.exec(...args)
            const whole = await buffer(answer.stream)
            return {
              ...answer,
              stream: new PassThrough().end(whole.subarray(0, Math.floor(whole.length * share))),
            }
          },
        },
      })
      const told: unknown[] = []
      await expect(exportTable(half, day, (file) => told.push(file))).rejects.toThrow('was cut after')
      expect(told).toEqual([])
      expect(await readdir(out)).toEqual([name])
      expect(await readFile(join(out, name), 'utf8')).toBe('before')
    },
  )

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('%s while a file is written: the file from before, and nothing half', async (signal, code) => {
    const file = 'gap_episodes-2026-11-20.csv'
    await writeFile(join(out, file), 'before')
    //  passes everything on to the database but queries for rows: it sends their header and never ends
    const endless = createServer(async (request, response) => {
      const query = await text(request)
      if (query.includes('FORMAT CSV')) return void response.write('"episode_id"\n')
      const { authorization = '' } = request.headers
      const answer = await fetch(`${clickhouse.url}${request.url}`, {
        method: 'POST',
        headers: { authorization },
        body: query,
      })
      response.writeHead(answer.status).end(await answer.text())
    })
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve))
    const { port } = endless.address() as AddressInfo
    const exporting = run(order('csv'), { CLICKHOUSE_URL: `http://127.0.0.1:${port}` })
    try {
      await until('a part', async () => (await readdir(out)).some((name) => name.endsWith('.part')))
      exporting.child.kill(signal)
      expect(await exporting.exited).toMatchObject({ code })
      expect(await readdir(out)).toEqual([file])
      expect(await readFile(join(out, file), 'utf8')).toBe('before')
    } finally {
      await exporting.kill()
      endless.closeAllConnections()
      endless.close()
    }
  })
  test.runIf(process.platform === 'linux')('a folder that cannot be made: exit code 1, at once', async () => {
    const exporting = run(order('csv', { out: '/proc/none/of/these' }))
    expect(await exporting.exited).toMatchObject({ code: 1 })
    expect(exporting.stderr()).toContain('/proc/none')
  })
  test('a disk that refuses: exit code 1, and the days before are there', async () => {
    await mkdir(join(out, 'gap_episodes-2026-11-21.csv'))
    expect(await run(order('csv')).exited).toMatchObject({ code: 1 })
    expect((await readdir(out)).sort()).toEqual([
      'gap_episodes-2026-11-20.csv',
      'gap_episodes-2026-11-21.csv',
    ])
  })
})

describe('what is refused before anything is read', () => {
  const good = { table: 'quotes', from: '2026-11-20', to: '2026-11-20', format: 'csv', out: 'x' }
  const daysBefore = (days: number) => new Date(Date.UTC(2026, 10, 20 - days)).toISOString().slice(0, 10)
  const argv = (change: Record<string, string | undefined>) =>
    Object.entries({ ...good, ...change }).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, value],
    )
  test.each([
    [{}, null],
    [{ table: undefined }, '--table: is missing'],
    [{ table: 'schema_migrations' }, '--table schema_migrations: is none of quotes, '],
    [{ table: 'quotes; DROP TABLE quotes' }, 'is none of'],
    [{ table: 'constructor' }, 'is none of'],
    [{ format: 'xlsx' }, '--format xlsx: is none of csv, parquet'],
    [{ format: undefined }, '--format: is missing'],
    [{ out: '' }, '--out: is missing'],
    [{ from: undefined }, '--from: is missing'],
    [{ from: '2026-02-30' }, '--from 2026-02-30: is no day'],
    [{ to: 'today' }, '--to today: is no day'],
    [{ from: '1970-01-01', to: '1970-01-01' }, null],
    [
      { from: '1969-12-31', to: '1970-01-01' },
      '--from 1969-12-31: the database has no days before 1970-01-01',
    ],
    [{ from: '2149-06-05', to: '2149-06-05' }, null],
    [{ from: '2149-06-05', to: '2149-06-06' }, '--to 2149-06-06: the database has no days'],
    [{ from: '2026-11-21' }, '--from: is after --to'],
    [{ from: daysBefore(3_659) }, null],
    [{ from: daysBefore(3_660) }, '3661 days, at most 3660'],
    [{ where: '1' }, "'--where'"],
  ])('%j: %s', (change, words) => {
    if (words === null) expect(readOrder(argv(change))).toMatchObject({ table: 'quotes', format: 'csv' })
    else expect(() => readOrder(argv(change))).toThrow(words)
  })
  test('the command says it on standard error and ends with 2', async () => {
    const refused = run(order('xlsx'))
    expect(await refused.exited).toMatchObject({ code: 2 })
    expect(refused.stderr()).toContain('--format xlsx: is none of csv, parquet')
    expect(() => readOrder(argv({ format: 'xlsx' }))).toThrow(RefusedOrder)
  })
  test('no database named and no sandbox running: it says which key is missing', async () => {
    const lost = start(order('csv', { 'data-dir': out }), {})
    expect(await lost.exited).toMatchObject({ code: 2 })
    expect(lost.stderr()).toContain('CLICKHOUSE_URL: is missing')
  })
})
