import { describe, expect, test } from 'vitest'
import { lintSpec } from '../../../../../api/goods/utility/specLint/lintSpec.ts'
import type { SpecLint } from '../../../../../api/goods/utility/specLint/result.ts'

const OK = { responses: { 200: { description: 'ok' } } }
const spec = (change: Record<string, unknown> = {}) => ({
  openapi: '3.1.0',
  paths: { '/a': { get: OK } },
  ...change,
})
const lint = (document: unknown): SpecLint => lintSpec(JSON.stringify(document))
const found = ({ issues }: SpecLint) => issues.map(({ code, pointer }) => [code, pointer])

describe('4.1 rule 9: a version field', () => {
  test.each([
    [{ openapi: '3.1.0' }, '3.1.0'],
    [{ openapi: undefined, swagger: '2.0' }, '2.0'],
    [{ openapi: 3, swagger: '2.0' }, '2.0'],
    [{ openapi: '3'.repeat(33) }, '3'.repeat(32)],
  ])('%j passes', (change, version) => {
    expect(lint(spec(change))).toEqual({
      score: 100,
      checks: { version: true, path: true, success2xx: true },
      version,
      issues: [],
    })
  })

  test.each([
    [{ openapi: undefined }, 'version_missing', ''],
    [{ openapi: '' }, 'version_not_a_string', '/openapi'],
    [{ openapi: ' ' }, 'version_not_a_string', '/openapi'],
    [{ openapi: 3.1 }, 'version_not_a_string', '/openapi'],
    [{ openapi: undefined, swagger: 2 }, 'version_not_a_string', '/swagger'],
  ])('%j fails', (change, code, pointer) => {
    const result = lint(spec(change))
    expect(result).toMatchObject({ score: 67, checks: { version: false }, version: null })
    expect(found(result)).toEqual([[code, pointer]])
  })
})

describe('4.1 rule 9: at least one path', () => {
  test.each([
    [undefined, 'paths_missing', ''],
    [[], 'paths_missing', '/paths'],
    [null, 'paths_missing', '/paths'],
    [{}, 'paths_empty', '/paths'],
    [{ 'x-note': {}, pets: { get: OK } }, 'paths_empty', '/paths'],
  ])('%j: none, so no operation either', (paths, code, pointer) => {
    const result = lint(spec({ paths }))
    expect(result).toMatchObject({ score: 33, checks: { version: true, path: false, success2xx: false } })
    expect(found(result)).toEqual([
      [code, pointer],
      ['no_operation', pointer],
    ])
  })
})

describe('4.1 rule 9: one 2xx response', () => {
  const responses = (...names: string[]) => Object.fromEntries(names.map((name) => [name, {}]))
  test.each([
    ['200', true],
    ['201', true],
    ['299', true],
    ['2XX', true],
    ['199', false],
    ['300', false],
    ['2xx', false],
    ['20', false],
    ['2000', false],
    ['default', false],
  ])('response %s: %s', (name, passes) => {
    const result = lint(spec({ paths: { '/a': { post: { responses: responses('404', name) } } } }))
    expect(result.checks.success2xx).toBe(passes)
    expect(found(result)).toEqual(passes ? [] : [['no_2xx', '/paths/~1a/post']])
  })

  test.each(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'])(
    'method %s counts',
    (method) => {
      expect(lint(spec({ paths: { '/a': { [method]: OK } } })).score).toBe(100)
    },
  )

  test('one good operation is enough, in whatever path; a 3.2 operation by name counts', () => {
    expect(lint(spec({ paths: { '/a': {}, '/b': { get: {} }, '/c': { put: OK } } })).score).toBe(100)
    expect(lint(spec({ paths: { '/a': { additionalOperations: { COPY: OK } } } })).score).toBe(100)
  })

  test.each([
    [{ '/a': {} }, 'no_operation', '/paths'],
    [{ '/a': { summary: OK, parameters: [OK] } }, 'no_operation', '/paths'],
    [{ '/a~b/{c}': { get: {} } }, 'no_2xx', '/paths/~1a~0b~1{c}/get'],
    [{ '/a': { get: { responses: [{}, 200] } } }, 'no_2xx', '/paths/~1a/get'],
    [{ '/a': { get: { callbacks: { c: { '/x': { get: OK } } } } } }, 'no_2xx', '/paths/~1a/get'],
    [{ '/a': { additionalOperations: { 'A/B': {} } } }, 'no_2xx', '/paths/~1a/additionalOperations/A~1B'],
  ])('%j fails at its pointer', (paths, code, pointer) => {
    expect(found(lint(spec({ paths, webhooks: { w: { get: OK } } })))).toEqual([[code, pointer]])
  })
})

describe('INP-07 references', () => {
  const through = (ref: string, more: Record<string, unknown> = {}) =>
    lint(spec({ paths: { '/a': { $ref: ref } }, ...more }))

  test.each([
    ['#/components/pathItems/x', { components: { pathItems: { x: { get: OK } } } }],
    ['#/c/a~1b~0c', { c: { 'a/b~c': { get: OK } } }],
    ['#/c/~01', { c: { '~1': { get: OK } } }],
    ['#/c/a%20b', { c: { 'a b': { get: OK } } }],
    ['#/c/0', { c: [{ get: OK }] }],
    ['#/x', { x: { $ref: '#/y' }, y: { $ref: '#/z' }, z: { get: OK } }],
  ])('%s inside the document is followed', (ref, more) => {
    expect(through(ref, more).score).toBe(100)
  })

  test.each([
    'https://example.com/x.json',
    'http://127.0.0.1/x',
    'file:///etc/passwd',
    '//host/x',
    'other.json#/x',
    'x',
  ])('%s is neither fetched nor followed', (ref) => {
    expect(found(through(ref))).toEqual([
      ['no_operation', '/paths'],
      ['ref_not_followed', '/paths/~1a/$ref'],
    ])
  })

  test.each(['#/nowhere', '#/openapi', '#/%zz', '#/__proto__', '#/paths/constructor', '#/none'])(
    '%s leads to nothing',
    (ref) => {
      expect(found(through(ref, { none: null }))).toEqual([
        ['no_operation', '/paths'],
        ['ref_unresolved', '/paths/~1a/$ref'],
      ])
    },
  )

  test.each([
    ['itself', '#/paths/~1a'],
    ['the whole document', '#'],
  ])('a cycle through %s ends', (_, ref) => {
    expect(through(ref, { $ref: '#' }).checks.success2xx).toBe(false)
  })

  test('a cycle of two ends, and what stands beside a reference counts', () => {
    const cycle = { '/a': { $ref: '#/paths/~1b' }, '/b': { $ref: '#/paths/~1a' } }
    expect(found(lint(spec({ paths: cycle })))).toEqual([['no_operation', '/paths']])
    expect(lint(spec({ paths: { ...cycle, '/b': { ...cycle['/b'], get: OK } } })).score).toBe(100)
  })

  test('each reference is resolved once: names looked up grow with the document, not with its square', () => {
    const n = 100
    const long = `#${'/p'.repeat(n)}`
    const paths = Object.fromEntries(
      Array.from({ length: n }, (_, i) => [`/${i}`, { $ref: i % 2 ? long : '#/x' }]),
    )
    let looks = 0
    const decode = globalThis.decodeURIComponent
    globalThis.decodeURIComponent = (name) => {
      looks++
      return decode(name)
    }
    try {
      lint(spec({ paths, x: { $ref: long } }))
    } finally {
      globalThis.decodeURIComponent = decode
    }
    expect(looks).toBe(n + 1)
  })

  test('twenty issues are listed, no more', () => {
    const paths = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`/${i}`, { $ref: `x${i}` }]))
    expect(lint(spec({ paths })).issues).toHaveLength(20)
  })
})

describe('INP-06 special names are own data', () => {
  test.each([
    ['{"openapi":"3","paths":{"__proto__":{"get":{"responses":{"200":{}}}}}}', 33],
    ['{"openapi":"3","paths":{"/__proto__":{"__proto__":{"get":{"responses":{"200":{}}}}}}}', 67],
    ['{"openapi":"3","__proto__":{"paths":{"/a":{"get":{"responses":{"200":{}}}}}}}', 33],
    ['{"__proto__":{"openapi":"3"},"paths":{"/a":{"get":{"responses":{"200":{}}}}}}', 67],
    ['{"unreadable":"yaml","offset":0,"openapi":"3","paths":{"/a":{"get":{"responses":{"200":{}}}}}}', 100],
    ['{"code":1,"openapi":"3","paths":{"code":1,"/a":{"get":{"responses":{"200":{}}}}}}', 100],
  ])('%s: %d', (text, score) => {
    expect(lintSpec(text).score).toBe(score)
  })
})

describe('what is not an OpenAPI document in JSON', () => {
  test.each([
    ['openapi: 3.1.0\npaths: {}\n', 'yaml', null],
    ['# API\n---\nopenapi: 3.1.0', 'yaml', null],
    ['%YAML 1.2\n---\n', 'yaml', null],
    ['a: &a [x]\nb: &b [*a,*a]', 'yaml', null],
    ['{"openapi":"3.1.0",}', 'repairable_json', 18],
    ['{"openapi": 3.1.0}', 'not_json', 12],
    ['<html>', 'not_json', 0],
    ['[]', 'not_an_object', null],
    ['null', 'not_an_object', null],
    ['"openapi"', 'not_an_object', null],
    [`{"openapi":"${'3'.repeat(64 * 1024)}"}`, 'too_large', null],
    ['['.repeat(60_000), 'not_json', 512],
  ])('%.40j: %s', (text, code, offset) => {
    const result = lintSpec(text)
    expect(result).toMatchObject({
      score: 0,
      checks: { version: false, path: false, success2xx: false },
      version: null,
    })
    expect(result.issues).toMatchObject([{ check: 'document', code, pointer: '', offset }])
  })

  test('64 KiB are read, one character more is not', () => {
    const longest = JSON.stringify(spec()).padEnd(64 * 1024)
    expect([lintSpec(longest).score, lintSpec(`${longest} `).issues[0]?.code]).toEqual([100, 'too_large'])
  })

  test('a deep document is read without recursion', () => {
    const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
    expect(
      lintSpec(`{"openapi":"3","x":${deep},"paths":{"/a":{"get":{"responses":{"200":{}}}}}}`).score,
    ).toBe(100)
  })
})
