import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isUnambiguous, tokenize } from '../../../ops/sandbox/clickhouse/lexer.ts'
import {
  findFileClause,
  findInsertHead,
  findTail,
  hasMoreAfterValues,
  insertFromFile,
  intoFile,
  killByOurIds,
  namesIn,
} from '../../../ops/sandbox/clickhouse/statement.ts'

const words = (sql: string) => tokenize(sql).map(({ start, end }) => sql.slice(start, end))

describe('tokens', () => {
  test.each([
    ["SELECT 'a''b' -- c\n, `d\\`e`", ['SELECT', "'a''b'", ',', '`d\\`e`']],
    ["'a\\'b' c", ["'a\\'b'", 'c']],
    ['/* a /* b */ c */ d', ['d']],
    ['a # b\nc #!d\ne #f', ['a', 'c', 'e', '#', 'f']],
    ['a // b\nc', ['a', 'c']],
    ["x'41' X'42' b'01' y'", ["x'41'", "X'42'", "b'01'", 'y', "'"]],
    ['$$a;b$$ $t$ ; $t$ $1', ['$$a;b$$', '$t$ ; $t$', '$1']],
    ["'open", ["'open"]],
    ['/* open', []],
    ['', []],
  ])('%j', (sql, expected) => {
    expect(words(sql)).toEqual(expected)
  })

  test('property: they cover the text in order and never loop', () => {
    const soup = fc
      .array(
        fc.oneof(
          fc.constantFrom(
            "'",
            '"',
            '`',
            '\\',
            '$',
            '/*',
            '*/',
            '--',
            '#',
            '\n',
            ';',
            '(',
            ')',
            '{',
            'FORMAT',
          ),
          fc.string(),
        ),
      )
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(soup, (sql) => {
        let at = 0
        for (const { start, end, depth } of tokenize(sql)) {
          expect(start).toBeGreaterThanOrEqual(at)
          expect(end).toBeGreaterThan(start)
          expect(depth).toBeGreaterThanOrEqual(0)
          at = end
        }
        expect(at).toBeLessThanOrEqual(sql.length)
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    ['SELECT 1 -- fine', true],
    ['SELECT /* fine */ `a b`, "c", \'d\' FROM t WHERE a[1] = {p:UInt8}', true],
    ["SELECT 'any ’ inside quotes $ # //'", true],
    ['SELECT $1', false],
    ['SELECT $a$ b $a$', false],
    ["SELECT x'41'", false],
    ['SELECT /* a /* b */ */ 1', false],
    ['SELECT 1 # c', false],
    ['SELECT 1 // c', false],
    ['SELECT “a”', false],
    ["SELECT 'open", false],
    ['SELECT 1 /* open', false],
    ['SELECT é', false],
  ])('unambiguous: %s → %s', (sql, expected) => {
    expect(isUnambiguous(sql)).toBe(expected)
  })
})

describe('an INSERT is cut where its data starts', () => {
  test.each([
    ['INSERT INTO t FORMAT CSV\n1,2', 'CSV', '1,2', "INSERT INTO t  FROM INFILE 'f'  FORMAT CSV"],
    [
      'insert into t (a, b) format csv 1,2',
      'csv',
      '1,2',
      "insert into t (a, b)  FROM INFILE 'f'  FORMAT csv",
    ],
    ['INSERT t FORMAT CSV \t\r\n\n1', 'CSV', '\n1', "INSERT t  FROM INFILE 'f'  FORMAT CSV"],
    [
      'INSERT INTO TABLE d.t SETTINGS a = 1, b = 2 FORMAT CSV',
      'CSV',
      '',
      "INSERT INTO TABLE d.t  FROM INFILE 'f' SETTINGS a = 1, b = 2  FORMAT CSV",
    ],
    ['INSERT INTO t VALUES (1)', 'Values', ' (1)', "INSERT INTO t  FROM INFILE 'f'  FORMAT Values"],
    ['INSERT INTO values VALUES (1)', 'Values', ' (1)', "INSERT INTO values  FROM INFILE 'f'  FORMAT Values"],
    [
      'INSERT INTO format.format (format) FORMAT CSV\n1',
      'CSV',
      '1',
      "INSERT INTO format.format (format)  FROM INFILE 'f'  FORMAT CSV",
    ],
    [
      'INSERT INTO {d:Identifier}.{t:Identifier} FORMAT CSV\n1',
      'CSV',
      '1',
      "INSERT INTO {d:Identifier}.{t:Identifier}  FROM INFILE 'f'  FORMAT CSV",
    ],
    [
      "INSERT INTO FUNCTION null('a Int8') VALUES (1)",
      'Values',
      ' (1)',
      "INSERT INTO FUNCTION null('a Int8')  FROM INFILE 'f'  FORMAT Values",
    ],
    [
      '-- c\nINSERT /* FORMAT x */ INTO `FORMAT a` FORMAT CSV\n1',
      'CSV',
      '1',
      "-- c\nINSERT /* FORMAT x */ INTO `FORMAT a`  FROM INFILE 'f'  FORMAT CSV",
    ],
  ])('%j', (sql, format, data, rewritten) => {
    const head = findInsertHead(sql)!
    expect([head.format, sql.slice(head.dataAt), insertFromFile(sql, head, 'f')]).toEqual([
      format,
      data,
      rewritten,
    ])
  })

  test.each([
    'INSERT INTO t SELECT 1',
    'INSERT INTO t (a) WITH 1 AS x SELECT x FORMAT CSV',
    "INSERT INTO t FROM INFILE 'x' FORMAT CSV",
    'INSERT INTO t FORMAT CSV;1',
    'INSERT INTO t FORMAT',
    'INSERT INTO t',
    'INSERT INTO',
    'SELECT 1 FORMAT CSV',
    'EXPLAIN INSERT INTO t FORMAT CSV',
    '',
  ])('%j has none', (sql) => {
    expect(findInsertHead(sql)).toBeNull()
  })

  test.each([
    [' (1)', false],
    [' (1);', false],
    [' (1); ; -- c\n', false],
    [" (';'),('a;b');", false],
    [' (1); DROP TABLE t', true],
    [' (1) ; /* c */ SELECT', true],
  ])('more than one statement in %j: %s', (values, more) => {
    expect(hasMoreAfterValues(values)).toBe(more)
  })
})

describe('the end of a query', () => {
  test.each([
    ['SELECT 1', null, "SELECT 1 INTO OUTFILE 'f' "],
    ['SELECT 1;; -- c', null, "SELECT 1 INTO OUTFILE 'f' "],
    ['SELECT 1 FORMAT JSON', 'JSON', "SELECT 1  INTO OUTFILE 'f' FORMAT JSON"],
    [
      'SELECT 1 format `JSON` settings a = 1 ;',
      'JSON',
      "SELECT 1  INTO OUTFILE 'f' format `JSON` settings a = 1",
    ],
    ['SELECT (SELECT 1 AS format FORMAT) x', null, "SELECT (SELECT 1 AS format FORMAT) x INTO OUTFILE 'f' "],
    ['SELECT format x', null, "SELECT format x INTO OUTFILE 'f' "],
    ['SELECT t.format x', null, "SELECT t.format x INTO OUTFILE 'f' "],
    ['SELECT a, format x', null, "SELECT a, format x INTO OUTFILE 'f' "],
    ["SELECT 'a FORMAT JSON'", null, "SELECT 'a FORMAT JSON' INTO OUTFILE 'f' "],
    ['SELECT 1 -- FORMAT JSON', null, "SELECT 1 INTO OUTFILE 'f' "],
  ])('%j', (sql, format, rewritten) => {
    const tail = findTail(sql)
    expect([tail.format, intoFile(sql, tail, 'f')]).toEqual([format, rewritten])
  })

  test('clauses that touch files are found wherever they stand, and only they', () => {
    expect(findFileClause("SELECT 1 into /* c */ OUTFILE 'x'")).toBe('INTO OUTFILE')
    expect(findFileClause("INSERT INTO t FROM INFILE 'x'")).toBe('FROM INFILE')
    expect(findFileClause("SELECT 'INTO OUTFILE', infile FROM infile")).toBeNull()
  })

  test('names, called or not', () => {
    expect(namesIn('SELECT `a b`, f (x), "g"(1)')).toEqual([
      { name: 'SELECT', called: false },
      { name: 'a b', called: false },
      { name: 'f', called: true },
      { name: 'x', called: false },
      { name: 'g', called: true },
    ])
  })

  test('KILL QUERY speaks of our ids; nothing else changes', () => {
    expect(killByOurIds("KILL QUERY WHERE query_id = 'query_id' SYNC")).toBe(
      "KILL QUERY WHERE Settings['log_comment'] = 'query_id' ASYNC",
    )
    expect(killByOurIds('SELECT query_id FROM t')).toBe('SELECT query_id FROM t')
  })
})
