import type { Book } from '../../../ingest/contract/quote.ts'
import type { EdgeRow, EdgesBoard } from '../../contract/edges.ts'
import type { FeedEvent } from '../../contract/feed.ts'
import type { GapCard, GapCardsBoard, Unqualified } from '../../contract/gapCards.ts'
import type { NetRow, NetsBoard } from '../../contract/nets.ts'
import { edgeRow, edgesBoard } from './edges.ts'
import { lifeOf } from './episode.ts'
import { type Ended, type Episodes, openingsOf, stepEpisodes } from './episodes.ts'
import { feedEvents, type Told } from './feedEvents.ts'
import { gapCard, gapCardsBoard, rankCards, refuseCard } from './gapCards.ts'
import type { At, LivePair } from './livePair.ts'
import { netRow, netsBoard } from './nets.ts'
import { price } from './priced.ts'

/** What has to be remembered from one computation to the next. */
export type PairMemory = { episodes: Episodes; told: Told }

export type PairBoards = {
  nets: NetsBoard
  edges: EdgesBoard
  gapCards: GapCardsBoard
  cards: GapCard[] //      all of them, best first, for the free samples
  events: FeedEvent[]
  ended: Ended[]
  refusedGaps: number //   gaps that found no room among the open ones
  memory: PairMemory
}

/**
 * All boards of pairs at one instant, in the order they need each other: prices, lives of gaps, nets, edges with their
 * flags, cards, feed. While a venue's data is stale the lives and the feed stand still: nothing is known, so nothing
 * is said to have opened or closed.
 * @param snapshotVersion of board `gapCards` that will hold these cards.
 */
export function pairBoards(
  pairs: Iterable<LivePair>,
  bookOf: (venue: 'a' | 'b', marketId: string) => Book | null,
  memory: PairMemory,
  at: At & { snapshotVersion: number },
): PairBoards {
  const priced = Array.from(pairs, (pair) => price(pair, at))
  const known = at.fresh.a && at.fresh.b
  const lives = known
    ? stepEpisodes(memory.episodes, { nowMs: at.nowMs, samples: priced.filter(({ trading }) => trading) })
    : { state: memory.episodes, ended: [], refused: 0 }

  const nets: NetRow[] = []
  const edges: EdgeRow[] = []
  const cards: GapCard[] = []
  const refused: Unqualified[] = []
  for (const each of priced) {
    const { pair } = each
    const net = netRow(each)
    const episode = lives.state.open.get(pair.pairId)
    const life = episode === undefined ? null : lifeOf(episode, at.nowMs)
    const openings = openingsOf(lives.state, pair.pairId, at.nowMs)
    const books = { a: bookOf('a', pair.a.market.marketId), b: bookOf('b', pair.b.market.marketId) }
    const edge = edgeRow(each, books, life === null ? null : { ageMs: life.ageMs, openings }, at, net)
    if (net !== null) nets.push(net)
    if (edge !== null) edges.push(edge)
    const reason = refuseCard(each, at)
    if (reason !== null) refused.push(reason)
    else if (edge !== null && each.gapCents !== null) cards.push(gapCard(edge, each.gapCents, life))
  }
  const ranked = rankCards(cards)
  const feed = known ? feedEvents(memory.told, { ...at, cards: ranked }) : { told: memory.told, events: [] }
  return {
    nets: netsBoard(nets),
    edges: edgesBoard(edges),
    gapCards: gapCardsBoard(ranked, refused),
    cards: ranked,
    events: feed.events,
    ended: lives.ended,
    refusedGaps: lives.refused,
    memory: { episodes: lives.state, told: feed.told },
  }
}
