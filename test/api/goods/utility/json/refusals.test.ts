import { describe, expect, test } from 'vitest'
import { MAX_DEPTH } from '../../../../../api/goods/utility/json/document.ts'
import { REASONS } from '../../../../../api/goods/utility/json/refusal.ts'
import { MAX_TEXT, repairJson } from '../../../../../api/goods/utility/json/repairJson.ts'
import { refusalOf, repaired } from './support.ts'

describe('4.1 rule 8: text still not JSON returns ok false with no invented field', () => {
  test.each([
    ['', 'empty', 0],
    [' \n', 'empty', 2],
    ['// {"a":1}', 'empty', 10],
    [':', 'value_missing', 0],
    ['}', 'not_json', 0],
    [',', 'value_missing', 0],
    ['hello world', 'bare_word', 0],
    ['None of the above', 'text_after', 5],
    ['{"a":1} trailing', 'text_after', 8],
    ['{"a":1}{"b":2}', 'text_after', 7],
    ['True,', 'text_after', 4],
    ['{},,', 'text_after', 3],
    ['[apple]', 'bare_word', 1],
    ['[a-]', 'bare_word', 1],
    ['{a-:1}', 'bare_word', 1],
    ['{"a":}', 'value_missing', 5],
    ['{"a":,"b":1}', 'value_missing', 5],
    ['{:1}', 'name_missing', 1],
    ['{,}', 'name_missing', 1],
    ['[,]', 'value_missing', 1],
    ['[1,,2]', 'value_missing', 3],
    ['{"a"}', 'colon_missing', 4],
    ['{name}', 'colon_missing', 5],
    ['{"a"', 'cut_off', 4],
    ['[1', 'cut_off', 2],
    ['[', 'cut_off', 1],
    ['{"a":1 2}', 'comma_missing', 7],
    ['{"a":1]', 'wrong_closer', 6],
    ['[1}', 'wrong_closer', 2],
    ['{"a":1}}', 'text_after', 7],
    ['{"a" b}', 'bare_word', 5],
    ['["C:\\path"]', 'unknown_escape', 4],
    ['["\\x41"]', 'unknown_escape', 2],
    ['["\\u12"]', 'unknown_escape', 2],
    ["['\\xg0']", 'unknown_escape', 2],
    ['[“a"]', 'mixed_quotes', 3],
    ['{“a":1,“b”:2}', 'mixed_quotes', 3],
    ["[‘a'b’]", 'mixed_quotes', 3],
    ['[‘a‘b’]', 'mixed_quotes', 3],
    ['["abc', 'string_not_closed', 1],
    ["['it's']", 'comma_missing', 5],
    ["['to be '\n 'or not']", 'comma_missing', 11], //      one string, as Python's pprint prints it
    [`["it's "\n 'said']`, 'comma_missing', 10],
    [`["it's "\n "said"]`, 'comma_missing', 10], //         the same if it holds an apostrophe
    [`["it's\\n"\n "said"]`, 'comma_missing', 11],
    ...['\\x0b', '\\x0c', '\\x1c', '\\x85', '\\xa0', '\\u2028', '\\u3000'].map(
      (blank): [string, string, number] => [
        `['page${blank}'\n 'two']`, //                            white space to Python
        'comma_missing',
        9 + blank.length,
      ],
    ),
    ['[1 /* x', 'comment_not_closed', 3],
    ['[01]', 'not_a_number', 1],
    ['[1.2.3]', 'not_a_number', 1],
    ['[0x1F]', 'not_a_number', 1],
    ['[1_000]', 'not_a_number', 1],
    ['[10n]', 'not_a_number', 1],
    ['[1e]', 'not_a_number', 1],
    ['[--1]', 'not_a_number', 1],
    ['[.]', 'not_a_number', 1],
    ['[-]', 'not_a_number', 1],
    ['{1.5:2}', 'not_json', 1],
    ['["\\ud800"]', 'lone_surrogate', 2],
    ['["\\ud800\\u0041"]', 'lone_surrogate', 2],
    ['["\\udc00\\ud800"]', 'lone_surrogate', 2],
    ['["\\udc00\\udc00"]', 'lone_surrogate', 2],
    ['["\ud800"]', 'lone_surrogate', 2],
  ])('%j: %s at %d', (text, reason, offset) => {
    expect(refusalOf(text)).toEqual([reason, offset])
  })

  test('the answer has no repaired text, no value and no change, but a sentence about the reason', () => {
    expect(repairJson('hello')).toEqual({
      ok: false,
      changes: [],
      reason: 'bare_word',
      offset: 0,
      detail: REASONS.bare_word,
    })
  })
})

describe('a text that ends too early: closed after whole values only', () => {
  test.each([
    ['["a"', true],
    ['["a",', true],
    ['[null', true],
    ['[{}', true],
    ['[12,', true], //             the comma shows that the number is whole
    ['[12', false], //             digits may be missing
    ['["a', false],
    ['[nul', false],
    ['[', false],
    ['[{', false],
    ['["a",[', false],
    ['{"a"', false],
    ['{"a":', false],
    ['{"a":1,"b', false],
    ['["a" // ]', false], //       the closer is in the comment
    ['["a", // ]', false],
  ])('%j: %s', (text, ok) => {
    expect(refusalOf(text) === null).toBe(ok)
  })
})

describe('punctuation is written only where there is one reading', () => {
  test.each([
    ['["a" "b"]', 'one text cut by an unescaped quote, or two'],
    ['[1 2]', 'one number with a space, or two'],
    ['["a""b"]', 'an escaped quote of CSV, or two'],
    ['{"a":1 b:2}', 'a name, or a word of the value'],
    ['{"a":"b""c":1}', 'no space between the strings'],
    ['{"a" "b"}', 'a member, or a set of one text'],
    ['{"a"1}', 'no space between them'],
    ['{a 1}', 'a word is not surely a name'],
    ['{"a":"x"\n"y"\n"z"}', 'strings in a row are one text in several languages'],
    ['{"a":"he said "hi" to me"}', 'where the string ends'],
  ])('%j is refused: %s', (text) => {
    expect(refusalOf(text)).not.toBeNull()
  })

  test('on lines of their own, names and values stand apart', () => {
    expect(repaired('{"a":1\nb:2}').value).toEqual({ a: 1, b: 2 })
    expect(repaired('[1\n2]').value).toEqual([1, 2])
    expect(repaired('[1 // one\r2]').value).toEqual([1, 2])
    expect(repaired('{"a" {"b"\n1}}').value).toEqual({ a: { b: 1 } })
  })
})

describe('INP-01, INP-03 bounds', () => {
  test(`nesting: ${MAX_DEPTH} is followed, one more is not`, () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(repaired(nested(MAX_DEPTH)).changeCount).toBe(0)
    expect(refusalOf(nested(MAX_DEPTH + 1))).toEqual(['too_deep', MAX_DEPTH])
  })

  test.each(['[', '{"a":', '[{"a":'])(
    'as much of %j as is read, and 100,000 times it, overflow nothing',
    (opener) => {
      expect(refusalOf(opener.repeat(Math.floor(MAX_TEXT / opener.length)))?.[0]).toBe('too_deep')
      expect(refusalOf(opener.repeat(100_000))).toEqual(['too_large', MAX_TEXT])
    },
  )

  test('length: the bound is read, one more is not', () => {
    const text = (length: number) => `"${'x'.repeat(length - 2)}"`
    expect(repaired(text(MAX_TEXT)).changeCount).toBe(0)
    expect(refusalOf(text(MAX_TEXT + 1))).toEqual(['too_large', MAX_TEXT])
  })

  test('changes: 500 are listed, all are made and counted', () => {
    const { changes, changeCount, value } = repaired(`[${'True,'.repeat(600)}]`)
    expect([changes.length, changeCount, (value as unknown[]).length]).toEqual([500, 601, 600])
  })
})
