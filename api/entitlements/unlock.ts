import { DAY } from '../../ops/units.ts'
import type { Grant } from './grant.ts'

export const UNLOCK_VERIFY_PATH = '/api/tor-mcp/verify'
/** A license that outlives the machine it is used on; every row of the ledger needs an expiry. */
export const UNLOCK_YEARS = 10
export const UNLOCK_LIFETIME_MS = UNLOCK_YEARS * 365 * DAY

/** The key that unlocks the local tool (spec 2.3): the tool asks us at `UNLOCK_VERIFY_PATH`. */
export const unlockGrant: Grant = {
  kind: 'unlock',
  issue({ token, nowMs, publicUrl }) {
    const expiresMs = nowMs + UNLOCK_LIFETIME_MS
    return {
      expiresMs,
      fields: {},
      result: {
        torUnlock: {
          unlockKey: token,
          expiresAt: new Date(expiresMs).toISOString(),
          verifyUrl: `${publicUrl}${UNLOCK_VERIFY_PATH}`,
        },
      },
    }
  },
}
