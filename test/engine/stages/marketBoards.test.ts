import { Redis } from 'ioredis'
import { describe, expect, test, vi } from 'vitest'
import { BookBoard } from '../../../engine/contract/book.ts'
import { EdgesBoard } from '../../../engine/contract/edges.ts'
import { GapCardsBoard } from '../../../engine/contract/gapCards.ts'
import { MoversBoard } from '../../../engine/contract/movers.ts'
import { NetsBoard } from '../../../engine/contract/nets.ts'
import { RefusalsBoard } from '../../../engine/contract/refusals.ts'
import { TopicsBoard } from '../../../engine/contract/topics.ts'
import type { Board, Body } from '../../../engine/stages/board.ts'
import { listingBoards, refusalsStage } from '../../../engine/stages/marketBoards.ts'
import { pairStage } from '../../../engine/stages/pairStage.ts'
import { gapsBoard } from '../../../engine/stages/refreshGaps.ts'
import { noChanges, World } from '../../../engine/stages/world.ts'
import type { Book } from '../../../ingest/contract/quote.ts'
import { createLog } from '../../../ops/log.ts'
import { bodiesOf, readBody } from '../support/bodies.ts'
import { marketA, marketB, quote } from '../support/markets.ts'
import { takeSome } from '../support/steps.ts'
import { loadListed } from '../support/stream.ts'

const NOW = 1_790_000_000_000
const CLOSE = Date.UTC(2027, 5, 30)
const TICKER = 'KXVISIT-27JUN30-OBER'

function world(): World {
  const made = new World({ nowMs: () => NOW })
  loadListed(made, {
    market: marketA('1', 'Will Ola Berg visit Chile by June 30, 2027?', { closeMs: CLOSE }),
    quote: quote('a', '1', 4_000, 4_100, { changeDayBps: 250, venueMs: NOW - 4_000, seenMs: NOW - 2_000 }),
  })
  loadListed(made, {
    market: marketB(TICKER, 'Will Ola Berg visit Chile by June 30, 2027?', { closeMs: CLOSE }),
    quote: quote('b', TICKER, 4_800, 4_900, { lastBps: 4_850, previousBps: 4_500 }),
  })
  for (const _ of made.pairLoaded());
  return made
}
//  nothing of these tests is stored
const redis = new Redis({ lazyConnect: true })
const marketBoards = () => {
  const { busy, topics } = listingBoards()
  const pairs = pairStage({ redis, clock: { nowMs: () => NOW }, log: createLog('test', 'fatal') })
  return [...pairs, ...busy, topics, refusalsStage()]
}
const bodies = (made: World, boards = marketBoards()) => {
  for (const board of boards) board.warm(made)
  return bodiesOf(made, boards, NOW)
}

test.each([0, 1, 1_000])('worked off ahead by %d steps they say the same', (steps) => {
  const made = world()
  const boards = [gapsBoard(), ...marketBoards()]
  const at = { nowMs: NOW, asOfMs: { a: NOW, b: NOW }, fresh: { a: true, b: true } }
  for (const board of boards) board.warm(made)
  for (const board of boards) {
    const ahead = board.approach?.(made, at)
    if (ahead !== undefined) takeSome(ahead, steps)
  }
  const plain = [gapsBoard(), ...marketBoards()]
  for (const board of plain) board.warm(made)
  expect(bodiesOf(made, boards, NOW)).toEqual(bodiesOf(made, plain, NOW))
})

describe('the boards beside gaps hold what their contracts promise', () => {
  const made = world()
  const { nets, edges, gapCards, movers, book, topics } = bodies(made)

  test('one pair: its net, edge and card', () => {
    expect(made.pairs).toBe(1)
    expect(NetsBoard.parse(nets).rows).toMatchObject([
      { netCents: 7, buyVenue: 'a', sellVenue: 'b', gapCents: 8 },
    ])
    expect(EdgesBoard.parse(edges).rows).toHaveLength(1)
    expect(GapCardsBoard.parse(gapCards).cards).toMatchObject([{ schema: 'botFuel.v2', gapCents: 8 }])
  })

  test('both markets in movers, book and topics', () => {
    expect(MoversBoard.parse(movers).day.map((row) => [row.venue, row.changeCents])).toEqual([
      ['b', 3.5],
      ['a', 2.5],
    ])
    expect(MoversBoard.parse(movers).hour.filter((row) => row.venue === 'b')).toEqual([])
    expect(BookBoard.parse(book)).toMatchObject({ a: [{ marketId: '1' }], b: [{ marketId: TICKER }] })
    const [a, b] = [
      { venueMs: NOW - 4_000, seenMs: NOW - 2_000 }, //  design 3: both clocks travel with every quote
      { venueMs: null },
    ]
    expect(movers).toMatchObject({ day: [b, a] })
    expect(book).toMatchObject({ a: [a], b: [b] })
    const pairIds = [{ pairId: `a:1|b:${TICKER}` }]
    expect(TopicsBoard.parse(topics)).toMatchObject({ a: pairIds, b: pairIds })
  })
})

test('depth of a polled book reaches the edges', () => {
  const made = world()
  const depth = (venue: 'a' | 'b', marketId: string, bid: number, ask: number): Book => ({
    venue,
    marketId,
    bids: [[bid, 5_000]],
    asks: [[ask, 5_000]],
    venueMs: null,
    seenMs: NOW,
  })
  expect(bodies(made).edges!.rows[0].bySize).toBeNull()
  const changes = noChanges()
  for (const book of [depth('a', '1', 4_000, 4_100), depth('b', TICKER, 4_800, 4_900)])
    for (const _ of made.apply({ kind: 'books', venue: book.venue, books: [book] }, changes));
  const [row] = bodies(made).edges!.rows
  expect(row.bySize.map((size: { usd: number; filled: boolean }) => [size.usd, size.filled])).toEqual([
    [10, true],
    [100, true],
    [1_000, true],
  ])
})

describe('I17 topics: made seldom, and as fresh as when they were made', () => {
  const at = (nowMs: number, asOfB: number | null = nowMs) => ({
    nowMs,
    asOfMs: { a: nowMs, b: asOfB },
    fresh: { a: true, b: asOfB !== null },
  })
  const closeAll = (made: World, boards: Board[]) => {
    const changes = noChanges()
    for (const _ of made.apply(
      { kind: 'changes', venue: 'a', markets: [], quotes: [], closed: ['1'] },
      changes,
    ));
    for (const board of boards) board.note(changes)
  }
  const rowsOfA = (body: Body) => readBody(body).a.length
  const start = (from: ReturnType<typeof at>) => {
    const made = world()
    const { busy, topics } = listingBoards()
    const boards = [...busy, topics]
    for (const board of boards) board.warm(made)
    return { made, topics, boards, first: topics.body(made, from) }
  }

  test('the same body again keeps its own as-of (VEN-11)', () => {
    const { made, topics, boards, first } = start(at(NOW))
    closeAll(made, boards)
    const again = topics.body(made, at(NOW + 5_000))
    expect([first.asOf, again.asOf, rowsOfA(again)]).toEqual([at(NOW).asOfMs, at(NOW).asOfMs, 1])
  })

  test('made anew ten seconds earlier where nobody waits for the engine, until something moves', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const { made, topics, boards } = start(at(NOW))
      const rowsAfter = (ms: number) => {
        vi.advanceTimersByTime(ms)
        return rowsOfA(topics.body(made, at(NOW + 1)))
      }
      closeAll(made, boards)
      expect([topics.rest!(), rowsAfter(34_999)]).toEqual([false, 1])
      expect([topics.note(noChanges()), rowsAfter(1)]).toEqual([false, 1])
      expect([topics.rest!(), rowsAfter(0)]).toEqual([true, 0])
    } finally {
      vi.useRealTimers()
    }
  })

  test('what was made of stale data is made anew when it is fresh', () => {
    const { made, topics, boards, first } = start(at(NOW, null))
    closeAll(made, boards)
    const fresh = topics.body(made, at(NOW + 5_000))
    expect([first.asOf?.b, fresh.asOf, rowsOfA(fresh)]).toEqual([null, at(NOW + 5_000).asOfMs, 0])
  })
})

test('a warm world starts the pair boards anew', () => {
  const boards = marketBoards()
  expect(bodies(world(), boards).nets!.rows).toHaveLength(1)
  expect(bodies(new World({ nowMs: () => NOW }), boards)).toMatchObject({
    nets: { rows: [] },
    topics: { a: [], b: [] },
  })
})

test('a pair that goes with one market is told of the other one, and a pair that comes too', () => {
  const made = world()
  const { busy, topics } = listingBoards()
  const boards = [...busy, topics]
  for (const board of boards) board.warm(made)
  //  the board is rebuilt when freshness changes
  const pairsOfB = (nowMs: number, isFresh: boolean) => {
    const at = { nowMs, asOfMs: { a: nowMs, b: nowMs }, fresh: { a: true, b: isFresh } }
    return readBody(topics.body(made, at)).b.map((row: { pairId: string | null }) => row.pairId)
  }
  const apply = (batch: Parameters<World['apply']>[0]) => {
    const changes = noChanges()
    for (const _ of made.apply(batch, changes));
    for (const board of boards) board.note(changes)
  }
  const { market, quote } = made.listing('a', '1')!
  const pairId = `a:1|b:${TICKER}`
  expect(pairsOfB(NOW, true)).toEqual([pairId])
  apply({ kind: 'changes', venue: 'a', markets: [], quotes: [], closed: ['1'] })
  expect(pairsOfB(NOW + 1, false)).toEqual([null])
  apply({ kind: 'changes', venue: 'a', markets: [market], quotes: [quote], closed: [] })
  expect(pairsOfB(NOW + 2, true)).toEqual([pairId])
})

describe('board refusals: what was proposed and refused, and why', () => {
  const title = (what: string) => `Will Ola Berg visit ${what} by June 30, 2027?`
  const made = new World({ nowMs: () => NOW })
  const list = (venue: 'a' | 'b', id: string, text: string) =>
    loadListed(made, {
      market: venue === 'a' ? marketA(id, text) : marketB(id, text),
      quote: quote(venue, id, 4_321, 4_567),
    })
  list('a', '1', title('Chile'))
  list('b', 'KXVISIT-27JUN30-PERU', title('Peru'))
  list('a', '2', 'Will Bo Dahl win 3 Oscars in 2027?')
  list('b', 'KXOSCARS-27-BD', 'Will Bo Dahl win 5 Oscars in 2027?')
  list('a', '3', 'Will Bo Dahl win 2 Oscars in 2027?')
  list('a', '4', 'Will it snow in Lund?')
  for (const _ of made.pairLoaded());
  const stage = refusalsStage()
  const board = RefusalsBoard.parse(bodiesOf(made, [stage], NOW).refusals)

  test('the hardest look-alikes with both titles, links and reasons; each market once', () => {
    expect(made.pairs).toBe(0)
    expect(board.lookAlikes.map(({ a, b, reasons }) => [a.marketId, b.marketId, reasons])).toEqual([
      ['2', 'KXOSCARS-27-BD', ['numbers']],
      ['1', 'KXVISIT-27JUN30-PERU', ['name']],
    ])
    expect(board.lookAlikes[1]).toMatchObject({
      a: { title: title('Chile'), url: 'https://polymarket.com/event/1' },
      b: { url: 'https://kalshi.com/markets/kxvisit' },
    })
  })

  test('counts by first reason add up', () => {
    expect(board.counts).toEqual(made.refusedCounts())
    expect(board.refused).toBe(Object.values(board.counts).reduce((sum, count) => sum + count, 0))
    expect(board.refused).toBeGreaterThanOrEqual(board.lookAlikes.length)
  })

  test('VEN-17 no price is in it', () => {
    expect(JSON.stringify(board)).not.toMatch(/4321|4567|bps/i)
  })

  test('at most every thirty seconds; a new world is looked at anew', () => {
    for (const _ of made.apply(
      { kind: 'changes', venue: 'a', markets: [], quotes: [], closed: ['2'] },
      noChanges(),
    ));
    expect(bodiesOf(made, [stage], NOW).refusals).toEqual(board)
    stage.warm(made)
    expect(RefusalsBoard.parse(bodiesOf(made, [stage], NOW).refusals).lookAlikes[0]).toMatchObject({
      a: { marketId: '3' },
    })
  })
})
