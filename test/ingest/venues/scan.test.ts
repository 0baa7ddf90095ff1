import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PageShapeError } from '../../../ingest/errors.ts'
import { parseSlice, skipValue } from '../../../ingest/venues/jsonList.ts'
import { createScanner } from '../../../ingest/venues/scan.ts'

const FIELDS = { kept: ['id', 'title', 'terms'], read: ['id', 'bid'], list: null }
const LISTED = { ...FIELDS, list: 'markets' }

/** What a scanner says about a text; null: it is to be parsed. */
function look(text: string, fields: Parameters<typeof createScanner>[0] = FIELDS) {
  const bytes = Buffer.from(` ${text}`)
  const scanner = createScanner(fields)
  const elements: unknown[] = []
  const end = scanner.scan(bytes, 1, (from) => {
    const to = skipValue(bytes, from)
    elements.push(parseSlice(bytes, from, to))
    return to
  })
  if (end === 0) return null
  expect(end).toBe(bytes.length)
  return { terms: scanner.terms(), values: scanner.values(bytes), elements }
}
const terms = (value: unknown) => look(JSON.stringify(value))!.terms

describe('an object that is looked through means what JSON.parse says', () => {
  const name = fc.oneof(fc.constantFrom('id', 'bid', 'title', 'terms', 'other'), fc.string())
  const object = fc
    .dictionary(name, fc.jsonValue(), { maxKeys: 8 })
    .map(({ ['__proto__']: _, ...others }) => others)

  test('the fields that are read, compact or indented', () => {
    fc.assert(
      fc.property(object, fc.boolean(), (value, indented) => {
        const text = JSON.stringify(value, null, indented ? 2 : 0)
        const { id, bid } = JSON.parse(text) as Record<string, unknown>
        const looked = look(text)
        //  a name with an escape could be any name, and an empty object is none of ours
        const names = Object.keys(value)
        if (names.length === 0 || names.some((key) => JSON.stringify(key).includes('\\')))
          expect(looked).toBeNull()
        else
          expect(looked!.values).toEqual({
            ...('id' in value ? { id } : {}),
            ...('bid' in value ? { bid } : {}),
          })
      }),
    )
  })
  test('the elements of the list, wherever it stands', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.boolean(), (markets, first) => {
        const value = first ? { markets, id: '1' } : { id: '1', markets }
        const text = JSON.stringify(value)
        expect(look(text, LISTED)!.elements).toEqual((JSON.parse(text) as typeof value).markets)
      }),
    )
  })
})

describe('the terms are the same for as long as the kept fields are', () => {
  const market = { id: '1', title: 'x', terms: { a: [1, '}'] }, bid: 0.4, other: 'y' }
  test.each([
    ['a figure that is read', { bid: 0.41 }, true],
    ['a field that nobody looks at', { other: { z: '"' } }, true],
    ['one more field', { more: 1 }, true],
    ['a text', { title: 'X' }, false],
    ['the id, which is read as well', { id: '2' }, false],
    ['what lies deep inside a kept field', { terms: { a: [1, ']'] } }, false],
    ['the type of a kept field', { title: ['x'] }, false],
    ['a kept field that is gone', { title: undefined }, false],
  ])('%s', (_, change, same) => {
    expect(terms({ ...market, ...change }) === terms(market)).toBe(same)
  })
  test('a text that stands under another name is another one', () => {
    expect(terms({ title: 'x' })).not.toBe(terms({ terms: 'x' }))
  })
  test('whatever the texts are: two that differ have different terms', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(terms({ title: one }) === terms({ title: other })).toBe(one === other)
      }),
    )
  })
  test('two characters that change together, wherever they stand: no two texts alike', () => {
    const seen = new Set<number>()
    let texts = 0
    for (let first = 0; first < 24; first++)
      for (let second = first + 1; second < 24; second++)
        for (const [one, other] of ['bc', 'cb', 'pq', 'qp', 'BR', 'RB'] as const) {
          const title = [...'a'.repeat(24)]
          title[first] = one!
          title[second] = other!
          seen.add(terms({ title: title.join('') }))
          texts++
        }
    expect(seen.size).toBe(texts)
  })
  test('they are whole numbers of 32 bits and never 0', () => {
    for (let n = 0; n < 1_000; n++) {
      const value = terms({ id: String(n) })
      expect(value).toBe(value | 0)
      expect(value).not.toBe(0)
    }
  })
})

test('of a field that stands there twice the last one counts, and both are kept', () => {
  expect(look('{"bid":1,"bid":2}')!.values).toEqual({ bid: 2 })
  expect(look('{"id":"1","id":"2"}')!.terms).not.toBe(terms({ id: '2' }))
})

describe('what has to be parsed to be understood is left to the parser', () => {
  test.each([
    ['a name with an escape', '{"\\u0062id":1}', FIELDS],
    ['no object', '[1]', FIELDS],
    ['no list', '{"id":"1"}', LISTED],
    ['another value where the list should be', '{"markets":{}}', LISTED],
    ['two lists', '{"markets":[],"markets":[]}', LISTED],
  ])('%s', (_, text, fields) => {
    expect(look(text, fields)).toBeNull()
  })
  test.each(['{}', '{"id":"1",}', '{"id" "1"}', '{,}', '{id:1}', '{"id":"1" "bid":2}', '{"id":"1"', '{"id'])(
    '%s',
    (text) => {
      expect(look(text)).toBeNull()
    },
  )
  test.each(['{"id":"1', '{"id":[1', '{"id":}', '{"id":'])('VEN-01: %s is refused', (text) => {
    expect(() => look(text)).toThrow(PageShapeError)
  })
  test('VEN-01: a figure that is no JSON is refused when it is read', () => {
    expect(() => look('{"bid":01}')).toThrow(PageShapeError)
  })
  test.each([
    '{"id":[1},"bid":{"x":2]}',
    '{"id":"1\n","bid":2}',
    '{"id":1:2,"bid":3}',
    '{"id":1"2,"bid":"3"}',
  ])('VEN-01: %j: what is no JSON by itself is not mended by the figure beside it', (text) => {
    expect(() => look(text)).toThrow(PageShapeError)
  })
})
