import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PageShapeError } from '../../../ingest/errors.ts'
import { parseBody, parseSlice, skipValue, walkListPage } from '../../../ingest/venues/jsonList.ts'
import { nextCursor } from '../../../ingest/venues/readPage.ts'

const walk = (text: string, known: (from: number) => number = () => 0) => {
  const bytes = Buffer.from(text)
  const elements: unknown[] = []
  const { found, rest } = walkListPage(bytes, 'events', (from) => {
    const end = known(from)
    if (end !== 0) return end
    const to = skipValue(bytes, from)
    elements.push(parseSlice(bytes, from, to))
    return to
  })
  return { found, rest, elements }
}

describe('a page is read element by element and means what JSON.parse says', () => {
  test('any object with a list, compact or indented', () => {
    const page = fc.record({
      events: fc.array(fc.jsonValue()),
      rest: fc.dictionary(fc.string(), fc.jsonValue()),
    })
    fc.assert(
      fc.property(page, fc.boolean(), fc.boolean(), ({ events, rest }, listFirst, indented) => {
        const { events: _, ['__proto__']: __, ...others } = rest
        const value = listFirst ? { events, ...others } : { ...others, events }
        const text = JSON.stringify(value, null, indented ? 2 : 0)
        const walked = walk(text)
        const same = JSON.parse(text) as Record<string, unknown>
        expect(walked).toEqual({ found: true, elements: same.events, rest: { ...same, events: [] } })
      }),
    )
  })
  test('quotes, brackets and backslashes in texts do not confuse it', () => {
    const event = { title: 'a "b" ]}\\', slug: '[{', description: '\\\\"' }
    expect(walk(JSON.stringify({ events: [event, event], next: 'x' }))).toEqual({
      found: true,
      elements: [event, event],
      rest: { events: [], next: 'x' },
    })
  })
  test('an element that is recognised is stepped over and not shown', () => {
    const text = '{"events":[{"a":1},{"b":2},{"c":3}],"cursor":"x"}'
    const from = text.indexOf('{"b"')
    const walked = walk(text, (at) => (at === from ? at + '{"b":2}'.length : 0))
    expect(walked).toEqual({ found: true, elements: [{ a: 1 }, { c: 3 }], rest: { events: [], cursor: 'x' } })
  })
  test('the list is found whatever way its name is written, and nothing else is taken for it', () => {
    const list = { found: true, elements: [1], rest: { events: [] } }
    expect(walk('{"\\u0065vents":[1]}')).toEqual(list)
    expect(walk('{"events\\\\":[1],"event":[2]}')).toEqual({
      found: false,
      elements: [],
      rest: { 'events\\': [1], event: [2] },
    })
  })
  test.each([
    ['{}', false],
    ['{"cursor":""}', false],
    ['{"events":null}', false],
    ['{"events":{}}', false],
    ['{"events":[]}', true],
    [' { "events" : [ ] } \n', true],
  ])('%s: list found %s', (text, found) => {
    expect(walk(text).found).toBe(found)
  })
})

describe('VEN-01: what is no JSON object is refused', () => {
  test.each([
    '',
    ' ',
    '[]',
    'null',
    '"events"',
    '<html>',
    '{',
    '{"events":[',
    '{"events":[1',
    '{"events":[1,]}',
    '{"events":[,1]}',
    '{"events":[1 2]}',
    '{"events":[{"a":1]}]}',
    '{"events":[{"a":NaN}]}',
    '{"events":["a]}',
    '{"events":[]',
    '{"events":[]}x',
    '{"events":[]},',
    '{events:[]}',
    '{"events":[],}',
    '{"cursor":01,"events":[]}',
    '{"cursor" "x"}',
    '\ufeff{"events":[]}',
  ])('%j', (text) => {
    expect(() => walk(text)).toThrow(PageShapeError)
  })
  test('any cut page', () => {
    const text = JSON.stringify({ events: [{ a: [1, 'x"'] }, { b: null }], cursor: 'c' })
    for (let length = 0; length < text.length; length++)
      expect(() => walk(text.slice(0, length))).toThrow(PageShapeError)
  })
  test('a whole body', () => {
    expect(parseBody(Buffer.from('[1]'))).toEqual([1])
    expect(() => parseBody(Buffer.from('[1'))).toThrow(PageShapeError)
  })
})

test.each([
  [{}, null],
  [{ cursor: '' }, null],
  [{ cursor: null }, null],
  [{ cursor: 'x' }, 'x'],
])('the cursor of %j is %j', (rest, cursor) => {
  expect(nextCursor(rest, 'cursor')).toBe(cursor)
})
test.each([[{ cursor: 7 }], [{ cursor: {} }]])('%j has no cursor', (rest) => {
  expect(() => nextCursor(rest, 'cursor')).toThrow(PageShapeError)
})
test('a cursor of 4,096 characters is one, and a longer one is none', () => {
  const longest = 'x'.repeat(4_096)
  expect(nextCursor({ cursor: longest }, 'cursor')).toBe(longest)
  expect(() => nextCursor({ cursor: `${longest}x` }, 'cursor')).toThrow(PageShapeError)
})
