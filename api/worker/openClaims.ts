import type { Metrics } from '../../ops/metrics.ts'
import { SECOND } from '../../ops/units.ts'
import type { Ledger } from '../ledger/ledger.ts'

/** Claims looked at: what the ledger lists at most. */
const MAX_LISTED = 20_000

/** How long the oldest claim has waited for its outcome, whoever was to settle it. An alarm belongs on more than its window. */
export function createOpenClaimsWatch({
  ledger,
  metrics,
}: {
  ledger: Pick<Ledger, 'list'>
  metrics: Metrics
}) {
  const oldest = metrics.gauge(
    'settling_oldest_seconds',
    'Age of the oldest claim whose outcome is not known',
  )
  return async (nowMs: number): Promise<void> => {
    const open = await ledger.list('settling', MAX_LISTED)
    oldest.set(open.reduce((age, { createdMs }) => Math.max(age, nowMs - createdMs), 0) / SECOND)
  }
}
