import { describe, expect, test } from 'vitest'
import { BOOK_MAX, BookBoard } from '../../../../engine/contract/book.ts'
import { TOPICS_MAX, type TopicRow, TopicsBoard } from '../../../../engine/contract/topics.ts'
import { Listings } from '../../../../engine/core/boards/listings.ts'
import { TopicsTable } from '../../../../engine/core/boards/topics.ts'
import type { Listed } from '../../../../engine/core/gapRow.ts'
import type { Market } from '../../../../ingest/contract/market.ts'
import type { Quote } from '../../../../ingest/contract/quote.ts'
import { marketA, marketB, quote } from '../../support/markets.ts'
import { takeSome } from '../../support/steps.ts'
import { asPublished, bookBoard, countAll, topicsBoard } from './atOnce.ts'
import { listener } from './listener.ts'
import { NOW_MS } from './support.ts'

const onA = (id: string, volume24h: number, rest: Partial<Quote> = {}, text: Partial<Market> = {}) => ({
  market: marketA(id, `Question ${id}`, text),
  quote: quote('a', id, 4_000, 4_100, { volume24h, ...rest }),
})
const onB = (id: string, volume24h: number, text: Partial<Market> = {}) => ({
  market: marketB(id, `Question ${id}`, text),
  quote: quote('b', id, 4_000, 4_100, { volume24h }),
})

describe('spec 4.1 rule 6: markets by 24 h volume, with volume, bid and ask', () => {
  test('each venue by itself, highest first, equal ones by id', () => {
    const board = bookBoard({ a: [onA('1', 5), onA('3', 9), onA('2', 5)], b: [onB('x', 1_000)] }, NOW_MS)
    expect(board.a.map(({ marketId }) => marketId)).toEqual(['3', '1', '2'])
    expect(board.b).toMatchObject([
      { marketId: 'x', volume24h: 1_000, volumeUnit: 'contracts', bidBps: 4_000, askBps: 4_100 },
    ])
    expect(board.a[0]).toMatchObject({ volumeUnit: 'usd', topic: 'Question 3' })
    expect(() => BookBoard.parse(board)).not.toThrow()
  })

  test.each([
    ['not traded', onA('1', 0), 0],
    ['a cent of volume', onA('1', 0.01), 1],
    ['B past its close (VEN-11)', onB('1', 9, { closeMs: NOW_MS }), 0],
    ['B about to close', onB('1', 9, { closeMs: NOW_MS + 1 }), 1],
    ['A past its end date', onA('1', 9, {}, { closeMs: 1 }), 1],
  ])('%s: %d rows', (_what, listed, count) => {
    const board = bookBoard({ a: [], b: [], [listed.market.venue]: [listed] }, NOW_MS)
    expect([...board.a, ...board.b]).toHaveLength(count)
  })

  test('I18 prices as stated: one-sided and touching too, but no side with nothing behind it, and no bid above its ask', () => {
    const rows = [
      onA('1', 9, { askBps: null }),
      onA('2', 8, { askBps: 4_000 }),
      onA('2b', 8, { askBps: 3_999 }),
      onA('3', 7, { bidSize: 0 }),
      onA('4', 6, { askSize: 0 }),
    ]
    expect(bookBoard({ a: rows, b: [] }, NOW_MS).a.map(({ bidBps, askBps }) => [bidBps, askBps])).toEqual([
      [4_000, null],
      [4_000, 4_000],
      [null, null],
      [null, 4_100],
      [4_000, null],
    ])
  })

  test('bounded per venue', () => {
    const a = Array.from({ length: BOOK_MAX + 1 }, (_, at) => onA(`${at}`, at + 1))
    const board = bookBoard({ a, b: [onB('x', 1)] }, NOW_MS)
    expect([board.a.length, board.a.at(-1)!.volume24h, board.b.length]).toEqual([BOOK_MAX, 2, 1])
  })
})

describe('board topics: what match searches', () => {
  const NO_PAIRS = () => null
  /** Pair `p0` of the first two, `p1` of the second two. */
  const paired = (...couples: [Listed, Listed][]) => {
    const at = (venue: 'a' | 'b', id: string) =>
      couples.findIndex(([a, b]) => (venue === 'a' ? a : b).market.marketId === id)
    return (venue: 'a' | 'b', id: string) => (at(venue, id) === -1 ? null : { pairId: `p${at(venue, id)}` })
  }

  test('A before B, by volume, with the pair each belongs to and no price', () => {
    const a = [onA('1', 1), onA('2', 2)]
    const b = [onB('x', 5)]
    const board = topicsBoard({ a, b }, paired([a[0]!, b[0]!]), NOW_MS)
    expect(board.a).toEqual([
      { venue: 'a', marketId: '2', topic: 'Question 2', pairId: null },
      { venue: 'a', marketId: '1', topic: 'Question 1', pairId: 'p0' },
    ])
    expect(board.b).toEqual([{ venue: 'b', marketId: 'x', topic: 'Question x', pairId: 'p0' }])
    expect(() => TopicsBoard.parse(board)).not.toThrow()
  })

  test('bounded, but every paired one is there however quiet', () => {
    const a = Array.from({ length: TOPICS_MAX + 5 }, (_, at) => onA(`${at}`, at))
    const b = [0, 3, 99].map((at) => onB(`x${at}`, 1))
    const board = topicsBoard({ a, b }, paired([a[0]!, b[0]!], [a[3]!, b[1]!], [a[99]!, b[2]!]), NOW_MS)
    expect(board.a).toHaveLength(TOPICS_MAX + 2)
    expect(board.a.slice(-3).map(({ marketId }) => marketId)).toEqual(['5', '3', '0'])
    expect(board.a.filter(({ pairId }) => pairId !== null)).toHaveLength(3)
    expect([board.bound, board.known]).toEqual([TOPICS_MAX, { a: TOPICS_MAX + 5, b: 3 }])
  })

  test('a paired market of B past its close is no topic any more (VEN-11)', () => {
    const [a, b] = [onA('1', 1), onB('x', 1, { closeMs: NOW_MS })]
    const board = topicsBoard({ a: [a], b: [b] }, paired([a, b]), NOW_MS)
    expect([board.a.map(({ marketId }) => marketId), board.b]).toEqual([['1'], []])
  })

  test('untraded markets are topics too; seats without a name and closed markets are not', () => {
    const a = [onA('1', 0), onA('2', 9, {}, { placeholder: true })]
    const b = [onB('x', 9, { closeMs: NOW_MS })]
    expect(topicsBoard({ a, b }, NO_PAIRS, NOW_MS)).toMatchObject({
      a: [{ marketId: '1' }],
      b: [],
      known: { a: 2, b: 1 },
    })
  })

  test('a reader is told what says something else, and where it stands', () => {
    const pairs = new Map<string, { pairId: string }>()
    const table = new TopicsTable((_, id) => pairs.get(id) ?? null, 2)
    const known = new Map(['1', '2', '3', '4'].map((id) => [id, onA(id, Number(id))]))
    const listings = new Listings([table])
    const look = (...ids: string[]) => {
      for (const id of ids) listings.touch('a', id)
      listings.look((_, id) => known.get(id) ?? null, NOW_MS)
      return table.board(listings).a
    }
    const told = listener<TopicRow>(look(...known.keys()))
    const ids = () => told().map((row) => row?.marketId)
    expect(ids()).toEqual(['4', '3'])
    //  a trade moves it, and its text stays
    known.set('3', { ...known.get('3')!, quote: onA('3', 9).quote })
    expect(look('3').changed).toBe(0)
    expect(ids()).toEqual(['3', '4'])
    //  a pair brings a quiet market in, and its end takes it out again
    pairs.set('1', { pairId: 'p' })
    expect(look('1').changed).toBe(1)
    expect(ids()).toEqual(['3', '4', '1'])
    pairs.clear()
    expect(look('1').changed).toBe(1)
    expect(ids()).toEqual(['3', '4'])
  })

  test.each([0, 1, 2, 5])('put in order ahead by %d steps they say the same', (steps) => {
    const a = Array.from({ length: 1_200 }, (_, at) => onA(`${at}`, (at * 7) % 1_000))
    const pairOf = paired([a[3]!, onB('x', 1)])
    const table = new TopicsTable(pairOf, 20)
    const listings = countAll({ a, b: [onB('x', 1)] }, NOW_MS, table)
    takeSome(table.approach(listings), steps)
    expect(asPublished(table.board(listings))).toEqual(
      topicsBoard({ a, b: [onB('x', 1)] }, pairOf, NOW_MS, 20),
    )
    expect([...table.approach(listings)]).toEqual([])
  })

  test('a text that changes is read again', () => {
    const before = onA('1', 1)
    const after = { ...before, market: { ...before.market, title: 'Question One' } }
    const topic = (listed: typeof before) => topicsBoard({ a: [listed], b: [] }, NO_PAIRS, NOW_MS).a[0]!.topic
    expect([topic(before), topic(before), topic(after)]).toEqual(['Question 1', 'Question 1', 'Question One'])
  })
})
