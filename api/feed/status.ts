import { isAhead } from '../../ops/clock.ts'
import type { GoodPorts } from '../goods/good.ts'
import { PRECISION } from '../goods/market/freshness.ts'

export type StatusPorts = Pick<GoodPorts, 'boards' | 'marketClock' | 'marketMaxAgeMs' | 'recorded'> & {
  mode: string
}

const VENUES = ['a', 'b'] as const
type PerVenue<Value> = Record<(typeof VENUES)[number], Value>

/** How old the data behind the feed is. Tokens are paid already: old data is said to be old, not refused. */
export type FeedStatus = {
  mode: string
  recorded: boolean
  snapshotVersion: number | null // of board gapCards; null: no board yet
  asOf: PerVenue<string | null>
  ageMs: PerVenue<number | null> // null: not known, so stale
  maxAgeMs: number
  stale: boolean //       while true nothing is announced: neither that a gap opened nor that one closed
  staleVenues: string[]
} & typeof PRECISION

export function feedStatus(
  { boards, marketClock, marketMaxAgeMs, recorded, mode }: StatusPorts,
  nowMs = marketClock.nowMs(),
): FeedStatus {
  const snapshot = boards.gapCards?.snapshot
  const per = <Value>(of: (asOfMs: number) => Value): PerVenue<Value | null> => {
    const at = (venue: 'a' | 'b') => {
      const asOfMs = snapshot?.asOfMs[venue] ?? null
      return asOfMs === null ? null : of(asOfMs)
    }
    return { a: at('a'), b: at('b') }
  }
  const isFromAhead = (asOfMs: number) => isAhead(asOfMs, nowMs) || isAhead(snapshot!.publishedMs, nowMs)
  const ageMs = per((asOfMs) => (isFromAhead(asOfMs) ? null : Math.max(0, nowMs - asOfMs)))
  const staleVenues = VENUES.filter((venue) => ageMs[venue] === null || ageMs[venue] > marketMaxAgeMs)
  return {
    mode,
    recorded,
    snapshotVersion: snapshot?.version ?? null,
    asOf: per((asOfMs) => new Date(asOfMs).toISOString()),
    ageMs,
    maxAgeMs: marketMaxAgeMs,
    stale: staleVenues.length > 0,
    staleVenues,
    ...PRECISION,
  }
}
