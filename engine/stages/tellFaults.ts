import type { Counter } from 'prom-client'
import { describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { seldom } from '../../ops/sparingly.ts'
import type { OnFault } from '../core/pairing/pairer.ts'

/**
 * Counts what failed in pairing, and logs some of it: one market may be compared with thousands. By one market whose title
 * broke off, an engine once read its whole state every second, and all boards grew stale.
 */
export function tellFaults(log: Pick<Log, 'error'>, count: Pick<Counter, 'inc'>): OnFault {
  const tell = seldom<Parameters<OnFault>>(({ venue, marketId }, error) =>
    log.error(
      { venue, marketId, reason: describeError(error) },
      'a market cannot be paired, by a fault of ours',
    ),
  )
  return (market, error) => {
    count.inc()
    tell(market, error)
  }
}
