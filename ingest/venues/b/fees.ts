import { roundTo } from '../../../ops/units.ts'
import type { FeeTerms } from '../../contract/market.ts'

/** The part of a series that mapping needs; from GET /series. */
export type Series = {
  category: string | null
  tags: string[]
  feeType: string | null
  feeMultiplier: number | null
}

/** Taker rate of the quadratic formula at multiplier 1. */
const QUADRATIC_RATE = 0.07

/** Types whose taker side is the quadratic formula; they differ in what makers pay. */
const KNOWN_TYPES = new Set(['quadratic', 'quadratic_with_maker_fees', 'quadratic_with_combo_maker_fees'])

/**
 * What a taker pays. The event's overrides win over the series. An unknown type (the list is open), or a
 * series we could not read, is charged as quadratic with the multiplier that is known, else 1, and flagged.
 * @param waived a fee waiver that has not expired: no fee at all.
 */
export function feesOf(
  override: { type: string | null; multiplier: number | null },
  series: Series | null,
  waived: boolean,
): FeeTerms | null {
  if (waived) return null
  const type = override.type ?? series?.feeType ?? null
  const multiplier = override.multiplier ?? series?.feeMultiplier ?? null
  const flagged = type === null || !KNOWN_TYPES.has(type) || multiplier === null
  const rate = roundTo(QUADRATIC_RATE * (multiplier ?? 1), 6)
  return rate === 0 && !flagged ? null : { rate, exponent: 1, rounding: 'b_cent_up', flagged }
}
