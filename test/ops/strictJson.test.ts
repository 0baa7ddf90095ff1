import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseStrictJson, parseStrictJsonBytes, StrictJsonError } from '../../ops/strictJson.ts'

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
    ['a string that ends in a backslash', '"abc\\'],
    ['a string whose last quote is escaped', '"abc\\"'],
    ['an escape that is none', '"\\x41"'],
    ['an escape that is cut', '"\\u00"'],
    ['a control character after an escape', '"\\n\u0001"'],
    ['a blank of Unicode', '\u00a01'],
    ['a point without a digit', '1.'],
    ['a minus alone', '-'],
    ['a word that goes on', 'nullx'],
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

describe('INP-13 bytes are read as UTF-8, or not at all', () => {
  const quoted = (...bytes: number[]) => Buffer.from([0x22, ...bytes, 0x22])

  test.each([
    ['two bytes', [0xc3, 0xa9], 'é'],
    ['four bytes', [0xf0, 0x9f, 0x98, 0x80], '😀'],
    ['U+FFFD as it was sent', [0xef, 0xbf, 0xbd], '\ufffd'],
    ['the last code point', [0xf4, 0x8f, 0xbf, 0xbf], '\u{10ffff}'],
  ])('%s', (_, bytes, text) => {
    expect(parseStrictJsonBytes(quoted(...bytes))).toBe(text)
  })

  test.each([
    ['a byte that begins nothing', quoted(0xff)],
    ['a byte that goes on nothing', quoted(0x80)],
    ['a sequence that is cut', quoted(0xe2, 0x82)],
    ['a longer form than needed', quoted(0xc0, 0xaf)],
    ['a surrogate', quoted(0xed, 0xa0, 0x80)],
    ['beyond the last code point', quoted(0xf4, 0x90, 0x80, 0x80)],
    ['Latin-1', Buffer.from('"café"', 'latin1')],
    ['a byte order mark', Buffer.from('\ufeff"a"')],
    ['UTF-16', Buffer.from('\ufeff"a"', 'utf16le')],
  ])('refuses %s', (_, bytes) => {
    expect(() => parseStrictJsonBytes(bytes)).toThrow(StrictJsonError)
  })
})

describe('design 4: values are counted on all levels, so that reading has a bound', () => {
  test.each([
    ['objects', `[${Array(9).fill('{}').join()}]`, 10],
    ['numbers', '[1,[2,[3,[4]]]]', 8],
    ['members', '{"a":1,"b":{"c":null}}', 4],
    ['one', '"a,b,[{"', 1],
  ])('%s: as many are read, one fewer allowed is refused', (_, text, count) => {
    expect(parseStrictJson(text, 16, count)).toEqual(JSON.parse(text))
    expect(() => parseStrictJson(text, 16, count - 1)).toThrow(/too many values/)
  })
})
