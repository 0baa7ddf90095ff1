import { TOPICS_MAX, type TopicRow, type TopicsBoard } from '../../contract/topics.ts'
import type { Listed } from '../gapRow.ts'
import { byVolume } from './byVolume.ts'
import { isTrading } from './livePair.ts'
import { topicOfMarket } from './marketWords.ts'

/**
 * What `match` searches: the busiest markets of each venue, and every paired one however quiet.
 * @param pairOf the pair a market belongs to, if any.
 */
export function topicsBoard(
  markets: { a: readonly Listed[]; b: readonly Listed[] },
  pairOf: (venue: 'a' | 'b', marketId: string) => string | null,
  nowMs: number,
): TopicsBoard {
  const rows = (venue: 'a' | 'b') => topicsOf(markets[venue], (marketId) => pairOf(venue, marketId), nowMs)
  return {
    rows: [...rows('a'), ...rows('b')],
    bound: TOPICS_MAX,
    known: { a: markets.a.length, b: markets.b.length },
  }
}

function topicsOf(
  markets: readonly Listed[],
  pairOf: (marketId: string) => string | null,
  nowMs: number,
): TopicRow[] {
  const open = markets.filter((listed) => !listed.market.placeholder && isTrading(listed, nowMs))
  const busiest = new Set(byVolume(open, TOPICS_MAX))
  const quiet = open.filter((listed) => !busiest.has(listed) && pairOf(listed.market.marketId) !== null)
  return [...busiest, ...byVolume(quiet, quiet.length)].map(({ market }) => ({
    venue: market.venue,
    marketId: market.marketId,
    topic: topicOfMarket(market),
    pairId: pairOf(market.marketId),
  }))
}
