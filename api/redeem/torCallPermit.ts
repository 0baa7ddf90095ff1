import { randomUUID } from 'node:crypto'
import { type SpendCalls, takeCall } from '../entitlements/meter.ts'
import { PERMIT_PATH } from '../entitlements/permit.ts'
import { digestOfToken, isToken } from '../entitlements/token.ts'
import { idempotencyKeyOf, refuseIdempotencyKey } from '../http/idempotencyKey.ts'
import { jsonReply, NO_STORE, outageReply, problemReply } from '../http/respond.ts'
import type { Route } from '../http/router.ts'
import { refuseTwice } from '../http/sentTwice.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { sha256Hex } from '../receipts/canonical.ts'

/** Every 401 names what opens the path (RFC 9110, 11.6.1). */
const CHALLENGE = ['www-authenticate', 'Permit header="X-Service-Permit"'] as const

/** Headers that say whose call is taken, and which call it is. */
const READ_ONCE = ['x-service-permit', 'idempotency-key'] as const

/**
 * Redeems one call of a permit (spec 4.1 rule 13): the tool calls it before it does metered work. With an
 * Idempotency-Key a lost reply can be requested again within five minutes: it has the same redemption id and takes
 * nothing more; a key counts for its permit only. The reply does not say why a permit is refused (ENT-14). Nothing is
 * written for permits we never sold.
 */
export function torCallPermit(ledger: Pick<Ledger, 'grant' | 'spendCalls'>, mode: string): Route {
  const spend: SpendCalls = (operation, wanted) => ledger.spendCalls('permit', operation, wanted)
  return {
    method: 'GET',
    path: PERMIT_PATH,
    head: false,
    async handler(request) {
      const twice = refuseTwice(request, READ_ONCE)
      if (twice !== null) return problemReply(twice)
      const token = request.header('x-service-permit')
      const key = idempotencyKeyOf(request)
      if (token === '') return problemReply({ problem: 'permit_missing' }, [CHALLENGE])
      const badKey = refuseIdempotencyKey(key)
      if (badKey !== null) return problemReply(badKey)
      if (!isToken(token, 'permit')) return problemReply({ problem: 'permit_refused' })
      const digest = digestOfToken(token)
      const operation = key === '' ? randomUUID() : sha256Hex(`permit|${digest}|${key}`)
      const redemptionId = sha256Hex(`redemption|${operation}`).slice(0, 32)
      try {
        const known = (await ledger.grant('permit', digest)) !== null
        const taken = known ? await takeCall(spend, operation, digest) : 'unknown'
        if (typeof taken === 'string') return problemReply({ problem: 'permit_refused' })
        const expiresAt = new Date(taken.expiresMs).toISOString()
        return jsonReply(
          200,
          {
            ok: true,
            mode,
            torCallPermit: { granted: true, redemptionId, callsRemaining: taken.left, expiresAt },
          },
          [NO_STORE],
        )
      } catch (error) {
        return outageReply(error)
      }
    },
  }
}
