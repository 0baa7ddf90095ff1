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
  const busiest = byVolume(asking, TOPICS_MAX)
  const listedOnce = new Set(busiest.map(({ market }) => market.marketId))
  const pairOf = new Map(pairs.map((pair) => [pair[venue].market.marketId, pair.pairId]))
  const quiet = pairs
    .map((pair) => pair[venue])
    .filter((listed) => !listedOnce.has(listed.market.marketId) && isTrading(listed, nowMs))
  const rows = [...busiest, ...byVolume(quiet, quiet.length)].map(
    ({ market }): TopicRow => ({
      venue,
      marketId: market.marketId,
      topic: topicOfMarket(market),
      pairId: pairOf.get(market.marketId) ?? null,
    }),
  )
  return { rows, known }
}
