import type { Listed } from '../gapRow.ts'
import { collectBest } from './best.ts'

/** The `max` markets of ONE venue with the highest 24 h volume, highest first, then by id. Volumes of two venues do not compare. */
export function byVolume(markets: Iterable<Listed>, max: number): Listed[] {
  const best = collectBest<Listed>(
    max,
    (x, y) => y.quote.volume24h - x.quote.volume24h || (x.market.marketId < y.market.marketId ? -1 : 1),
  )
  for (const listed of markets) best.push(listed)
  return best.sorted()
}
