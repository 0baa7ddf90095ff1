import type { Counter } from 'prom-client'
import type { Log } from '../../ops/log.ts'
import type { Metrics } from '../../ops/metrics.ts'
import { seldom } from '../../ops/sparingly.ts'

const made = new WeakMap<Metrics, Counter>()

/**
 * Counts where the two nodes of a chain contradict each other, and logs some of it. A moment of it is a reorganisation; while it lasts nothing
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
  const tell = seldom((method: string) =>
    log.warn({ chainId, method }, 'the two nodes contradict each other'),
  )
  return (method) => {
    known.inc({ chain })
    tell(method)
  }
}
