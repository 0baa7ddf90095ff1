import type { Sweep } from '../../ingest/contract/stream.ts'

/** How one engine judges the age of venue data. */
export type Freshness = {
  maxAgeMs: number //      older market data is not sold
  frozenAfterMs: number // the same content this long counts as old; 0: never
  recorded: boolean //     a recording stands still by nature: the frozen rule does not apply
}

/**
 * The instant a venue's data is complete up to, market clock; null when no complete sweep was seen.
 * A frozen venue keeps the instant of its last change, whatever its pages claim (VEN-07); no clock of a
 * venue or of ours can put it into the future (VEN-08).
 */
export function venueAsOf(
  complete: Pick<Sweep, 'startedMs' | 'changedMs'> | null,
  nowMs: number,
  { frozenAfterMs, recorded }: Freshness,
): number | null {
  if (complete === null) return null
  const frozen = !recorded && frozenAfterMs > 0 && nowMs - complete.changedMs > frozenAfterMs
  const claimed = frozen ? Math.min(complete.startedMs, complete.changedMs) : complete.startedMs
  return Math.min(claimed, nowMs)
}

/** Is a venue's data young enough to act on? The limit itself still is. */
export function isFresh(asOfMs: number | null, nowMs: number, { maxAgeMs }: Freshness): boolean {
  return asOfMs !== null && nowMs - asOfMs <= maxAgeMs
}
