import type { Market } from '../../../ingest/contract/market.ts'
import { TOPICS_MAX, type TopicRow, type TopicsBoard } from '../../contract/topics.ts'
import type { Listed } from '../gapRow.ts'
import { byVolume } from './byVolume.ts'
import { isTrading, type LivePair } from './livePair.ts'
import { topicOfMarket } from './marketWords.ts'

/** What `match` searches: the busiest markets of each venue, and every paired one however quiet. */
export function topicsBoard(
  markets: { a: Iterable<Listed>; b: Iterable<Listed> },
  pairs: readonly LivePair[],
  nowMs: number,
): TopicsBoard {
  const [a, b] = (['a', 'b'] as const).map((venue) => topicsOf(venue, markets[venue], pairs, nowMs))
  return { rows: [...a!.rows, ...b!.rows], bound: TOPICS_MAX, known: { a: a!.known, b: b!.known } }
}

function topicsOf(
  venue: 'a' | 'b',
  markets: Iterable<Listed>,
  pairs: readonly LivePair[],
  nowMs: number,
): { rows: TopicRow[]; known: number } {
  let known = 0
  const asking: Listed[] = []
  for (const listed of markets) {
    known++
    if (!listed.market.placeholder && isTrading(listed, nowMs)) asking.push(listed)
  }
  const pairOf = new Map(pairs.map((pair) => [pair[venue].market.marketId, pair.pairId]))
  const row = ({ market }: Listed): TopicRow => rowOf(market, pairOf.get(market.marketId) ?? null)
  const busiest = byVolume(asking, TOPICS_MAX).map(row)
  const already = new Set(busiest.map(({ pairId }) => pairId))
  const quiet = pairs
    .filter((pair) => !already.has(pair.pairId) && isTrading(pair[venue], nowMs))
    .map((pair) => pair[venue])
  return { rows: [...busiest, ...byVolume(quiet, quiet.length).map(row)], known }
}

//  The same market says the same: one object, so that its text is written once.
const rows = new WeakMap<Market, TopicRow>()

function rowOf(market: Market, pairId: string | null): TopicRow {
  const known = rows.get(market)
  if (known !== undefined && known.pairId === pairId) return known
  const row = { venue: market.venue, marketId: market.marketId, topic: topicOfMarket(market), pairId }
  rows.set(market, row)
  return row
}
