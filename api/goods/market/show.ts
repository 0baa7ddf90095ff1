import type { GapRow, Leg } from '../../../engine/contract/gaps.ts'
import { BPS_PER_DOLLAR, HOUR, roundTo } from '../../../ops/units.ts'

/** Dollars between 0 and 1, exact to half a basis point; null stays "no price". */
export function dollars(bps: number): number
export function dollars(bps: number | null): number | null
export function dollars(bps: number | null): number | null {
  return bps === null ? null : roundTo(bps / BPS_PER_DOLLAR, 5)
}

/** Of several levels: their prices to a hundredth of a basis point, so that the profit can be reckoned from them. */
export const averageDollars = (bps: number | null): number | null =>
  bps === null ? null : roundTo(bps / BPS_PER_DOLLAR, 6)

export const iso = (ms: number): string => new Date(ms).toISOString()

/** How sure it is that both venues ask the same question; beside every pair that is sold. */
export const showMatch = ({
  verdict,
  reasons,
  closesApartMs,
}: Pick<GapRow, 'verdict' | 'reasons' | 'closesApartMs'>) => ({
  matchVerdict: verdict,
  matchReasons: reasons,
  //  rounded up: 48 is within 48 hours, a second more is not
  closesApartHours: closesApartMs === null ? null : Math.ceil(closesApartMs / (HOUR / 100)) / 100,
})

/** Both sides of a pair with exact prices, as each venue states its own yes. */
export const showLegs = ({ a, b }: Pick<GapRow, 'a' | 'b'>) => ({
  venueA: { ...leg(a), slug: a.slug },
  venueB: { ...leg(b), ticker: b.marketId },
})

/** Both clocks of a quote: when the venue changed it, as far as it says, and when we read it. */
export const clocks = ({ venueMs, seenMs }: { venueMs: number | null; seenMs: number }) => ({
  venueAt: venueMs === null ? null : iso(venueMs),
  seenAt: iso(seenMs),
})

const leg = ({ title, midBps, bidBps, askBps, url, ...at }: Leg) => ({
  title,
  yesPrice: dollars(midBps),
  bid: dollars(bidBps),
  ask: dollars(askBps),
  url,
  ...clocks(at),
})
