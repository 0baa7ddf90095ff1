import type { Counter } from 'prom-client'
import type { Log } from '../../ops/log.ts'
import type { Metrics } from '../../ops/metrics.ts'
import { SECOND } from '../../ops/units.ts'

const made = new WeakMap<Metrics, Counter>()

/** At most one line of a chain in this time: while it lasts, every request may meet one. */
const SAID_AGAIN_AFTER_MS = 10 * SECOND

/**
 * Counts where the two nodes of a chain contradict each other. A moment of it is a reorganisation; while it lasts nothing
 * that they differ about is sold for or called gone, and only an operator can tell which of them is wrong.
 */
export function tellContradictions(
  metrics: Metrics,
  log: Pick<Log, 'warn'>,
  chainId: number,
): (method: string) => void {
  const known =
    made.get(metrics) ??
    metrics.counter('chain_contradictions_total', 'Questions that two nodes answered differently', ['chain'])
  made.set(metrics, known)
  const chain = String(chainId)
  known.inc({ chain }, 0)
  let saidMs = Number.NEGATIVE_INFINITY
  return (method) => {
    known.inc({ chain })
    if (performance.now() - saidMs < SAID_AGAIN_AFTER_MS) return
    saidMs = performance.now()
    log.warn({ chainId, method }, 'the two nodes contradict each other')
  }
}
