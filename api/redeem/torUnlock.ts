import { z } from 'zod'
import { UnavailableError } from '../../ops/errors.ts'
import { parseStrictJsonBytes } from '../../ops/strictJson.ts'
import { digestOfToken, isToken } from '../entitlements/token.ts'
import { UNLOCK_VERIFY_PATH } from '../entitlements/unlock.ts'
import type { ProblemCode } from '../errors.ts'
import { jsonReply, NO_STORE, problemReply } from '../http/respond.ts'
import type { Route } from '../http/router.ts'
import type { Ledger } from '../ledger/ledger.ts'

const MAX_BODY_BYTES = 1_024
const Body = z.object({ unlockKey: z.string().max(128) })

/** 200 of POST /api/tor-mcp/verify. */
export const UnlockVerdict = z.object({
  ok: z.boolean(),
  valid: z.boolean(),
  expiresAt: z.iso.datetime().nullable(), // null: not one of ours, or over
})
export type UnlockVerdict = z.infer<typeof UnlockVerdict>

/** Says whether an unlock key of the local tool is one we sold (spec 4.2); why one is not, is not told. */
export function torUnlock(ledger: Pick<Ledger, 'grant' | 'nowMs'>): Route {
  return {
    method: 'POST',
    path: UNLOCK_VERIFY_PATH,
    async handler(request) {
      let unlockKey: string
      try {
        const body = request.body(MAX_BODY_BYTES)
        unlockKey = Body.parse(parseStrictJsonBytes(await body)).unlockKey
      } catch {
        return problemReply({
          problem: 'malformed_request',
          detail: 'The body is JSON {unlockKey} in UTF-8.',
        })
      }
      try {
        const row = isToken(unlockKey, 'unlock')
          ? await ledger.grant('unlock', digestOfToken(unlockKey))
          : null
        const valid =
          row !== null && row.fields.revoked === undefined && row.expiresMs > (await ledger.nowMs())
        const verdict: UnlockVerdict = {
          ok: valid,
          valid,
          expiresAt: valid ? new Date(row.expiresMs).toISOString() : null,
        }
        return jsonReply(200, verdict, [NO_STORE])
      } catch (error) {
        if (error instanceof UnavailableError) return problemReply({ problem: error.code as ProblemCode })
        throw error
      }
    },
  }
}
