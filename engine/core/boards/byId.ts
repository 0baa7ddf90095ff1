import type { Listed } from '../gapRow.ts'

/** Order among markets of ONE venue with equal volume. */
export const byId = (x: Listed, y: Listed): number =>
  x.market.marketId === y.market.marketId ? 0 : x.market.marketId < y.market.marketId ? -1 : 1
