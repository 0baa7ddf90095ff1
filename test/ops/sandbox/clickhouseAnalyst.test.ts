import { access, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ClickHouseError } from '@clickhouse/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALLOWANCES } from '../../../ops/sandbox/clickhouse/users.ts'
import { HOUR } from '../../../ops/units.ts'
import { startClickhouse, type TestClickhouse } from '../../support/clickhouse.ts'

let server: TestClickhouse
let listener: Server
let connections = 0
let port = 0
let secretPath = ''

beforeAll(async () => {
  server = await startClickhouse({ password: 'owner-password', analystPassword: 'read-only' })
  const owner = server.client()
  await owner.command({ query: 'CREATE TABLE microdata.quotes (id UInt32) ENGINE MergeTree ORDER BY id' })
  await owner.insert({ table: 'microdata.quotes', values: [{ id: 1 }, { id: 2 }], format: 'JSONEachRow' })
  await owner.command({ query: 'CREATE DATABASE private' })
  await owner.command({ query: 'CREATE TABLE private.keys (k String) ENGINE MergeTree ORDER BY k' })
  listener = createServer((socket) => {
    connections += 1
    socket.on('error', () => undefined)
    socket.destroy()
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  port = (listener.address() as AddressInfo).port
  secretPath = join(server.dir, 'secret.txt')
  await writeFile(secretPath, 'top-secret')
})
afterAll(async () => {
  await server.stop()
  await new Promise((resolve) => listener.close(resolve))
})

async function ask(query: string, parameters: Record<string, string> = {}) {
  const response = await fetch(
    `${server.url}/?${new URLSearchParams({ database: 'microdata', ...parameters })}`,
    {
      method: 'POST',
      body: query,
      headers: { 'X-ClickHouse-User': 'analyst', 'X-ClickHouse-Key': 'read-only' },
    },
  )
  return {
    status: response.status,
    code: response.headers.get('x-clickhouse-exception-code'),
    text: await response.text(),
  }
}

describe('who may come in', () => {
  const attempt = async (headers: Record<string, string>, query = '') => {
    const response = await fetch(`${server.url}/?query=SELECT+1${query}`, { headers })
    return [response.status, response.headers.get('x-clickhouse-exception-code')]
  }
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })

  test.each([
    [basic('analyst:read-only'), '', 200, null],
    [{ 'X-ClickHouse-User': 'analyst', 'X-ClickHouse-Key': 'read-only' }, '', 200, null],
    [{}, '&user=analyst&password=read-only', 200, null],
    [{ 'X-ClickHouse-Key': 'owner-password' }, '', 200, null],
    [{}, '&password=owner-password', 200, null],
    [basic('analyst:owner-password'), '', 403, '516'],
    [basic('analyst:'), '', 403, '516'],
    [basic('analyst:read-only '), '', 403, '516'],
    [basic('Analyst:read-only'), '', 403, '516'],
    [basic('nobody:'), '', 403, '516'],
    [basic('__proto__:'), '', 403, '516'],
    [{ authorization: 'Bearer abc' }, '', 403, '516'],
    [{ authorization: 'Basic !' }, '', 403, '516'],
    [{ ...basic('analyst:read-only'), 'X-ClickHouse-User': 'analyst' }, '', 403, '516'],
    [basic('analyst:read-only'), '&user=default', 403, '516'],
    [{}, '', 401, '194'],
  ])('%j %s: %d', async (headers, query, status, code) => {
    expect(await attempt(headers as Record<string, string>, query)).toEqual([status, code])
  })
})

describe('what the analyst reads', () => {
  test.each([
    ['SELECT count() FROM quotes', '2\n'],
    ['SELECT sum(id) FROM (SELECT id FROM microdata.quotes UNION ALL SELECT number FROM numbers(3))', '6\n'],
    ['WITH 2 AS two SELECT max(id) FROM quotes WHERE id <= two', '2\n'],
    ['SHOW TABLES', 'quotes\n'],
    ['SHOW DATABASES', 'microdata\n'],
    ['SHOW TABLES FROM private', ''],
    ['DESCRIBE TABLE quotes', 'id\tUInt32\t\t\t\t\t\n'],
    ['EXISTS TABLE quotes', '1\n'],
    ["SELECT name FROM system.tables WHERE database NOT IN ('system')", 'quotes\n'],
    ["SELECT count() > 0 FROM system.columns WHERE table = 'quotes'", '1\n'],
    ["SELECT count() FROM merge('microdata', 'quotes')", '2\n'],
    ["SELECT format('{}-{}', 'a', 'b')", 'a-b\n'],
    ["SELECT * FROM values('a UInt8', 1)", '1\n'],
    ["SELECT 'file' AS kind", 'file\n'],
  ])('%s', async (query, expected) => {
    const answer = await ask(query)
    expect([
      answer.text.replace(/^(?:INFORMATION_SCHEMA|information_schema|system)\n/gm, ''),
      answer.status,
    ]).toEqual([expected, 200])
  })

  test('EXPLAIN, a client with parameters, an export', async () => {
    expect((await ask('EXPLAIN SELECT * FROM quotes')).text).toContain('ReadFromMergeTree')
    const client = server.client({ username: 'analyst', password: 'read-only', database: 'microdata' })
    const answer = await client.query({
      query: 'SELECT id FROM quotes WHERE id > {least:UInt32}',
      query_params: { least: 1 },
      clickhouse_settings: { output_format_json_quote_64bit_integers: 1, max_execution_time: 5 },
      format: 'JSONEachRow',
    })
    expect(await answer.json()).toEqual([{ id: 2 }])
    expect((await ask('SELECT * FROM quotes FORMAT Parquet')).text.slice(0, 4)).toBe('PAR1')
  })
})

describe('what the analyst cannot', () => {
  test.each([
    'INSERT INTO quotes VALUES (3)',
    'INSERT INTO quotes SELECT 3',
    'INSERT INTO quotes FORMAT CSV\n3',
    "INSERT INTO FUNCTION file('x.csv') SELECT 1",
    'CREATE TABLE other (a Int8) ENGINE Memory',
    'CREATE TEMPORARY TABLE other (a Int8)',
    'CREATE VIEW v AS SELECT 1',
    'CREATE FUNCTION f AS x -> x',
    'DROP TABLE quotes',
    'TRUNCATE TABLE quotes',
    'ALTER TABLE quotes DELETE WHERE 1',
    'DELETE FROM quotes WHERE 1',
    'OPTIMIZE TABLE quotes',
    'RENAME TABLE quotes TO q2',
    'SYSTEM FLUSH LOGS',
    'SYSTEM SHUTDOWN',
    'KILL QUERY WHERE 1',
    'GRANT owner TO default',
    'SET readonly = 0',
    'SET ROLE owner',
    'SET ROLE ALL',
    'EXECUTE AS default SELECT 1',
    'USE private',
    "BACKUP TABLE quotes TO File('x')",
    'ATTACH TABLE quotes',
    'BEGIN TRANSACTION',
    'EXCHANGE TABLES quotes AND quotes',
    'SELECT 1 PARALLEL WITH DROP TABLE quotes',
  ])('change: %s', async (query) => {
    const answer = await ask(query)
    expect([403, 400]).toContain(answer.status)
    expect(['497', '62', '164']).toContain(answer.code)
  })

  test.each([
    ['SELECT 1 SETTINGS readonly = 0', '164'],
    ['SELECT 1 SETTINGS max_memory_usage = 0', '164'],
    ['SELECT * FROM private.keys', '497'],
    ['SELECT * FROM system.users', '497'],
    ['SELECT * FROM system.stack_trace', '497'],
    ['SHOW CREATE USER default', '497'],
  ])('%s: code %s', async (query, code) => {
    expect((await ask(query)).code).toBe(code)
  })

  test.each([
    ['readonly', '0'],
    ['max_execution_time', '0'],
    ['max_execution_time', '61'],
    ['max_memory_usage', '0'],
    ['max_memory_usage', '99999999999'],
    ['max_result_rows', '-1'],
    ['max_result_rows', '1e99'],
    ['result_overflow_mode', 'break'],
    ['profile', 'default'],
    ['allow_ddl', '1'],
    ['allow_introspection_functions', '1'],
    ['max_threads', '64'],
    ['log_queries', '1'],
  ])('setting %s=%s: code 164', async (name, value) => {
    expect((await ask('SELECT 1', { [name]: value })).code).toBe('164')
  })

  test('its limits hold: time, rows, memory', async () => {
    const limits = await ask(
      "SELECT getSetting('readonly'), getSetting('max_execution_time'), getSetting('max_result_rows'), getSetting('max_memory_usage'), currentRoles()",
    )
    expect(limits.text).toBe("1\t60\t5000000\t1073741824\t['analyst']\n")
    expect((await ask('SELECT count() FROM numbers(1000000000000)', { max_execution_time: '1' })).code).toBe(
      '159',
    )
    expect((await ask('SELECT number FROM numbers(5000001)')).code).toBe('396')
    expect((await ask('SELECT groupArray(number) FROM numbers(300000000)')).code).toBe('241')
  })
})

describe('no file of this machine and no other machine can be reached by reading', () => {
  const file = () => `'${secretPath}'`
  const statements: [string, () => string][] = [
    ['function', () => `SELECT file(${file()})`],
    ['function, quoted', () => `SELECT \`file\`(${file()})`],
    ['function, escaped name', () => `SELECT \`\\x66ile\`(${file()})`],
    ['function, escaped in double quotes', () => `SELECT "f\\x69le"(${file()})`],
    ['function, typographic quotes', () => `SELECT “file”(${file()})`],
    ['function behind comments', () => `SELECT /* /* */ */ file -- x\n (${file()})`],
    ['function behind a heredoc', () => `SELECT $x$ ' $x$, file(${file()}), $x$ ' $x$`],
    ['function behind a hash comment', () => `SELECT 1 #'\n, file(${file()}) #'`],
    ['APPLY by name', () => `SELECT * APPLY file FROM (SELECT ${file()})`],
    ['APPLY lambda', () => `SELECT * APPLY (x -> file(x)) FROM (SELECT ${file()})`],
    ['COLUMNS APPLY', () => `SELECT COLUMNS('.*') APPLY(file) FROM (SELECT ${file()} AS a)`],
    ['passed by name', () => `SELECT arrayMap(file, [${file()}])`],
    ['in a lambda', () => `SELECT arrayMap(x -> file(x), [${file()}])`],
    ['in a subquery', () => `SELECT (SELECT file(${file()}))`],
    ['in view()', () => `SELECT * FROM view(SELECT file(${file()}))`],
    ['in text run as a query', () => `SELECT * FROM eval('SELECT file(''${secretPath}'')')`],
    ['table function', () => `SELECT * FROM file(${file()}, LineAsString)`],
    ['table function, described', () => `DESCRIBE TABLE file(${file()})`],
    ['file as table', () => `SELECT * FROM \`${secretPath}\``],
    ['file as table of the overlay database', () => `SELECT * FROM default.\`${secretPath}\``],
    ['fileCluster', () => `SELECT * FROM fileCluster('default', ${file()})`],
    ['filesystem', () => `SELECT * FROM filesystem('${server.dir}')`],
    ['icebergLocal', () => `SELECT * FROM icebergLocal('${server.dir}')`],
    ['sqlite', () => `SELECT * FROM sqlite(${file()}, 't')`],
    ['executable', () => `SELECT * FROM executable('cat', TSV, 'a String')`],
    ['library', () => `SELECT catboostEvaluate(${file()}, 1)`],
    ['outfile', () => `SELECT 1 INTO OUTFILE '${secretPath}.out'`],
    ['outfile in what is explained', () => `EXPLAIN AST SELECT 1 INTO OUTFILE '${secretPath}.out'`],
    ['outfile in typographic quotes', () => `SELECT 1 AS “'” INTO OUTFILE '${secretPath}.out'`],
    ['url', () => `SELECT * FROM url('http://127.0.0.1:${port}/', CSV)`],
    ['url, described', () => `DESCRIBE TABLE url('http://127.0.0.1:${port}/', CSV)`],
    ['s3', () => `SELECT * FROM s3('http://127.0.0.1:${port}/bucket/key.csv', 'CSV')`],
    [
      's3 with columns',
      () => `SELECT * FROM s3('http://127.0.0.1:${port}/bucket/key.csv', 'CSV', 'a String')`,
    ],
    ['iceberg', () => `SELECT * FROM iceberg('http://127.0.0.1:${port}/bucket/key')`],
    ['deltaLake', () => `SELECT * FROM deltaLake('http://127.0.0.1:${port}/bucket/key')`],
    ['azure', () => `SELECT * FROM azureBlobStorage('http://127.0.0.1:${port}/a', 'c', 'b.csv')`],
    ['hdfs', () => `SELECT * FROM hdfs('hdfs://127.0.0.1:${port}/x', 'CSV', 'a String')`],
    ['remote', () => `SELECT * FROM remote('127.0.0.1:${port}', 'system.one')`],
    ['remoteSecure', () => `SELECT * FROM remoteSecure('127.0.0.1:${port}', system, one)`],
    ['mysql', () => `SELECT * FROM mysql('127.0.0.1:${port}', 'a', 'b', 'c', 'd')`],
    ['postgresql', () => `SELECT * FROM postgresql('127.0.0.1:${port}', 'a', 'b', 'c', 'd')`],
    ['redis', () => `SELECT * FROM redis('127.0.0.1:${port}', 'k', 'k String, v String')`],
    ['mongodb', () => `SELECT * FROM mongodb('127.0.0.1:${port}', 'a', 'b', 'c', 'd', 'e String')`],
    [
      'EXPLAIN TABLE OVERRIDE',
      () => `EXPLAIN TABLE OVERRIDE mysql('127.0.0.1:${port}', 'a', 'b', 'c', 'd') PARTITION BY x`,
    ],
    ['hasColumnInTable', () => `SELECT hasColumnInTable('127.0.0.1:${port}', 'system', 'one', 'dummy')`],
    ['reverseDNSQuery', () => `SELECT reverseDNSQuery('127.0.0.1')`],
    ['showCertificate', () => `SELECT showCertificate('127.0.0.1', ${port})`],
    ['arrowstream', () => `SELECT * FROM arrowstream('1')`],
  ]
  test.each(statements)('%s', async (_name, statement) => {
    const answer = await ask(statement())
    expect(answer.status, answer.text).not.toBe(200)
    expect(answer.text).not.toContain('top-secret')
    expect(connections).toBe(0)
  })

  test('nor through a name that is a parameter', async () => {
    const query = `SELECT arrayMap({f:Identifier}, ['${secretPath}'])`
    for (const f of ['file', '\\x66ile', 'x.file', ' file'])
      expect((await ask(query, { param_f: f })).text).not.toContain('top-secret')
    expect((await ask('SELECT count() FROM {t:Identifier}', { param_t: 'quotes' })).text).toBe('2\n')
  })

  test('and nothing was written', async () => {
    await expect(access(`${secretPath}.out`)).rejects.toThrow('ENOENT')
  })
})

describe('its places and its quota', () => {
  const hourNow = () => Math.floor(Date.now() / HOUR)

  test('four run, sixteen wait, the next one is told at once: code 202; the owner is not held up', async () => {
    const { running, waiting } = ALLOWANCES.analyst
    const all = Array.from({ length: running + waiting + 3 }, () => ask('SELECT sleep(1)'))
    const owner = server.client()
    await sleep(300)
    let analysts = 0
    for (const one of all) void one.then(() => (analysts += 1))
    expect(await (await owner.query({ query: 'SELECT 1', format: 'CSV' })).text()).toBe('1\n')
    const answers = await Promise.all(all)
    const refused = answers.filter((answer) => answer.code !== null)
    expect(refused.map(({ code }) => code)).toEqual(['202', '202', '202'])
    expect(answers.length - refused.length).toBe(running + waiting)
  })

  test('a thousand queries an hour, then code 201 until the hour ends', async () => {
    const client = server.client({ username: 'analyst', password: 'read-only', max_open_connections: 4 })
    let refusal: unknown = null
    let hour = hourNow()
    for (let sent = 0; refusal === null && sent <= (ALLOWANCES.analyst.perHour ?? 0); sent += 4) {
      const now = hourNow()
      if (now !== hour) sent = 0 //  the quota starts anew at the full hour
      hour = now
      await Promise.all(
        Array.from({ length: 4 }, async () => (await client.query({ query: 'SELECT 1' })).text()),
      ).catch((error) => {
        refusal = error
      })
    }
    expect(refusal).toBeInstanceOf(ClickHouseError)
    expect(refusal).toMatchObject({ code: '201', type: 'QUOTA_EXCEEDED' })
    expect(await (await server.client().query({ query: 'SELECT 1', format: 'CSV' })).text()).toBe('1\n')
  })
})
