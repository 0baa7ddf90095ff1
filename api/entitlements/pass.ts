import { HOUR } from '../../ops/units.ts'
import type { Grant } from './grant.ts'

export const PASS_HEADER = 'X-Service-Pass'
export const PASS_CALLS = 600
export const PASS_LIFETIME_MS = 1 * HOUR

/** An hour pass (spec 8): one hour from its delivery by the ledger's clock, at most 600 answers. */
export const passGrant: Grant = {
  kind: 'pass',
  issue({ token, nowMs }) {
    const expiresMs = nowMs + PASS_LIFETIME_MS
    return {
      expiresMs,
      fields: { calls: String(PASS_CALLS) },
      result: {
        token,
        expiresAt: new Date(expiresMs).toISOString(),
        callsRemaining: PASS_CALLS,
        header: PASS_HEADER,
      },
    }
  },
}
