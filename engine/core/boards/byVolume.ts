import type { Listed } from '../gapRow.ts'
import { collectBest } from './best.ts'

/** Order among markets of ONE venue with equal volume. */
export const byId = (x: Listed, y: Listed): number => (x.market.marketId < y.market.marketId ? -1 : 1)

/**
 * The `max` markets of ONE venue with the highest 24 h volume, highest first, then by id: volumes of two venues do
 * not compare. For a `max` of many thousands: the least volume that is kept is found among plain numbers, which is
 * several times faster than ordering the markets.
 */
export function byVolume(markets: readonly Listed[], max: number): Listed[] {
  const volumes = Float64Array.from(markets, ({ quote }) => quote.volume24h)
  const least = markets.length > max ? volumes.toSorted()[markets.length - max]! : Number.NEGATIVE_INFINITY
  const above = markets.filter((_, at) => volumes[at]! > least)
  above.sort((x, y) => y.quote.volume24h - x.quote.volume24h || byId(x, y))
  const level = collectBest(max - above.length, byId)
  markets.forEach((listed, at) => {
    if (volumes[at] === least) level.push(listed, 0)
  })
  return [...above, ...level.sorted()]
}
