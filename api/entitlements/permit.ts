import { DAY } from '../../ops/units.ts'
import type { Grant } from './grant.ts'

export const PERMIT_PATH = '/api/v1/tor-call-permit'
export const PERMIT_HEADER = 'X-Service-Permit'
export const PERMIT_CALLS = 1
/** Successful billable uses of the tool that are free (spec 8). The tool counts them; we state it. */
export const TOOL_TRIAL_USES = 25
/** A permit is bought for a call that is about to be made; one that lies around may be found by somebody else. */
export const PERMIT_LIFETIME_MS = 30 * DAY

/** A permit for one metered call of the locally run anonymizing-network tool, redeemed at `PERMIT_PATH`. */
export const permitGrant: Grant = {
  kind: 'permit',
  issue({ token, nowMs, publicUrl }) {
    const expiresMs = nowMs + PERMIT_LIFETIME_MS
    return {
      expiresMs,
      fields: { calls: String(PERMIT_CALLS) },
      result: {
        torCallPermit: {
          token,
          callsRemaining: PERMIT_CALLS,
          redeemUrl: `${publicUrl}${PERMIT_PATH}`,
          header: PERMIT_HEADER,
          expiresAt: new Date(expiresMs).toISOString(),
        },
      },
    }
  },
}
