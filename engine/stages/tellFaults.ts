import type { Counter } from 'prom-client'
import { describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { SECOND } from '../../ops/units.ts'
import type { OnFault } from '../core/pairing/pairer.ts'

/** At most one line in this time: one market may be compared with thousands. */
const SAID_AGAIN_AFTER_MS = 10 * SECOND

/**
 * Counts and logs what failed in pairing. By one market whose title broke off, an engine once read its whole state every
 * second, and all boards grew stale.
 */
export function tellFaults(log: Pick<Log, 'error'>, count: Pick<Counter, 'inc'>): OnFault {
  let saidMs = Number.NEGATIVE_INFINITY
  return ({ venue, marketId }, error) => {
    count.inc()
    if (performance.now() - saidMs < SAID_AGAIN_AFTER_MS) return
    saidMs = performance.now()
    log.error(
      { venue, marketId, reason: describeError(error) },
      'a market cannot be paired, by a fault of ours',
    )
  }
}
