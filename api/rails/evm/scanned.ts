import type { ScannedTransfer } from './logs.ts'

/** All transfers from `fromMs` to block `to`, oldest first and without a gap. */
export type Scanned = { fromMs: number; to: bigint; found: readonly ScannedTransfer[] }

/** Transfers kept; beyond them the oldest are forgotten. About 400 bytes each. */
export const MAX_KEPT = 20_000
/** An answer ends at the first change of block time beyond this many; the caller goes on from the last one's. */
export const MAX_ANSWER = 1_000

/** As if the newest blocks had not been read. */
export function withoutNewest({ fromMs, to, found }: Scanned, blocks: bigint): Scanned {
  const kept = to > blocks ? to - blocks : -1n
  return { fromMs, to: kept, found: found.filter(({ blockNumber }) => blockNumber <= kept) }
}

/** Without what is older than `oldestMs` or more than we keep. Whole blocks go, so that there is no gap. */
export function withoutOldest({ fromMs, to, found }: Scanned, oldestMs: number): Scanned {
  const dropped = found.at(-MAX_KEPT - 1)
  const keptMs = Math.max(fromMs, oldestMs, dropped === undefined ? 0 : dropped.atMs + 1)
  return { fromMs: keptMs, to, found: found.filter(({ atMs }) => atMs >= keptMs) }
}

/** The oldest since then; always some that are newer than `fromMs`, so that the next question gets further. */
export function oldestOf(found: readonly ScannedTransfer[], fromMs: number): readonly ScannedTransfer[] {
  const since = found.filter(({ atMs }) => atMs >= fromMs)
  const end = since.findIndex(
    ({ atMs }, index) =>
      index >= MAX_ANSWER && atMs !== since[index - 1]!.atMs && since[index - 1]!.atMs > fromMs,
  )
  return end === -1 ? since : since.slice(0, end)
}
