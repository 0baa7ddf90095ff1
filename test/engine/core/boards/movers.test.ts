import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MOVE_WINDOWS, MOVERS_MAX, MoversBoard } from '../../../../engine/contract/movers.ts'
import { collectBest } from '../../../../engine/core/boards/best.ts'
import { Listings } from '../../../../engine/core/boards/listings.ts'
import { changeOf, MoversTable } from '../../../../engine/core/boards/movers.ts'
import type { Market } from '../../../../ingest/contract/market.ts'
import type { Quote } from '../../../../ingest/contract/quote.ts'
import { marketA, marketB, quote } from '../../support/markets.ts'
import { moversBoard } from './atOnce.ts'
import { NOW_MS } from './support.ts'

const onA = (id: string, rest: Partial<Quote> = {}, text: Partial<Market> = {}) => ({
  market: marketA(id, `Title ${id}`, text),
  quote: quote('a', id, 4_000, 4_100, rest),
})
const onB = (id: string, rest: Partial<Quote> = {}, text: Partial<Market> = {}) => ({
  market: marketB(id, `Title ${id}`, text),
  quote: quote('b', id, 4_000, 4_100, { lastBps: 4_500, previousBps: 4_000, ...rest }),
})

describe('spec 4.1 rule 5, venue A: the venue’s own change for the window', () => {
  const listed = onA('1', { changeHourBps: 10, changeDayBps: -250, changeWeekBps: 1_005 })
  test.each([
    ['hour', 0.1],
    ['day', -2.5],
    ['week', 10.05],
  ] as const)('%s: %d cents', (window, cents) => {
    expect(moversBoard({ a: [listed], b: [] }, NOW_MS)[window]).toMatchObject([
      { venue: 'a', changeCents: cents, volumeUnit: 'usd' },
    ])
  })

  test('a window it states nothing for has no row', () => {
    const board = moversBoard({ a: [onA('1', { changeDayBps: 0 })], b: [] }, NOW_MS)
    expect([board.hour, board.week, board.dropped]).toEqual([[], [], { no_figure: 2 }])
    expect(board.day).toMatchObject([{ changeCents: 0 }]) //  no change is a figure
  })

  test.each([
    [0, 'under_25_contracts'],
    [24.99, 'under_25_contracts'], //  it may be fewer contracts: each costs a dollar at most
    [25, 500],
    [26, 500],
  ])('a day of %d dollars: %s', (volume24h, change) => {
    expect(changeOf(onA('1', { changeDayBps: 500, volume24h }), 'day')).toBe(change)
  })
})

describe('spec 4.1 rule 5, venue B: last trade minus previous price, the day only (VEN-12)', () => {
  test.each([
    ['up', {}, 500],
    ['down', { lastBps: 3_999 }, -1],
    ['unmoved', { lastBps: 4_000 }, 0],
    ['previous price 0', { previousBps: 0 }, 'no_previous'],
    ['no previous price', { previousBps: null }, 'no_previous'],
    ['the smallest previous price', { previousBps: 1 }, 4_499],
    ['never traded', { lastBps: null }, 'no_figure'],
    ['24 contracts', { volume24h: 24 }, 'under_25_contracts'],
    ['24.99 contracts', { volume24h: 24.99 }, 'under_25_contracts'],
    ['25 contracts', { volume24h: 25 }, 500],
    ['26 contracts', { volume24h: 26 }, 500],
  ])('%s: %s', (_what, rest, change) => {
    expect(changeOf(onB('1', rest), 'day')).toBe(change)
  })

  test('a row says when its contract closes; venue A closes none by time', () => {
    const closeMs = NOW_MS + 60_000
    const listed = { a: [onA('1', { changeDayBps: 10 }, { closeMs })], b: [onB('1', {}, { closeMs })] }
    const { day } = moversBoard(listed, NOW_MS)
    expect(Object.fromEntries(day.map((row) => [row.venue, row.closeMs]))).toEqual({ a: null, b: closeMs })
  })

  test('hour and week hold no row of B, and nobody is counted as dropped there', () => {
    const board = moversBoard({ a: [], b: [onB('1')] }, NOW_MS)
    expect([board.hour, board.week, board.dropped]).toEqual([[], [], {}])
    expect(board.day).toMatchObject([
      { venue: 'b', changeCents: 5, lastBps: 4_500, yesBps: 4_050, volumeUnit: 'contracts' },
    ])
  })

  test('a market past its close is not listed (VEN-11)', () => {
    const board = moversBoard(
      { a: [], b: [onB('1', {}, { closeMs: NOW_MS }), onB('2', {}, { closeMs: NOW_MS + 1 })] },
      NOW_MS,
    )
    expect([board.day.map(({ marketId }) => marketId), board.dropped]).toEqual([['2'], { closed: 1 }])
  })
})

describe('board movers', () => {
  test('largest absolute change first; of equal ones A, then the busier, then by id', () => {
    const a = [
      onA('a1', { changeDayBps: 500, volume24h: 31 }),
      onA('a2', { changeDayBps: -500, volume24h: 32 }),
      onA('a3', { changeDayBps: 100 }),
    ]
    const b = [onB('b2'), onB('b1'), onB('b3', { lastBps: 3_400 })]
    const ids = moversBoard({ a, b }, NOW_MS).day.map(({ marketId }) => marketId)
    expect(ids).toEqual(['b3', 'a2', 'a1', 'b1', 'b2', 'a3'])
  })

  test('a crossed market has no yes price but keeps its change; a contract', () => {
    const board = moversBoard({ a: [onA('1', { changeDayBps: 5, askBps: 3_900 })], b: [onB('2')] }, NOW_MS)
    expect(board.day.find(({ venue }) => venue === 'a')).toMatchObject({ yesBps: null, changeCents: 0.05 })
    expect(() => MoversBoard.parse(board)).not.toThrow()
  })

  test('bounded: the smallest are cut and counted', () => {
    const a = Array.from({ length: MOVERS_MAX + 3 }, (_, at) =>
      onA(`${at}`, { changeHourBps: at, changeDayBps: at, changeWeekBps: at }),
    )
    const board = moversBoard({ a, b: [] }, NOW_MS)
    for (const window of MOVE_WINDOWS) {
      expect(board[window]).toHaveLength(MOVERS_MAX)
      expect([board[window][0]?.changeCents, board[window].at(-1)?.changeCents]).toEqual([
        (MOVERS_MAX + 2) / 100,
        0.03,
      ])
    }
    expect(board.dropped).toEqual({ beyond_bound: 9 })
  })

  test('when those that moved most are gone the next ones are found, and none that has no figure', () => {
    const count = 5 * MOVERS_MAX
    const known = new Map<string, ReturnType<typeof onA>>()
    for (let at = 0; at < count; at++) known.set(`${at}`, onA(`${at}`, { changeHourBps: at }))
    known.set('none', onA('none'))
    const movers = new MoversTable()
    const listings = new Listings([movers])
    const hour = () => {
      for (const marketId of [...Array(count).keys(), 'none']) listings.touch('a', `${marketId}`)
      listings.look((_, marketId) => known.get(marketId) ?? null, NOW_MS)
      return movers.board(listings).hour.map(({ changeCents }) => changeCents)
    }
    expect(hour()).toHaveLength(MOVERS_MAX)
    for (let at = 3; at < count; at++) known.delete(`${at}`)
    expect(hour()).toEqual([0.02, 0.01, 0])
  })

  test('every market is a row or is counted, once a window', () => {
    const change = fc.option(fc.integer({ min: -300, max: 300 }))
    const price = fc.option(fc.integer({ min: 0, max: 3 }))
    const world = fc.record({
      a: fc.array(fc.tuple(change, change, change), { maxLength: 250 }),
      b: fc.array(fc.tuple(price, price, fc.integer({ min: 23, max: 27 })), { maxLength: 250 }),
    })
    fc.assert(
      fc.property(world, ({ a, b }) => {
        const board = moversBoard(
          {
            a: a.map(([hour, day, week], at) =>
              onA(`${at}`, { changeHourBps: hour, changeDayBps: day, changeWeekBps: week }),
            ),
            b: b.map(([last, previous, volume], at) =>
              onB(`${at}`, { lastBps: last, previousBps: previous, volume24h: volume }),
            ),
          },
          NOW_MS,
        )
        const kept = MOVE_WINDOWS.flatMap((window) => board[window])
        const dropped = Object.values(board.dropped).reduce((sum, count) => sum + count, 0)
        expect(kept.length + dropped).toBe(3 * a.length + b.length)
        const sizes = board.day.map(({ changeCents }) => Math.abs(changeCents))
        expect(sizes).toEqual([...sizes].sort((x, y) => y - x))
      }),
      { numRuns: 30 },
    )
  })
})

describe('the best of many', () => {
  test('is what sorting everything gives, in any order of arrival', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 50 })),
        fc.integer({ min: 1, max: 12 }),
        (numbers, max) => {
          const best = collectBest<number>(max, (x, y) => y - x)
          for (const number of numbers) best.push(number, Math.floor(number / 10))
          expect(best.sorted()).toEqual([...numbers].sort((x, y) => y - x).slice(0, max))
        },
      ),
    )
  })
})
