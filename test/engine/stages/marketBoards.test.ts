import { describe, expect, test } from 'vitest'
import { BookBoard } from '../../../engine/contract/book.ts'
import { EdgesBoard } from '../../../engine/contract/edges.ts'
import { GapCardsBoard } from '../../../engine/contract/gapCards.ts'
import { MoversBoard } from '../../../engine/contract/movers.ts'
import { NetsBoard } from '../../../engine/contract/nets.ts'
import { TopicsBoard } from '../../../engine/contract/topics.ts'
import { marketBoards } from '../../../engine/stages/marketBoards.ts'
import { noChanges, World } from '../../../engine/stages/world.ts'
import type { Book } from '../../../ingest/contract/quote.ts'
import { marketA, marketB, quote } from '../support/markets.ts'

const NOW = 1_790_000_000_000
const CLOSE = Date.UTC(2027, 5, 30)
const TICKER = 'KXVISIT-27JUN30-OBER'

function world(): World {
  const made = new World()
  made.load({
    market: marketA('1', 'Will Ola Berg visit Chile by June 30, 2027?', { closeMs: CLOSE }),
    quote: quote('a', '1', 4_000, 4_100, { changeDayBps: 250 }),
  })
  made.load({
    market: marketB(TICKER, 'Will Ola Berg visit Chile by June 30, 2027?', { closeMs: CLOSE }),
    quote: quote('b', TICKER, 4_800, 4_900, { lastBps: 4_850, previousBps: 4_500 }),
  })
  for (const _ of made.pairLoaded());
  return made
}
const at = (nowMs = NOW) => ({ nowMs, asOfMs: { a: nowMs, b: nowMs }, fresh: { a: true, b: true } })
const bodies = (made: World, boards = marketBoards()) =>
  Object.fromEntries(boards.map((board) => [board.name, JSON.parse(board.body(made, at()))]))

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
    expect(TopicsBoard.parse(topics).rows.map((row) => row.pairId)).toEqual([
      `a:1|b:${TICKER}`,
      `a:1|b:${TICKER}`,
    ])
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
  expect(bodies(made).edges.rows[0].bySize).toBeNull()
  const changes = noChanges()
  for (const book of [depth('a', '1', 4_000, 4_100), depth('b', TICKER, 4_800, 4_900)])
    for (const _ of made.apply({ kind: 'books', venue: book.venue, books: [book] }, changes));
  const [row] = bodies(made).edges.rows
  expect(row.bySize.map((size: { usd: number; filled: boolean }) => [size.usd, size.filled])).toEqual([
    [10, true],
    [100, true],
    [1_000, true],
  ])
})

test('a warm world starts the pair boards anew', () => {
  const boards = marketBoards()
  expect(bodies(world(), boards).nets.rows).toHaveLength(1)
  const empty = new World()
  for (const board of boards) board.warm(empty)
  expect(bodies(empty, boards)).toMatchObject({ nets: { rows: [] }, topics: { rows: [] } })
})
