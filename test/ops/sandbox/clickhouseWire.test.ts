import { request as httpRequest } from 'node:http'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startClickhouse, type TestClickhouse } from '../../support/clickhouse.ts'

let server: TestClickhouse
beforeAll(async () => {
  server = await startClickhouse({ password: 'owner-password' })
  await ask('/', { body: 'CREATE TABLE microdata.t (id UInt32, name String) ENGINE MergeTree ORDER BY id' })
})
afterAll(() => server.stop())

const OWNER = { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': 'owner-password' }

type Asked = { method?: string; body?: string | Buffer; headers?: Record<string, string> }
async function ask(path: string, { method, body, headers = OWNER }: Asked = {}) {
  const response = await fetch(server.url + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    ...(body === undefined ? {} : { body }),
    headers,
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  return {
    status: response.status,
    text: bytes.toString('utf8'),
    bytes,
    header: (name: string) => response.headers.get(name),
    code: response.headers.get('x-clickhouse-exception-code'),
  }
}
const select = (query: string, headers?: Record<string, string>) =>
  ask('/?database=microdata', { body: query, headers: { ...OWNER, ...headers } })

describe('routes and methods', () => {
  test.each([
    ['GET', '/ping'],
    ['HEAD', '/ping'],
    ['GET', '/'],
    ['GET', '/replicas_status'],
    ['GET', '/ping?user=nobody'],
  ])('%s %s is Ok without a password', async (method, path) => {
    const answer = await ask(path, { method, headers: {} })
    expect([answer.status, answer.text]).toEqual([200, method === 'HEAD' ? '' : 'Ok.\n'])
    expect(answer.header('content-type')).toBe('text/html; charset=UTF-8')
  })

  test('an unknown path is 404, OPTIONS says what is allowed, other methods are refused', async () => {
    const unknown = await ask('/nope?query=SELECT+1')
    expect([unknown.status, unknown.text.split('\n')[0]]).toEqual([404, 'There is no handle /nope'])
    const options = await ask('/', { method: 'OPTIONS', headers: {} })
    expect([options.status, options.header('allow')]).toEqual([204, 'GET, HEAD, POST, OPTIONS'])
    expect((await ask('/', { method: 'PUT', body: 'SELECT 1' })).status).toBe(501)
  })

  test('the query may stand in the URL, in the body, or in both', async () => {
    expect((await ask('/?query=SELECT+1')).text).toBe('1\n')
    expect((await ask('/', { body: 'SELECT 1' })).text).toBe('1\n')
    expect((await ask('/?query=SELECT', { body: '1 + 1' })).text).toBe('2\n')
    const head = await ask('/?query=SELECT+1', { method: 'HEAD' })
    expect([head.status, head.text, head.header('x-clickhouse-format')]).toEqual([200, '', 'TabSeparated'])
  })

  test('GET and HEAD change nothing', async () => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await ask('/?query=DROP+TABLE+microdata.t', { method })
      expect([answer.status, answer.code]).toEqual([500, '164'])
    }
    const withData = await ask("/?query=INSERT+INTO+microdata.t+VALUES+(1,'x')")
    expect(withData.code).toBe('164')
    expect((await ask('/?query=SET+max_threads=1')).code).toBe('164')
  })
})

describe('headers of an answer', () => {
  test('all of them, from the query or the request', async () => {
    const answer = await ask('/?query_id=abc&default_format=JSONCompact&query=SELECT+1+AS+one')
    expect(answer.header('x-clickhouse-query-id')).toBe('abc')
    expect(answer.header('x-clickhouse-format')).toBe('JSONCompact')
    expect(answer.header('content-type')).toBe('application/json; charset=UTF-8')
    expect(answer.header('x-clickhouse-server-display-name')).toBe('sandbox')
    expect(answer.header('x-clickhouse-timezone')).toBe((await select('SELECT timezone()')).text.trim())
    const summary = JSON.parse(answer.header('x-clickhouse-summary')!)
    expect(summary).toMatchObject({ result_rows: '1', written_rows: '0' })
    expect(JSON.parse(answer.text).data).toEqual([[1]])
    expect((await select('SELECT 1', { 'X-ClickHouse-Format': 'CSV' })).header('x-clickhouse-format')).toBe(
      'CSV',
    )
    expect(
      (
        await ask('/?query=SELECT+currentDatabase()', {
          headers: { ...OWNER, 'X-ClickHouse-Database': 'microdata' },
        })
      ).text,
    ).toBe('microdata\n')
  })

  test('without a query id one is made, and an unprintable one is refused', async () => {
    expect((await select('SELECT 1')).header('x-clickhouse-query-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect((await ask('/?query_id=a%0d%0aX:y&query=SELECT+1')).code).toBe('408')
  })
})

describe('formats', () => {
  const two = "SELECT toUInt8(number + 1) AS n, 'a\"é' AS s FROM numbers(2)"
  test.each([
    ['JSONEachRow', '{"n":1,"s":"a\\"é"}\n{"n":2,"s":"a\\"é"}\n'],
    ['JSONCompactEachRow', '[1, "a\\"é"]\n[2, "a\\"é"]\n'],
    ['CSV', '1,"a""é"\n2,"a""é"\n'],
    ['CSVWithNames', '"n","s"\n1,"a""é"\n2,"a""é"\n'],
    ['TSV', '1\ta"é\n2\ta"é\n'],
    ['TabSeparatedWithNamesAndTypes', 'n\ts\nUInt8\tString\n1\ta"é\n2\ta"é\n'],
    ['Values', "(1,'a\"é'),(2,'a\"é')"],
    ['Null', ''],
  ])('%s', async (format, expected) => {
    expect((await select(`${two} FORMAT ${format}`)).text).toBe(expected)
    expect((await ask(`/?default_format=${format}`, { body: two })).text).toBe(expected)
  })

  test('JSON, and Pretty for people', async () => {
    const json = JSON.parse((await select(`${two} FORMAT JSON`)).text)
    expect(json).toMatchObject({
      rows: 2,
      data: [
        { n: 1, s: 'a"é' },
        { n: 2, s: 'a"é' },
      ],
    })
    const pretty = await select(`${two} FORMAT PrettyCompact`)
    expect(pretty.text).toContain('┌─n─┬─s───┐')
    expect((await select(`${two} FORMAT PrettyJSONEachRow`)).text).toContain('    "n": 1')
  })

  test('Parquet passes untouched, out, in again, and out to CSV', async () => {
    const parquet = await select(
      'SELECT number AS id, toString(number) AS name FROM numbers(1000) FORMAT Parquet',
    )
    expect(parquet.bytes.subarray(0, 4).toString()).toBe('PAR1')
    expect(parquet.bytes.subarray(-4).toString()).toBe('PAR1')
    await ask('/', { body: 'CREATE TABLE microdata.p (id UInt64, name String) ENGINE MergeTree ORDER BY id' })
    const done = await ask('/?query=INSERT+INTO+microdata.p+FORMAT+Parquet', { body: parquet.bytes })
    expect([done.status, done.text]).toEqual([200, ''])
    expect((await select('SELECT count(), sum(id), uniqExact(name) FROM p')).text).toBe(
      '1000\t499500\t1000\n',
    )
  })

  test.each([
    ['CSV', '1,"x, y"\n2,"a\n\n-- b;"\n'],
    ['CSVWithNames', 'name,id\n"x, y",1\n"a\n\n-- b;",2\n'],
    ['TSV', '1\tx, y\n2\ta\\n\\n-- b;\n'],
    ['JSONEachRow', '{"id":1,"name":"x, y"}\n\n\n{"id":2,"name":"a\\n\\n-- b;"}'],
    ['JSONCompactEachRow', '[1,"x, y"]\n[2,"a\\n\\n-- b;"]'],
    ['Values', "(1,'x, y'),(2,'a\\n\\n-- b;');"],
    [
      'JSON',
      '{"meta":[{"name":"id","type":"UInt32"},{"name":"name","type":"String"}],"data":[{"id":1,"name":"x, y"},{"id":2,"name":"a\\n\\n-- b;"}]}',
    ],
    ['JSONColumns', '{"id":[1,2],"name":["x, y","a\\n\\n-- b;"]}'],
  ])(
    'INSERT … FORMAT %s: query in the URL and data in the body, or all in the body',
    async (format, data) => {
      const expected = '1\tx, y\n2\ta\\n\\n-- b;\n'
      const insert =
        format === 'Values' ? 'INSERT INTO microdata.t VALUES' : `INSERT INTO microdata.t FORMAT ${format}`
      for (const send of [
        () => ask(`/?query=${encodeURIComponent(insert)}`, { body: data }),
        () => ask('/', { body: `${insert}\n${data}` }),
        () =>
          ask('/', {
            body: gzipSync(`${insert} \r\n${data}`),
            headers: { ...OWNER, 'Content-Encoding': 'gzip' },
          }),
      ]) {
        await ask('/', { body: 'TRUNCATE TABLE microdata.t' })
        const done = await send()
        expect([done.status, done.text]).toEqual([200, ''])
        expect(JSON.parse(done.header('x-clickhouse-summary')!)).toMatchObject({ written_rows: '2' })
        expect((await select('SELECT * FROM t ORDER BY id')).text).toBe(expected)
      }
    },
  )
})

describe('errors as ClickHouse answers them', () => {
  test.each([
    ['SELECT * FROM nope', 404, '60', 'UNKNOWN_TABLE'],
    ['SELECT nope', 404, '47', 'UNKNOWN_IDENTIFIER'],
    ['SELECT nope()', 404, '46', 'UNKNOWN_FUNCTION'],
    ['SELECT * FROM nope.nope', 404, '81', 'UNKNOWN_DATABASE'],
    ['SELECT 1 FORMAT Nope', 404, '73', 'UNKNOWN_FORMAT'],
    ['SELECT 1 SETTINGS nope = 1', 404, '115', 'UNKNOWN_SETTING'],
    ['SELEC 1', 400, '62', 'SYNTAX_ERROR'],
    ['', 400, '62', 'SYNTAX_ERROR'],
    ['SELECT 1; SELECT 2', 400, '62', 'SYNTAX_ERROR'],
    ['SELECT 1; ', 200, null, ''],
    ["INSERT INTO t VALUES (1, 'x'); DROP TABLE t", 400, '62', 'SYNTAX_ERROR'],
    ["SELECT toDate('x')", 400, '38', 'CANNOT_PARSE_DATE'],
    ['SELECT throwIf(1)', 500, '395', 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO'],
    ['SELECT {p:UInt8}', 500, '456', 'UNKNOWN_QUERY_PARAMETER'],
    ['CREATE TABLE t (a Int8) ENGINE Memory', 500, '57', 'TABLE_ALREADY_EXISTS'],
    ["SELECT 1 INTO OUTFILE '/tmp/x'", 500, '358', 'INTO_OUTFILE_NOT_ALLOWED'],
    ["INSERT INTO t FROM INFILE '/etc/passwd' FORMAT CSV", 404, '78', 'UNKNOWN_TYPE_OF_QUERY'],
    ["SELECT * FROM url('http://127.0.0.1:1/', 'CSV')", 403, '497', 'ACCESS_DENIED'],
  ])('%s: %d, code %s', async (query, status, code, name) => {
    const answer = await select(query)
    expect([answer.status, answer.code]).toEqual([status, code])
    if (code === null) return
    expect(answer.text).toMatch(
      new RegExp(`^Code: ${code}\\. DB::Exception: .*\\(${name}\\) \\(version .*\\)\\n$`, 's'),
    )
    expect(answer.text.match(/DB::Exception/g)).toHaveLength(1)
    expect(answer.text).not.toContain(server.dir)
    expect(answer.header('content-type')).toBe('text/plain; charset=UTF-8')
  })

  test('the words for a text that does not parse are the engine’s, and none of it has run', async () => {
    for (const text of ['DROP TABLE t; SELEC 1', 'DROP TABLE t; DROP TABLE t', 'DROP TABLE t;\n\nSELECT 1']) {
      const answer = await select(text)
      expect(answer.code).toBe('62')
      expect(answer.text).toContain('Multi-statements are not allowed')
    }
    expect((await select('EXISTS TABLE t')).text).toBe('1\n')
    expect((await select('SELECT (1')).text).toContain('Unmatched parentheses')
  })

  test.each([
    ['session_id=abc', '48'],
    ['compress=1', '48'],
    ['decompress=1', '48'],
    ['role=owner', '48'],
    ['param_a%20b=1', '408'],
  ])('%s is refused clearly with code %s', async (parameter, code) => {
    expect((await ask(`/?${parameter}&query=SELECT+1`)).code).toBe(code)
  })

  test('a file in a form, and a body in an unknown or broken encoding, are refused and the connection goes on', async () => {
    const boundary = 'b'
    const form = `--b\r\nContent-Disposition: form-data; name="t"; filename="t.csv"\r\n\r\n1\r\n--b--\r\n`
    const typed = { ...OWNER, 'Content-Type': `multipart/form-data; boundary=${boundary}` }
    expect((await ask('/?query=SELECT+1', { body: form, headers: typed })).code).toBe('48')
    const lz4 = await ask('/', { body: 'SELECT 1', headers: { ...OWNER, 'Content-Encoding': 'lz4' } })
    expect([lz4.status, lz4.code]).toEqual([501, '48'])
    const broken = await ask('/', { body: 'SELECT 1', headers: { ...OWNER, 'Content-Encoding': 'gzip' } })
    expect(broken.code).toBe('271')
    expect((await select('SELECT 1')).text).toBe('1\n')
  })

  test('a query of another encoding than UTF-8 is refused, data is not looked at', async () => {
    expect((await ask('/', { body: Buffer.from([...Buffer.from("SELECT '"), 0xff, 0x27]) })).code).toBe('36')
    await ask('/', { body: 'TRUNCATE TABLE microdata.t' })
    const data = Buffer.concat([
      Buffer.from('INSERT INTO microdata.t FORMAT TSV\n1\t'),
      Buffer.from([0xff, 0xfe]),
    ])
    expect((await ask('/', { body: data })).status).toBe(200)
    expect((await select('SELECT hex(name) FROM t')).text).toBe('FFFE\n')
  })
})

describe('statements that are no plain SELECT', () => {
  test.each([
    ['SHOW TABLES', 't'],
    ['SHOW CREATE TABLE t FORMAT TSVRaw', 'CREATE TABLE microdata.t'],
    ['DESCRIBE TABLE t', 'id\tUInt32'],
    ['DESC t', 'id\tUInt32'],
    ['EXISTS TABLE t', '1'],
    ['SELECT 1,', '1'],
    ['EXPLAIN SELECT 1', 'ReadFromSystemOne'],
    ['EXPLAIN AST SELECT 1 FORMAT CSV', 'Identifier CSV'],
    ['EXPLAIN SYNTAX SELECT 1 FORMAT TSVRaw', 'SELECT 1'],
    ['CHECK TABLE t', '1'],
    ['(SELECT 1) UNION ALL (SELECT 1)', '1\n1'],
    ['WITH 5 AS five SELECT five', '5'],
    ['FROM numbers(2) SELECT max(number)', '1'],
    ["SELECT 'FORMAT CSV' AS format", 'FORMAT CSV'],
    ['SELECT 1 AS x FORMAT CSV SETTINGS max_threads = 1;', '1'],
    ['SELECT 1 SETTINGS max_threads = 1 FORMAT CSV -- done', '1'],
  ])('%s', async (query, expected) => {
    const answer = await select(query)
    expect([answer.status, answer.text.includes(expected)], answer.text).toEqual([200, true])
  })
})

describe('compression of an answer', () => {
  test('only when asked by both the parameter and the header', async () => {
    const path = '/?enable_http_compression=1&query=SELECT+number+FROM+numbers(100000)'
    const raw = (accept: string | null, target = path) =>
      new Promise<{ encoding: string | undefined; body: Buffer }>((resolve, reject) => {
        const headers = { ...OWNER, ...(accept === null ? {} : { 'Accept-Encoding': accept }) }
        httpRequest(server.url + target, { headers }, (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk) => chunks.push(chunk))
          response.on('end', () =>
            resolve({ encoding: response.headers['content-encoding'], body: Buffer.concat(chunks) }),
          )
        })
          .on('error', reject)
          .end()
      })
    const plain = await raw(null)
    expect(plain.encoding).toBeUndefined()
    const packed = await raw('deflate, gzip;q=0.5')
    expect(packed.encoding).toBe('gzip')
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true)
    expect((await raw('gzip;q=0')).encoding).toBeUndefined()
    expect((await raw('gzip', '/?query=SELECT+1')).encoding).toBeUndefined()
  })
})
