import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Book } from '../../../ingest/contract/quote.ts'
import { mapBookA } from '../../../ingest/venues/a/books.ts'
import { mapBookB } from '../../../ingest/venues/b/books.ts'

const bookA = (bids: [string, string][], asks: [string, string][], timestamp = '1778997825875') => {
  const side = (levels: [string, string][]) => levels.map(([price, size]) => ({ price, size }))
  const raw = { asset_id: '9', timestamp, bids: side(bids), asks: side(asks) }
  return mapBookA(raw, (token) => (token === '9' ? 'm' : null), 7)
}
const bookB = (yes: unknown, no: unknown, ticker = 'T') =>
  mapBookB({ ticker, orderbook_fp: { yes_dollars: yes, no_dollars: no } }, new Set(['T']), 7)

describe('order books', () => {
  test('any order of levels gives the same book, best first', () => {
    const price = fc.integer({ min: 1, max: 499 })
    fc.assert(
      fc.property(
        fc.uniqueArray(price, { maxLength: 30 }),
        fc.uniqueArray(price, { maxLength: 30 }),
        (low, high) => {
          const bids = low.map((p): [string, string] => [`0.${String(p).padStart(3, '0')}`, String(p)])
          const asks = high.map((p): [string, string] => [`0.${500 + p}`, String(p)])
          const book = bookA(bids, asks)
          expect(book).toEqual(bookA([...bids].reverse(), [...asks].reverse()))
          expect(book?.bids.map(([bps]) => bps)).toEqual(low.map((p) => p * 10).sort((x, y) => y - x))
          expect(book?.asks.map(([bps]) => bps)).toEqual(high.map((p) => 5000 + p * 10).sort((x, y) => x - y))
          expect(Book.parse(book)).toEqual(book)
        },
      ),
    )
  })
  test('a crossed or touching book is dropped: trap 4', () => {
    expect(bookA([['0.50', '1']], [['0.50', '1']])).toBeNull()
    expect(bookB([['0.6000', '1.00']], [['0.4000', '1.00']])).toBeNull()
    expect(bookB([['0.6000', '1.00']], [['0.3999', '1.00']])).not.toBeNull()
  })
  test('one unreadable level spoils the book', () => {
    expect(bookA([['1.5', '1']], [])).toBeNull()
    expect(bookA([['0.5', '-1']], [])).toBeNull()
    expect(bookA([['0.5', 'NaN']], [])).toBeNull()
    expect(bookB([['0.5000']], [])).toBeNull()
  })
  test('a level of size 0 is none, equal levels add up, an empty side stays empty', () => {
    const book = bookA(
      [
        ['0.4', '0'],
        ['0.3', '1.5'],
        ['0.30', '2'],
      ],
      [],
    )
    expect(book).toMatchObject({ bids: [[3000, 3.5]], asks: [], venueMs: 1778997825875, seenMs: 7 })
    expect(bookB(null, undefined)).toMatchObject({ bids: [], asks: [], venueMs: null })
  })
  test('a book nobody asked for is not taken', () => {
    expect(mapBookA({ asset_id: '8', bids: [], asks: [] }, () => null, 7)).toBeNull()
    expect(bookB([], [], 'OTHER')).toBeNull()
  })
  test('at most 200 levels a side, the best ones', () => {
    const many = Array.from({ length: 400 }, (_, at): [string, string] => [
      `0.${String(at + 1).padStart(4, '0')}`,
      '1',
    ])
    const ends = (levels: [number, number][] | undefined) => [levels?.length, levels?.[0], levels?.at(-1)]
    expect(ends(bookA(many, [])?.bids)).toEqual([200, [400, 1], [201, 1]])
    expect(ends(bookA([], many)?.asks)).toEqual([200, [1, 1], [200, 1]])
  })
})
