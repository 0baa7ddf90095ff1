import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseStrictJson, StrictJsonError } from '../../ops/strictJson.ts'

describe('VAL-13 JSON of a payment is read strictly', () => {
  test('agrees with JSON.parse on every JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value)
        fc.pre(!text.includes('"__proto__"'))
        expect(parseStrictJson(text)).toEqual(JSON.parse(text))
        expect(parseStrictJson(JSON.stringify(value, null, 2))).toEqual(JSON.parse(text))
      }),
    )
  })

  test.each([
    ['a key twice', '{"value":"1","value":"10000"}'],
    ['a key twice, one escaped', '{"a":1,"\\u0061":2}'],
    ['__proto__', '{"__proto__":{"x":1}}'],
    ['nested __proto__', '{"a":[{"__proto__":null}]}'],
    ['too deep', `${'['.repeat(18)}${']'.repeat(18)}`],
    ['very deep', '['.repeat(5_000)],
    ['text after the value', '{} {}'],
    ['a trailing comma', '[1,]'],
    ['a leading zero', '[01]'],
    ['a plus sign', '[+1]'],
    ['NaN', 'NaN'],
    ['a byte order mark', '\ufeff{}'],
    ['a raw newline in a string', '"a\nb"'],
    ['a single quote', "{'a':1}"],
    ['nothing', ''],
    ['an open string', '"abc'],
    ['an open object', '{"a":1'],
  ])('refuses %s', (_, text) => {
    expect(() => parseStrictJson(text)).toThrow(StrictJsonError)
  })

  test('depth 16 is allowed, 17 is not', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(() => parseStrictJson(nested(17))).not.toThrow() // the outermost is depth 0
    expect(() => parseStrictJson(nested(18))).toThrow(/too deeply/)
  })

  test('never throws anything else on arbitrary text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        try {
          parseStrictJson(text)
        } catch (error) {
          expect(error).toBeInstanceOf(StrictJsonError)
        }
      }),
    )
  })
})
