import { describe, expect, test } from 'vitest'
import { LIMIT_MAX, parsePollQuery, parseStreamQuery, parseTopics } from '../../../api/feed/feedQuery.ts'

const GIVEN = '1790000000000-0'
const OTHER = '1790000000000-1'

describe('limit: how many events a poll asks for at most', () => {
  test.each(['1', '999', String(LIMIT_MAX)])('%s', (limit) => {
    expect(parsePollQuery(`limit=${limit}`)).toMatchObject({ afterId: null, limit: Number(limit) })
  })
  test.each(['0', String(LIMIT_MAX + 1), '9999', '10000', '01', '1.5', '-1', ''])(
    '%j is refused',
    (limit) => {
      expect(parsePollQuery(`limit=${limit}`)).toMatchObject({ problem: expect.any(String) })
    },
  )
})

test.each<[string[], string[] | null]>([
  [['gaps'], ['gaps']],
  [
    ['edges', 'gaps'],
    ['edges', 'gaps'],
  ],
  [[], null],
  [['cards'], null],
  [['gaps', 'cards'], null],
  [['gaps', 'gaps'], null],
])('topics %j: %j', (names, topics) => {
  const parsed = parseTopics(names)
  expect(parsed === null ? null : [...parsed]).toEqual(topics)
})

describe('where a stream goes on: the header, then lastEventId, then since', () => {
  test.each([
    ['', '', null],
    [`since=${GIVEN}`, '', GIVEN],
    [`since=${OTHER}&lastEventId=${GIVEN}`, '', GIVEN],
    [`lastEventId=${OTHER}&since=${OTHER}`, GIVEN, GIVEN],
  ])('%j with header %j: %s', (rawQuery, header, afterId) => {
    expect(parseStreamQuery(rawQuery, header)).toMatchObject({ afterId })
  })
  test.each([
    ['', 'x'],
    ['lastEventId=1', ''],
    [`since=${GIVEN}&topic=cards`, ''],
  ])('%j with header %j is refused', (rawQuery, header) => {
    expect(parseStreamQuery(rawQuery, header)).toMatchObject({ problem: expect.any(String) })
  })
})
