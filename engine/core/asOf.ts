import type { Sweep } from '../../ingest/contract/stream.ts'
import { isAhead } from '../../ops/clock.ts'

/** How one engine judges the age of venue data. */
export type Freshness = {
  maxAgeMs: number //      older market data is not sold
  frozenAfterMs: number // the same content this long counts as old; 0: never
  recorded: boolean //     a recording never changes by itself: the frozen rule does not apply
}

/**
 * The instant up to which a venue's data is complete, market clock; null when no complete sweep was seen. A frozen
 * venue keeps the instant of its last change, whatever its pages claim (VEN-07). Our own clock cannot move the instant
 * into the future, and a sweep seen while our clock was ahead does not count, because its age is unknown (VEN-08).
 */
export function venueAsOf(
  complete: Pick<Sweep, 'startedMs' | 'changedMs'> | null,
  nowMs: number,
  { frozenAfterMs, recorded }: Freshness,
): number | null {
  if (complete === null || isAhead(complete.startedMs, nowMs)) return null
  const frozen = !recorded && frozenAfterMs > 0 && nowMs - complete.changedMs > frozenAfterMs
  const claimed = frozen ? Math.min(complete.startedMs, complete.changedMs) : complete.startedMs
  return Math.min(claimed, nowMs)
}

/** Is a venue's data young enough to act on? Data exactly at the limit still is. */
export function isFresh(asOfMs: number | null, nowMs: number, { maxAgeMs }: Freshness): boolean {
  return asOfMs !== null && nowMs - asOfMs <= maxAgeMs
}
