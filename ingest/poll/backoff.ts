import { SECOND } from '../../ops/units.ts'

/** Retry arithmetic, pure. All times in ms. */
export type Retry = { attempts: number; baseMs: number; capMs: number; longestWaitMs: number }

/** One page: three tries within a few seconds; a venue that asks for a longer pause ends the sweep instead. */
export const PAGE_RETRY: Retry = { attempts: 3, baseMs: 250, capMs: 4 * SECOND, longestWaitMs: 8 * SECOND }

/** A whole feed after failed sweeps: the next one starts later and later, at most half a minute. */
export const FEED_RETRY: Retry = {
  attempts: Number.POSITIVE_INFINITY,
  baseMs: 500,
  capMs: 30 * SECOND,
  longestWaitMs: 10 * 60 * SECOND,
}

/**
 * How long to wait after the `failures`-th failure in a row (1, 2, …): a random time up to a bound that
 * doubles, so that many workers do not come back together; never less than the server asked for.
 * @param random 0 ≤ random < 1.
 * @returns null: give up.
 */
export function waitMs(
  failures: number,
  retryAfterMs: number | null,
  random: number,
  retry: Retry,
): number | null {
  if (failures >= retry.attempts) return null
  const bound = Math.min(retry.capMs, retry.baseMs * 2 ** (failures - 1))
  const wait = Math.max(Math.ceil(bound * random), retryAfterMs ?? 0)
  return wait > retry.longestWaitMs ? null : wait
}
