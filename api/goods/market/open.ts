import type { GapRow } from '../../../engine/contract/gaps.ts'
import type { GoodPorts } from '../good.ts'

/** Extra hits fetched, because some may have closed since the snapshot. */
export const SPARE_HITS = 10

type Pair = { b: Pick<GapRow['b'], 'closeMs'> }

/** Whether a pair still trades. B's contract may close between two snapshots; from that instant on it is not sold (VEN-11). */
export function openNow({ marketClock }: Pick<GoodPorts, 'marketClock'>): (pair: Pair) => boolean {
  const nowMs = marketClock.nowMs()
  return ({ b }) => b.closeMs === null || b.closeMs > nowMs
}
