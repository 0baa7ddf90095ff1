import { sharedList } from '../../../ops/memo.ts'
import { HOUR, MINUTE } from '../../../ops/units.ts'
import type { SizedEdge } from '../../contract/edges.ts'
import { CLOSE_WINDOW_MS } from '../../contract/marketRules.ts'
import type { RiskFlag } from '../../contract/riskFlags.ts'
import { soundSide, type Top } from '../book.ts'
import { carveOutsDiffer } from './carveOuts.ts'
import type { Direction } from './direction.ts'
import type { At } from './livePair.ts'
import type { Priced } from './priced.ts'
import { MIN_EDGE_CENTS } from './suggestedAction.ts'

export const LARGE_GAP_BPS = 1_000
const WIDE_SPREAD_BPS = 1_000
const THIN_TOP_USD = 10
export const NEAR_RESOLUTION_MS = 1 * HOUR
export const YOUNG_GAP_MS = 1 * MINUTE
export const FLICKERING_OPENINGS = 3

/** What is known of a pair beyond its prices. */
export type Known = {
  contractsAtTop: number | null //  that both best prices are good for; null: not stated
  bySize: readonly SizedEdge[] | null
  edgeCents: number
  feesGuessed: boolean
  life: { ageMs: number; openings: number } | null // of an open gap; openings within the last hour
}

/**
 * All flags of a pair that can be traded in a direction, in the order of RISK_FLAGS. What is exactly at a limit is not flagged.
 * The list is shared with other pairs, and frozen.
 */
export function riskFlags(
  priced: Priced,
  direction: Direction,
  known: Known,
  { nowMs, fresh }: At,
): RiskFlag[] {
  const { pair, closesApartMs: apart } = priced
  const { contractsAtTop, bySize, life } = known
  const [a, b] = [pair.a.market, pair.b.market]
  const flags: RiskFlag[] = []
  const add = (flag: RiskFlag, stands: boolean) => {
    if (stands) flags.push(flag)
  }
  add('stale', !fresh.a || !fresh.b)
  add('large_gap_suspicious', isSuspicious(priced))
  add('in_play', isBefore(a.gameMs, nowMs + 1) || isBefore(b.gameMs, nowMs + 1))
  add(
    'near_resolution',
    [a.closeMs, b.closeMs, a.expectedMs, b.expectedMs].some((endMs) =>
      isBefore(endMs, nowMs + NEAR_RESOLUTION_MS),
    ),
  )
  add('closes_apart', apart !== null && apart > CLOSE_WINDOW_MS)
  add('no_close_time', apart === null)
  add('rules_missing', a.rules === '' || b.rules === '')
  add('fees_guessed', known.feesGuessed)
  add('one_venue_dead', pair.a.quote.volume24h === 0 || pair.b.quote.volume24h === 0)
  add('depth_unknown', bySize === null)
  add('unconfirmed', known.edgeCents > 0 && !isConfirmed(known))
  add('thin_top', contractsAtTop !== null && contractsAtTop * direction.buyBps < THIN_TOP_USD * 10_000)
  add('wide_spread', isWide(priced.a) || isWide(priced.b))
  add('young_gap', isYoung(life))
  add('flickering', isFlickering(life))
  add('carve_out_possible', carveOutsDiffer(a, b))
  add('settles_differently', true)
  return sharedList(flags) as RiskFlag[]
}

const isYoung = (life: Known['life']): boolean => life !== null && life.ageMs < YOUNG_GAP_MS

const isFlickering = (life: Known['life']): boolean => life !== null && life.openings >= FLICKERING_OPENINGS

/** Truly equal pairs differ by about two cents; a far larger gap is hardly ever a real opportunity (VEN-10). */
export function isSuspicious({ gapCents, direction }: Priced): boolean {
  return Math.round((gapCents ?? 0) * 100) > LARGE_GAP_BPS || (direction?.netBps ?? 0) > LARGE_GAP_BPS
}

/**
 * Do the books confirm the edge: still worth a trade where the tops promise that, and otherwise any profit at all?
 * Without depth there is nothing to check against: that is `depth_unknown`.
 */
function isConfirmed({ edgeCents, bySize }: Known): boolean {
  const smallest = bySize?.[0]
  if (smallest === undefined) return true
  const isWorthIt = edgeCents < MIN_EDGE_CENTS || (smallest.edgeCents ?? 0) >= MIN_EDGE_CENTS
  return smallest.filled && smallest.profitUsd > 0 && isWorthIt
}

function isWide(top: Top): boolean {
  const bid = soundSide(top.bidBps, top.bidSize)
  const ask = soundSide(top.askBps, top.askSize)
  return bid !== null && ask !== null && ask - bid > WIDE_SPREAD_BPS
}

const isBefore = (instantMs: number | null, limitMs: number): boolean =>
  instantMs !== null && instantMs < limitMs
