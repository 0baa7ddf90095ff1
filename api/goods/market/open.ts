import type { GapRow } from '../../../engine/contract/gaps.ts'
import type { GoodPorts } from '../good.ts'

/** Hits looked at where one is wanted: those in front of it may have closed. */
export const SPARE_HITS = 10

type Pair = { b: Pick<GapRow['b'], 'closeMs'> }

/** Is a pair traded still? B's contract may close between two looks of the engine: from that instant on it is not sold (VEN-11). */
export function openNow({ marketClock }: Pick<GoodPorts, 'marketClock'>): (pair: Pair) => boolean {
  const nowMs = marketClock.nowMs()
  return ({ b }) => b.closeMs === null || b.closeMs > nowMs
}
