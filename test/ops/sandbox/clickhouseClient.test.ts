import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { ClickHouseError } from '@clickhouse/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startClickhouse, type TestClickhouse } from '../../support/clickhouse.ts'
import { sleep, until } from '../../support/process.ts'

let server: TestClickhouse
let client: Awaited<ReturnType<TestClickhouse['database']>>['client']
let database: string

beforeAll(async () => {
  server = await startClickhouse({ password: 'owner-password' })
  const own = await server.database()
  client = own.client
  database = own.name
  await client.command({ query: 'CREATE TABLE quotes (id UInt64, name String) ENGINE MergeTree ORDER BY id' })
})
afterAll(() => server.stop())

const rows = async (query: string) => (await client.query({ query, format: 'JSONEachRow' })).json()
const failure = (promise: Promise<unknown>): Promise<ClickHouseError> =>
  promise.then(
    () => expect.fail('should have failed'),
    (error) => error,
  )

describe('@clickhouse/client needs no change between this and a server', () => {
  test('ping, with and without a query', async () => {
    expect(await client.ping()).toEqual({ success: true })
    expect(await client.ping({ select: true })).toEqual({ success: true })
    expect(await server.client({ password: 'wrong' }).ping({ select: true })).toMatchObject({
      success: false,
    })
  })

  test('inserts rows, in three shapes, and reads them back', async () => {
    const values = [
      { id: 1, name: 'plain' },
      { id: 2, name: "it's\n\n\ta; DROP TABLE quotes -- é\u0000😀" },
    ]
    await client.command({ query: 'TRUNCATE TABLE quotes' })
    const done = await client.insert({ table: 'quotes', values, format: 'JSONEachRow' })
    expect(done).toMatchObject({ executed: true, summary: { written_rows: '2' } })
    await client.insert({
      table: 'quotes',
      values: [[3, 'positional']],
      format: 'JSONCompactEachRow',
      columns: ['id', 'name'],
    })
    const stream = Readable.from([{ id: 4, name: 'streamed' }])
    await client.insert({ table: 'quotes', values: stream, format: 'JSONEachRow' })
    expect(await rows('SELECT * FROM quotes ORDER BY id')).toEqual(
      [
        { id: '1', name: values[0]!.name },
        { id: '2', name: values[1]!.name },
        { id: '3', name: 'positional' },
        { id: '4', name: 'streamed' },
      ].map((row) => ({ ...row, id: Number(row.id) })),
    )
  })

  test('an insert of nothing is fine, one into no table is not', async () => {
    await client.insert({ table: 'quotes', values: Readable.from([]), format: 'JSONEachRow' })
    const error = await failure(client.insert({ table: 'nope', values: [{ a: 1 }], format: 'JSONEachRow' }))
    expect(error).toMatchObject({ code: '60', type: 'UNKNOWN_TABLE' })
  })

  test('an insert is all or nothing: a broken last row inserts none, and the error names the row and no file', async () => {
    await client.command({ query: 'CREATE TABLE whole (id UInt64) ENGINE MergeTree ORDER BY id' })
    const lines = Array.from({ length: 20_000 }, (_, id) => JSON.stringify({ id }))
    const error = await failure(
      client.exec({
        query: 'INSERT INTO whole FORMAT JSONEachRow',
        values: Readable.from([`${[...lines, '{"id":"x"}'].join('\n')}\n`]),
      }),
    )
    expect(error).toMatchObject({ code: '27', type: 'CANNOT_PARSE_INPUT_ASSERTION_FAILED' })
    expect(error.message).toContain('at row 20001')
    expect(error.message).not.toContain(server.dir)
    expect(await rows('SELECT toUInt32(count()) AS n FROM whole')).toEqual([{ n: 0 }])
  })

  test('command and exec: DDL, INSERT … SELECT, INSERT … VALUES, a result stream', async () => {
    await client.command({ query: 'CREATE TABLE copies AS quotes' })
    await client.command({ query: 'INSERT INTO copies SELECT number, toString(number) FROM numbers(3)' })
    const { summary } = await client.command({
      query: "INSERT INTO copies (id, name) VALUES (7, 'a;b'), (8, upper('c'));",
    })
    expect(summary).toMatchObject({ written_rows: '2' })
    const { stream } = await client.exec({
      query: 'SELECT id, name FROM copies ORDER BY id FORMAT TabSeparated',
    })
    expect(await text(stream)).toBe('0\t0\n1\t1\n2\t2\n7\ta;b\n8\tC\n')
    await client.command({ query: 'DROP TABLE copies SYNC' })
    expect(await failure(client.query({ query: 'SELECT * FROM copies' }))).toMatchObject({ code: '60' })
  })

  test.each(['gzip', 'br', 'zstd'] as const)('%s both ways', async (codec) => {
    const packed = server.client({
      database,
      compression: { request: { codec }, response: { codec } },
    } as Parameters<TestClickhouse['client']>[0])
    const values = Array.from({ length: 20_000 }, (_, id) => ({ id: id + 1_000_000, name: `row ${id}` }))
    await packed.insert({ table: 'quotes', values, format: 'JSONEachRow' })
    const result = await packed.query({
      query: 'SELECT id, name FROM quotes WHERE id >= 1000000 ORDER BY id',
      format: 'JSONEachRow',
    })
    expect(result.response_headers['content-encoding']).toBe(codec)
    expect(((await result.json()) as unknown[]).length).toBe(20_000)
    await client.command({
      query: 'ALTER TABLE quotes DELETE WHERE id >= 1000000',
      clickhouse_settings: { mutations_sync: '2' },
    })
    const error = await failure(packed.query({ query: 'SELECT * FROM nope' }))
    expect(error).toMatchObject({ code: '60' })
  })

  test('settings: taken by the engine, for one query only; unknown ones are code 115', async () => {
    const asked = { query: "SELECT getSetting('max_threads') AS n", format: 'JSONEachRow' } as const
    const first = await client.query({ ...asked, clickhouse_settings: { max_threads: 3 } })
    expect(await first.json()).toEqual([{ n: 3 }])
    const second = (await (await client.query(asked)).json()) as { n: number }[]
    expect(second[0]!.n).not.toBe(3)
    const slow = client.query({
      query: 'SELECT sleepEachRow(0.5) FROM numbers(6)',
      clickhouse_settings: { max_execution_time: 1 },
    })
    expect(await failure(slow)).toMatchObject({ code: '159', type: 'TIMEOUT_EXCEEDED' })
    const many = client.query({
      query: 'SELECT number FROM numbers(11)',
      clickhouse_settings: { max_result_rows: '10' },
    })
    expect(await failure(many)).toMatchObject({ code: '396', type: 'TOO_MANY_ROWS_OR_BYTES' })
    const unknown = client.query({ query: 'SELECT 1', clickhouse_settings: { no_such_setting: 1 } })
    expect(await failure(unknown)).toMatchObject({ code: '115', type: 'UNKNOWN_SETTING' })
    const readonly = client.command({ query: 'DROP TABLE quotes', clickhouse_settings: { readonly: '1' } })
    expect(await failure(readonly)).toMatchObject({ code: '164', type: 'READONLY' })
    const quoted = await client.query({
      query: 'SELECT toUInt64(5) AS n',
      format: 'JSONEachRow',
      clickhouse_settings: { output_format_json_quote_64bit_integers: 1 },
    })
    expect(await quoted.json()).toEqual([{ n: '5' }])
  })

  test.each([
    { async_insert: 1, wait_for_async_insert: 1 },
    { async_insert: 1, wait_for_async_insert: 0 },
    { insert_deduplicate: 1 },
    { deduplicate_blocks_in_dependent_materialized_views: 1 },
    { date_time_input_format: 'best_effort' },
  ] as const)('an insert with %j is there when it is acknowledged', async (clickhouse_settings) => {
    await client.command({
      query: 'CREATE OR REPLACE TABLE acked (at DateTime) ENGINE MergeTree ORDER BY at',
    })
    const at =
      'date_time_input_format' in clickhouse_settings ? '2026-01-02T03:04:05Z' : '2026-01-02 03:04:05'
    await client.insert({ table: 'acked', values: [{ at }], format: 'JSONEachRow', clickhouse_settings })
    expect(await rows('SELECT at FROM acked')).toEqual([{ at: '2026-01-02 03:04:05' }])
  })

  test('input settings reach the reading of the data', async () => {
    const values = [{ id: 9_000_000, name: 'x', unknown: 1 }]
    const skip = (input_format_skip_unknown_fields: 0 | 1) =>
      client.insert({
        table: 'quotes',
        values,
        format: 'JSONEachRow',
        clickhouse_settings: { input_format_skip_unknown_fields },
      })
    expect(await failure(skip(0))).toMatchObject({ code: '117', type: 'INCORRECT_DATA' })
    await skip(1)
    expect(await rows('SELECT name FROM quotes WHERE id = 9000000')).toEqual([{ name: 'x' }])
  })

  test('multipart parameters, alone and chosen for their size', async () => {
    const names = Array.from({ length: 2_000 }, (_, at) => `name ${at} '\\ é`)
    const query = 'SELECT length({names:Array(String)}) AS n, {names:Array(String)}[2] AS second'
    for (const how of [{ use_multipart_params: true }, { use_multipart_params_auto: true }]) {
      const answer = await client.query({ query, query_params: { names }, format: 'JSONEachRow', ...how })
      expect(await answer.json()).toEqual([{ n: expect.anything(), second: names[1] }])
    }
  })

  test('a query id is echoed, and two queries at a time cannot share one', async () => {
    const query_id = 'our-own-id'
    const first = client.query({ query: 'SELECT sleep(2)', query_id })
    const running = "SELECT 1 FROM system.processes WHERE query LIKE 'SELECT sleep(2)%'"
    await until('it runs', async () => (await rows(running)).length === 1)
    const error = await failure(client.query({ query: 'SELECT 1', query_id }))
    expect(error).toMatchObject({ code: '216', type: 'QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING' })
    const done = await first
    expect(done.query_id).toBe(query_id)
    expect(done.response_headers['x-clickhouse-query-id']).toBe(query_id)
    await done.text()
  })

  test('a read that is given up stops in the engine, and KILL QUERY finds a query by its id', async () => {
    const endless = 'SELECT count() FROM numbers(1000000000000)'
    const giveUp = new AbortController()
    const given = failure(client.query({ query: endless, abort_signal: giveUp.signal, query_id: 'given-up' }))
    const killed = failure(client.query({ query: endless, query_id: 'to-kill' }))
    const runs = async () =>
      (await rows(
        "SELECT Settings['log_comment'] AS id FROM system.processes WHERE query LIKE '%1000000000000%' AND query NOT LIKE '%processes%' ORDER BY id",
      )) as { id: string }[]
    for (let tries = 0; (await runs()).length < 2 && tries < 100; tries += 1) await sleep(50)
    expect(await runs()).toEqual([{ id: 'given-up' }, { id: 'to-kill' }])
    giveUp.abort()
    await given
    await client.command({ query: "KILL QUERY WHERE query_id = 'to-kill' SYNC" })
    expect(await killed).toMatchObject({ code: '394', type: 'QUERY_WAS_CANCELLED' })
    for (let tries = 0; (await runs()).length > 0 && tries < 100; tries += 1) await sleep(50)
    expect(await runs()).toEqual([])
  })

  test('eight queries run at a time, seven of them asleep', async () => {
    const asleep = Array.from({ length: 7 }, () => rows('SELECT sleep(2.5)'))
    const running =
      "SELECT toUInt32(count()) AS n FROM system.processes WHERE query LIKE 'SELECT sleep(2.5)%'"
    await until('all seven', async () => ((await rows(running)) as { n: number }[])[0]!.n === 7, 5_000)
    await Promise.all(asleep)
  })

  test('no read waits for a slow insert', async () => {
    const slow = client.command({
      query: 'INSERT INTO quotes SELECT 2000000 + number, toString(sleepEachRow(0.5)) FROM numbers(4)',
    })
    let inserted = false
    void slow.then(() => {
      inserted = true
    })
    await sleep(200)
    await Promise.all(Array.from({ length: 8 }, () => rows('SELECT count() FROM quotes')))
    expect(inserted).toBe(false)
    await slow
  })
})
