import type { BookBoard } from '../../../../engine/contract/book.ts'
import type { MoversBoard } from '../../../../engine/contract/movers.ts'
import type { TopicsBoard } from '../../../../engine/contract/topics.ts'
import type { GapSample } from '../../../../engine/core/boards/episode.ts'
import { type Ended, type Episodes, OpenGaps } from '../../../../engine/core/boards/episodes.ts'
import { BookTable } from '../../../../engine/core/boards/liquidBook.ts'
import { Listings, type ListingTable } from '../../../../engine/core/boards/listings.ts'
import type { At, LivePair } from '../../../../engine/core/boards/livePair.ts'
import { MoversTable } from '../../../../engine/core/boards/movers.ts'
import {
  type PairBoards,
  type PairMemory,
  type PairSources,
  PairTable,
} from '../../../../engine/core/boards/pairTable.ts'
import { type Topics, TopicsTable } from '../../../../engine/core/boards/topics.ts'
import type { Listed } from '../../../../engine/core/gapRow.ts'

/*
 * Boards computed at once from all markets or pairs: the result that a table kept current has to agree with.
 */

type Markets = { a: Iterable<Listed>; b: Iterable<Listed> }

export function bookBoard(markets: Markets, nowMs: number): BookBoard {
  const table = new BookTable()
  return table.board(countAll(markets, nowMs, table))
}

export function moversBoard(markets: Markets, nowMs: number): MoversBoard {
  const table = new MoversTable()
  return table.board(countAll(markets, nowMs, table))
}

export function topicsBoard(
  markets: Markets,
  pairOf: ConstructorParameters<typeof TopicsTable>[0],
  nowMs: number,
  max?: number,
): TopicsBoard {
  const table = new TopicsTable(pairOf, max)
  return asPublished(table.board(countAll(markets, nowMs, table)))
}

export const asPublished = ({ a, b, ...rest }: Topics): TopicsBoard => ({ ...rest, a: [...a], b: [...b] })

/** All markets counted at once. */
export function countAll(markets: Markets, nowMs: number, ...tables: ListingTable[]): Listings {
  const listings = new Listings(tables)
  const found = { a: new Map<string, Listed>(), b: new Map<string, Listed>() }
  for (const venue of ['a', 'b'] as const)
    for (const listed of markets[venue]) {
      found[venue].set(listed.market.marketId, listed)
      listings.touch(venue, listed.market.marketId)
    }
  listings.look((venue, marketId) => found[venue].get(marketId) ?? null, nowMs)
  return listings
}

/** All boards of pairs at one instant, computed from all pairs at once. */
export function pairBoards(
  pairs: Iterable<LivePair>,
  bookOf: PairSources['book'],
  memory: PairMemory,
  at: At,
): PairBoards & { memory: PairMemory } {
  const table = new PairTable(memory)
  const byId = new Map<string, LivePair>()
  for (const pair of pairs) byId.set(pair.pairId, pair)
  for (const pairId of byId.keys()) table.touch(pairId)
  const boards = table.look({ pair: (pairId) => byId.get(pairId) ?? null, book: bookOf }, at)
  return { ...boards, memory: table.memory }
}

/**
 * Takes every live pair as it is at an instant.
 * @returns the next state, the episodes that ended, and how many gaps found no room.
 */
export function stepEpisodes(
  state: Episodes,
  { nowMs, samples }: { nowMs: number; samples: Iterable<GapSample> },
): { state: Episodes; ended: Ended[]; refused: number } {
  const gaps = new OpenGaps(state)
  const moved = new Map<string, GapSample | null>()
  for (const sample of samples) moved.set(sample.pair.pairId, sample)
  for (const pairId of state.open.keys()) if (!moved.has(pairId)) moved.set(pairId, null)
  const all = () => [...moved.values()].filter((sample) => sample !== null)
  const { ended, refused } = gaps.step({ nowMs, moved, all })
  return { state: gaps.state(), ended, refused }
}
