import type { Book } from '../../../ingest/contract/quote.ts'
import type { EdgesBoard } from '../../contract/edges.ts'
import type { GapCardsBoard } from '../../contract/gapCards.ts'
import type { NetsBoard } from '../../contract/nets.ts'
import type { Assessed } from './assess.ts'
import { assessAgain } from './assessAgain.ts'
import { edgesBoard } from './edges.ts'
import { lifeOf } from './episode.ts'
import { type Ended, type Episodes, openingsOf, stepEpisodes } from './episodes.ts'
import { feedEvents, type News, type Told } from './feedEvents.ts'
import { type CardSketch, gapCard, gapCardsBoard, rankCards, refuseCard, sketchCard } from './gapCards.ts'
import type { At, LivePair } from './livePair.ts'
import { netsBoard } from './nets.ts'
import { type Pricing, priceAll } from './pricing.ts'

/** What has to be remembered from one look to the next. */
export type PairMemory = { pricing: Pricing; episodes: Episodes; told: Told }

export type PairBoards = {
  nets: NetsBoard
  edges: EdgesBoard
  gapCards: GapCardsBoard
  events: News[]
  ended: Ended[]
  refusedGaps: number //   gaps that found no room among the open ones
  memory: PairMemory
}

/**
 * All boards of pairs at one instant, in the order they need each other: prices, lives of gaps, edges with their flags,
 * cards, feed. While a venue's data is stale the lives and the feed stand still: nothing is known, so nothing is said
 * to have opened or closed.
 */
export function pairBoards(
  pairs: Iterable<LivePair>,
  bookOf: (venue: 'a' | 'b', marketId: string) => Book | null,
  memory: PairMemory,
  at: At,
): PairBoards {
  const { nowMs, fresh } = at
  const known = fresh.a && fresh.b
  const pricing = priceAll(memory.pricing, pairs, at)
  const lives = known
    ? stepEpisodes(memory.episodes, { nowMs, samples: trading(pricing) })
    : { state: memory.episodes, ended: [], refused: 0 }

  const all: Assessed[] = []
  const sketches: CardSketch[] = []
  const refused: Record<string, number> = {}
  for (const [pairId, each] of pricing) {
    const { pair, gapCents } = each.priced
    const episode = lives.state.open.get(pairId)
    const age = episode && {
      ageMs: nowMs - episode.openedMs,
      openings: openingsOf(lives.state, pairId, nowMs),
    }
    const books = { a: bookOf('a', pair.a.market.marketId), b: bookOf('b', pair.b.market.marketId) }
    const assessed = assessAgain(each, books, age ?? null, at)
    if (assessed !== null) all.push(assessed)
    const reason = refuseCard(each.priced, at)
    if (reason !== null) refused[reason] = (refused[reason] ?? 0) + 1
    else if (assessed !== null && gapCents !== null)
      sketches.push(sketchCard(assessed, gapCents, episode === undefined ? null : lifeOf(episode, nowMs)))
  }
  const ranked = rankCards(sketches)
  const cardOf = (sketch: CardSketch) => gapCard(sketch, nowMs)
  const feed = known ? feedEvents(memory.told, ranked, { nowMs, cardOf }) : { told: memory.told, events: [] }
  return {
    nets: netsBoard(pricing.values()),
    edges: edgesBoard(all, nowMs),
    gapCards: gapCardsBoard(ranked, refused, nowMs),
    events: feed.events,
    ended: lives.ended,
    refusedGaps: lives.refused,
    memory: { pricing, episodes: lives.state, told: feed.told },
  }
}

function* trading(pricing: Pricing) {
  for (const { priced } of pricing.values()) if (priced.trading) yield priced
}
