import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalQuery, parseQuery } from '../../../api/http/query.ts'

describe('HTTP-11, HTTP-12 the query is decoded once and strictly', () => {
  test.each([
    ['', {}],
    ['q=fed+rate', { q: 'fed rate' }],
    ['q=fed%20rate', { q: 'fed rate' }],
    ['%71=x', { q: 'x' }],
    ['q=a%26q%3db', { q: 'a&q=b' }],
    ['q=%2541', { q: '%41' }],
    ['q=%2B', { q: '+' }],
    ['q', { q: '' }],
    ['q=&window=day', { q: '', window: 'day' }],
    ['q=a=b', { q: 'a=b' }],
    ['&&q=x&', { q: 'x' }],
    ['q=caf\u00e9', { q: 'caf\u00e9' }],
    ['q=%EF%BF%BD', { q: '\ufffd' }],
  ])('%s', (raw, expected) => {
    expect(Object.fromEntries(parseQuery(raw)!)).toEqual(expected)
  })

  test.each([
    'q=%zz',
    '%zz=1',
    'q=\ufffd',
    '\ufffd=1',
    'q=%',
    'q=%4',
    'q=%00',
    'q=%c0%af',
    'q=%ff',
    'q=1&q=2',
    'q&q=',
    'q=1&%71=2',
    '=x',
  ])('refuses %s', (raw) => {
    expect(parseQuery(raw)).toBeNull()
  })

  test('refuses more than 32 names', () => {
    const names = (count: number) => Array.from({ length: count }, (_, i) => `p${i}=1`).join('&')
    expect(parseQuery(names(32))?.size).toBe(32)
    expect(parseQuery(names(33))).toBeNull()
  })

  test('RPL-08 same meaning, same canonical text; other meaning, other text', () => {
    const pairs = fc.uniqueArray(
      fc
        .tuple(fc.string({ minLength: 1, maxLength: 8 }), fc.string({ maxLength: 8 }))
        .filter(
          ([name, value]) => !`${name}${value}`.includes('\0') && name.isWellFormed() && value.isWellFormed(),
        ),
      { selector: ([name]) => name, maxLength: 5 },
    )
    const encode = ([name, value]: [string, string]) =>
      `${encodeURIComponent(name)}=${encodeURIComponent(value).replaceAll('%20', '+')}`
    fc.assert(
      fc.property(pairs, (list) => {
        const there = parseQuery(list.map(encode).join('&'))!
        const back = parseQuery([...list].reverse().map(encode).join('&'))!
        expect(Object.fromEntries(there)).toEqual(Object.fromEntries(list))
        expect(canonicalQuery(there)).toBe(canonicalQuery(back))
      }),
    )
    //  part of what is published as requestHash
    expect(canonicalQuery(parseQuery('q=x+y&b=%7e*!&a=%26%3D&q2')!)).toBe('a=%26%3D&b=~*!&q2=&q=x%20y')
    expect(canonicalQuery(parseQuery('q=a')!)).not.toBe(canonicalQuery(parseQuery('q=b')!))
    expect(canonicalQuery(parseQuery('q=a%26b%3dc')!)).not.toBe(canonicalQuery(parseQuery('q=a&b=c')!))
  })
})
