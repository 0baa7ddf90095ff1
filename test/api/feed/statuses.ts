import type { FeedStatus } from '../../../api/feed/status.ts'
import { PRECISION } from '../../../api/goods/market/freshness.ts'

export const FRESH: FeedStatus = {
  ...PRECISION,
  mode: 'sandbox',
  recorded: false,
  snapshotVersion: 1,
  maxAgeMs: 1,
  stale: false,
  staleVenues: [],
  asOf: { a: null, b: null },
  ageMs: { a: null, b: null },
}
export const STALE: FeedStatus = { ...FRESH, stale: true, staleVenues: ['b'] }
