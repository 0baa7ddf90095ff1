import { MINUTE } from '../../../ops/units.ts'
import type { Price } from './source.ts'

/** An older price is none; nor is one from the future beyond the error of a clock. */
export const PRICE_MAX_AGE_MS = 2 * MINUTE
const MAX_DIFFERENCE_PERCENT = 2n
/** What two honest exchanges may both have moved since we last accepted a price. */
const MAX_JUMP_PERCENT = 25n
const JUMP_WINDOW_MS = 15 * MINUTE

export type Disagreement = 'missing' | 'stale' | 'apart' | 'jumped'

/**
 * One price from two, or why there is none (RAIL-10). The lower one counts, so that what the buyer sends is worth the
 * price by both.
 * @param accepted the last price used, and since when: guards against a sudden jump of both.
 * @returns US dollars per whole coin, times 10^8.
 */
export function agree(
  [a, b]: readonly [Price | null, Price | null],
  nowMs: number,
  accepted: Price | null,
): bigint | Disagreement {
  if (a === null || b === null) return 'missing'
  if ([a, b].some(({ atMs }) => Math.abs(nowMs - atMs) > PRICE_MAX_AGE_MS)) return 'stale'
  const [low, high] = a.usdE8 <= b.usdE8 ? [a, b] : [b, a]
  if (farther(low.usdE8, high.usdE8, MAX_DIFFERENCE_PERCENT)) return 'apart'
  if (accepted !== null && nowMs - accepted.atMs < JUMP_WINDOW_MS) {
    const [from, to] = accepted.usdE8 <= low.usdE8 ? [accepted.usdE8, low.usdE8] : [low.usdE8, accepted.usdE8]
    if (farther(from, to, MAX_JUMP_PERCENT)) return 'jumped'
  }
  return low.usdE8
}

const farther = (low: bigint, high: bigint, percent: bigint): boolean => (high - low) * 100n > low * percent
