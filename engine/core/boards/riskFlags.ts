import { HOUR, MINUTE } from '../../../ops/units.ts'
import type { SizedEdge } from '../../contract/edges.ts'
import { RISK_FLAG_CODES, type RiskFlag } from '../../contract/riskFlags.ts'
import { soundSide, type Top } from '../book.ts'
import { CLOSE_WINDOW_MS } from '../executable.ts'
import { carveOutsDiffer } from './carveOuts.ts'
import type { Direction } from './direction.ts'
import type { At } from './livePair.ts'
import type { Priced } from './priced.ts'

export const LARGE_GAP_BPS = 1_000
export const WIDE_SPREAD_BPS = 1_000
export const THIN_TOP_USD = 10
export const NEAR_RESOLUTION_MS = 1 * HOUR
export const YOUNG_GAP_MS = 1 * MINUTE
export const FLICKERING_OPENINGS = 3

/** What is known of a pair beyond its prices. */
export type Known = {
  contractsAtTop: number | null //  that both best prices stand for; null: not stated
  bySize: readonly SizedEdge[] | null
  edgeCents: number
  feesGuessed: boolean
  life: { ageMs: number; openings: number } | null // of an open gap; openings within the last hour
}

/** All flags of a pair that can be traded in a direction, gravest first. What is exactly at a limit is not flagged. */
export function riskFlags(priced: Priced, direction: Direction, known: Known, at: At): RiskFlag[] {
  const { pair, closesApartMs: apart } = priced
  const [a, b] = [pair.a.market, pair.b.market]
  const startedMs = earliest(a.gameMs, b.gameMs)
  const endsMs = earliest(a.closeMs, b.closeMs, a.expectedMs, b.expectedMs)
  const thinUsd = known.contractsAtTop === null ? null : known.contractsAtTop * (direction.buyBps / 10_000)
  const stands: Record<RiskFlag, boolean> = {
    stale: !at.fresh.a || !at.fresh.b,
    large_gap_suspicious: isSuspicious(priced),
    in_play: startedMs !== null && startedMs <= at.nowMs,
    near_resolution: endsMs !== null && endsMs - at.nowMs < NEAR_RESOLUTION_MS,
    closes_apart: apart !== null && apart > CLOSE_WINDOW_MS,
    no_close_time: apart === null,
    rules_missing: a.rules === '' || b.rules === '',
    fees_guessed: known.feesGuessed,
    one_venue_dead: pair.a.quote.volume24h === 0 || pair.b.quote.volume24h === 0,
    depth_unknown: known.bySize === null,
    unconfirmed: known.edgeCents > 0 && !isConfirmed(known.bySize),
    thin_top: thinUsd !== null && thinUsd < THIN_TOP_USD,
    wide_spread: isWide(priced.a) || isWide(priced.b),
    young_gap: known.life !== null && known.life.ageMs < YOUNG_GAP_MS,
    flickering: known.life !== null && known.life.openings >= FLICKERING_OPENINGS,
    carve_out_possible: carveOutsDiffer(a, b),
    settles_differently: true,
  }
  return RISK_FLAG_CODES.filter((code) => stands[code])
}

/** Truly equal pairs stand about two cents apart: far more is hardly ever a gift (VEN-10). */
export function isSuspicious({ gapCents, direction }: Priced): boolean {
  return Math.round((gapCents ?? 0) * 100) > LARGE_GAP_BPS || (direction?.netBps ?? 0) > LARGE_GAP_BPS
}

/** Without depth there is nothing to confirm with: that is `depth_unknown`. */
function isConfirmed(bySize: Known['bySize']): boolean {
  const smallest = bySize?.[0]
  return smallest === undefined || (smallest.filled && smallest.profitUsd > 0)
}

function isWide(top: Top): boolean {
  const bid = soundSide(top.bidBps, top.bidSize)
  const ask = soundSide(top.askBps, top.askSize)
  return bid !== null && ask !== null && ask - bid > WIDE_SPREAD_BPS
}

function earliest(...instants: (number | null)[]): number | null {
  const stated = instants.filter((instant) => instant !== null)
  return stated.length === 0 ? null : Math.min(...stated)
}
