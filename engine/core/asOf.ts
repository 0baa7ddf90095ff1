import type { Sweep } from '../../ingest/contract/stream.ts'
import { isAhead } from '../../ops/clock.ts'

/** How one engine judges the age of venue data. */
export type Freshness = {
  maxAgeMs: number //      older market data is not sold
  frozenAfterMs: number // the same content this long counts as old; 0: never
  recorded: boolean //     a recording stands still by nature: the frozen rule does not apply
}

/**
 * The instant a venue's data is complete up to, market clock; null when no complete sweep was seen. A frozen venue keeps the
 * instant of its last change, whatever its pages claim (VEN-07). No clock of ours can put it into the future, and a sweep that was
 * seen while our clock was ahead counts as none: how old it is nobody knows (VEN-08).
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

/** Is a venue's data young enough to act on? The limit itself still is. */
export function isFresh(asOfMs: number | null, nowMs: number, { maxAgeMs }: Freshness): boolean {
  return asOfMs !== null && nowMs - asOfMs <= maxAgeMs
}
