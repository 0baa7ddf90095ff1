import { z } from 'zod'
import { digestOfToken, isToken } from '../entitlements/token.ts'
import { UNLOCK_VERIFY_PATH } from '../entitlements/unlock.ts'
import { isProblem } from '../errors.ts'
import { answering } from '../http/answering.ts'
import { readJson } from '../http/readJson.ts'
import { jsonReply, NO_STORE } from '../http/respond.ts'
import type { Route } from '../http/router.ts'
import type { Ledger } from '../ledger/ledger.ts'

export const UNLOCK_MAX_BYTES = 1_024

/** Body of POST /api/tor-mcp/verify. */
export const UnlockBody = z.object({ unlockKey: z.string().max(128) })

/** 200 of POST /api/tor-mcp/verify. */
export const UnlockVerdict = z.object({
  ok: z.boolean(),
  mode: z.string(), // a sandbox sells keys for money that is worth nothing
  valid: z.boolean(),
  expiresAt: z.iso.datetime().nullable(), // null: not one of ours, or expired
})
export type UnlockVerdict = z.infer<typeof UnlockVerdict>

/** Says whether an unlock key of the local tool is one we sold (spec 4.2), but not why it is not. */
export function torUnlock(ledger: Pick<Ledger, 'grant' | 'nowMs'>, mode: string): Route {
  return {
    method: 'POST',
    path: UNLOCK_VERIFY_PATH,
    handler: answering(async (request) => {
      const read = await readJson(request, UnlockBody, UNLOCK_MAX_BYTES)
      if (isProblem(read)) return read
      const { unlockKey } = read.body
      const row = isToken(unlockKey, 'unlock') ? await ledger.grant('unlock', digestOfToken(unlockKey)) : null
      const valid = row !== null && row.fields.revoked === undefined && row.expiresMs > (await ledger.nowMs())
      const expiresAt = valid ? new Date(row.expiresMs).toISOString() : null
      const verdict: UnlockVerdict = { ok: valid, mode, valid, expiresAt }
      return jsonReply(200, verdict, [NO_STORE])
    }),
  }
}
