import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isUnambiguous } from '../../../ops/sandbox/clickhouse/lexer.ts'
import { findTail, intoFile } from '../../../ops/sandbox/clickhouse/statement.ts'
import { startClickhouse, type TestClickhouse } from '../../support/clickhouse.ts'

let server: TestClickhouse
let client: Awaited<ReturnType<TestClickhouse['database']>>['client']

beforeAll(async () => {
  server = await startClickhouse()
  client = (await server.database()).client
  await client.command({ query: 'CREATE TABLE precious (id UInt32) ENGINE MergeTree ORDER BY id' })
  await client.insert({ table: 'precious', values: [{ id: 1 }], format: 'JSONEachRow' })
})
afterAll(() => server.stop())

const first = async (query: string, query_params: Record<string, unknown>) =>
  (
    (await (await client.query({ query, query_params, format: 'JSONCompactEachRow' })).json()) as unknown[][]
  )[0]

const raw = async (params: Record<string, string>, body: string) => {
  const response = await fetch(`${server.url}/?${new URLSearchParams(params)}`, { method: 'POST', body })
  return { code: response.headers.get('x-clickhouse-exception-code'), text: await response.text() }
}

const ATTACKS = [
  "'; DROP TABLE precious; --",
  "\\'; DROP TABLE precious; --",
  "\\\\'; DROP TABLE precious; --",
  "''; DROP TABLE precious; --",
  "x'), (SELECT 1) --",
  '{other:String}',
  '`; DROP TABLE precious; --',
  '"; DROP TABLE precious; --',
  '/* */ ; DROP TABLE precious',
  '$a$; DROP TABLE precious; $a$',
  '’; DROP TABLE precious; --',
  'tab\tline\nreturn\rnull\u0000bell\u0007',
  '\\N',
  'NULL',
  '\\x27; DROP TABLE precious; --',
]

describe('a parameter is a value and never text of the query', () => {
  test.each(ATTACKS)('%j comes back as it went', async (value) => {
    expect(
      await first('SELECT {p:String} AS a, {p:String} = {q:String} AS b', { p: value, q: value }),
    ).toEqual([value, 1])
    expect(await first('SELECT {list:Array(String)} AS a', { list: [value, value] })).toEqual([
      [value, value],
    ])
    expect(await first('SELECT {map:Map(String, String)} AS a', { map: { [value]: value } })).toEqual([
      { [value]: value },
    ])
  })

  test('any text at all, as property', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 40 }), async (value) => {
        fc.pre(value.isWellFormed())
        expect(await first('SELECT {p:String} AS a', { p: value })).toEqual([value])
      }),
      { numRuns: 200 },
    )
  })

  test.each([
    ['{p:Nullable(String)}', null, null],
    ['{p:Nullable(UInt8)}', null, null],
    ['{p:UInt64}', '18446744073709551615', expect.anything()],
    ['{p:Int32}', -5, -5],
    ['{p:Bool}', true, true],
    ['{p:Float64}', 1.5, 1.5],
    ['{p:Date}', '2026-01-02', '2026-01-02'],
    ['{p:DateTime}', new Date('2026-01-02T03:04:05Z'), '2026-01-02 03:04:05'],
    ['{p:Array(Array(UInt8))}', [[1, 2], []], [[1, 2], []]],
    ['{p:UUID}', '61f0c404-5cb3-11e7-907b-a6006ad3dba0', '61f0c404-5cb3-11e7-907b-a6006ad3dba0'],
  ])('%s takes %j', async (placeholder, value, expected) => {
    expect(await first(`SELECT ${placeholder} AS a`, { p: value })).toEqual([expected])
  })

  test('names go through Identifier, and only as names', async () => {
    expect(await first('SELECT count() FROM {t:Identifier}', { t: 'precious' })).toEqual([expect.anything()])
    const attack = await raw(
      { param_t: 'precious; DROP TABLE precious', database: 'system' },
      'SELECT * FROM {t:Identifier}',
    )
    expect(attack.code).toBe('60')
  })

  test('a value that is none of its type is refused: code 457; a missing one: code 456', async () => {
    expect((await raw({ param_p: '1 OR 1' }, 'SELECT {p:UInt8}')).code).toBe('457')
    expect((await raw({ param_p: '1; SELECT 2' }, 'SELECT {p:UInt8}')).code).toBe('457')
    expect((await raw({ param_q: '1' }, 'SELECT {p:UInt8}')).code).toBe('456')
  })

  test('parameters of one request are unknown to the next', async () => {
    expect((await raw({ param_p: '1' }, 'SELECT {p:UInt8}')).text).toBe('1\n')
    expect((await raw({}, 'SELECT {p:UInt8}')).code).toBe('456')
  })

  test('many at a time keep their own values', async () => {
    const answers = await Promise.all(
      Array.from(
        { length: 200 },
        async (_, at) => (await first('SELECT {p:UInt32} + sleep(0.005) AS a', { p: at }))![0],
      ),
    )
    expect(answers).toEqual(answers.map((_, at) => at))
  })

  test('in the data of an INSERT … VALUES too', async () => {
    const attack = "'); DROP TABLE precious; --"
    await client.command({ query: 'CREATE TABLE named (name String) ENGINE MergeTree ORDER BY name' })
    await client.command({ query: 'INSERT INTO named VALUES ({p:String})', query_params: { p: attack } })
    expect(await first('SELECT name FROM named', {})).toEqual([attack])
  })
})

describe('other parts of a request that become text are escaped as well', () => {
  test.each(ATTACKS.filter((attack) => !attack.includes('\u0000')))(
    'database and setting %j',
    async (value) => {
      expect((await raw({ database: value }, 'SELECT 1')).code).toBe('81')
      const setting = await raw({ session_timezone: value }, 'SELECT 1')
      expect(setting.code).not.toBeNull()
      expect(setting.code).not.toBe('62')
    },
  )

  test('a setting’s name is a name', async () => {
    expect(
      (await raw({ 'max_threads = 1; DROP TABLE precious; SET max_threads': '1' }, 'SELECT 1')).code,
    ).toBe('115')
    expect((await raw({ 'param_p = 1; DROP TABLE precious': '1' }, 'SELECT 1')).code).toBe('408')
  })

  test('a query id is only a name for the query', async () => {
    const id = "x' OR 1 = 1; DROP TABLE precious --"
    expect((await raw({ query_id: id }, 'SELECT 1')).text).toBe('1\n')
  })

  test('after all this the table is there', async () => {
    expect(await first('SELECT count() = 1 FROM precious', {})).toEqual([1])
  })
})

describe('our lexer against the engine’s parser', () => {
  /** Texts in which quotes, comments and clause words meet; most are statements, some are not. */
  const text = fc
    .array(
      fc.constantFrom(
        ...[
          "'FORMAT CSV'",
          "'it''s'",
          "'\\\\'",
          "'\\''",
          '`INTO`',
          '"a b"',
          '1',
          'x -- FORMAT CSV\n',
          '/* ; */',
          '/* FORMAT */',
        ],
        ...[
          ', ',
          ' + ',
          ' AS ',
          '(',
          ')',
          ' FORMAT JSON',
          ' FORMAT ',
          ' SETTINGS max_threads = 1',
          ';',
          'format',
          '[1]',
          '--\n',
        ],
        ...['“', '$a$', "'", '`', '#', '//', '\\', '/*', '*/', 'é', "x'41'"],
      ),
      { maxLength: 8 },
    )
    .map((parts) => `SELECT 1, ${parts.join('')}`)

  test('property: a clause put where we put it makes another statement of none', {
    timeout: 120_000,
  }, async () => {
    const canonical = async (sql: string) =>
      (await first('SELECT formatQuerySingleLineOrNull({sql:String}) AS a', { sql }))![0] as string | null
    await fc.assert(
      fc.asyncProperty(text, async (sql) => {
        fc.pre(isUnambiguous(sql))
        const plain = await canonical(sql)
        fc.pre(plain !== null)
        const withFile = await canonical(intoFile(sql, findTail(sql), '/f'))
        fc.pre(withFile !== null) // no longer a statement: the server sees that, and handles it in another way
        expect(withFile!.replace(" INTO OUTFILE '/f'", '')).toBe(plain)
        expect(withFile).toContain(" INTO OUTFILE '/f'")
      }),
      { numRuns: 60 }, //  what `pre` passes over is not counted: so many are compared
    )
  })
})
