import type { GrantRow } from '../entitlements/grant.ts'
import type { ClaimKey } from './ledger.ts'

/** What was issued, as the string fields of a Redis hash, and back. */
export const grantFields = (
  claim: ClaimKey,
  { sku, expiresMs, fields }: GrantRow,
): Record<string, string> => ({
  ...fields,
  claim,
  sku,
  expires: String(expiresMs),
})

export function grantFromHash({ claim, sku, expires, ...fields }: Record<string, string>): GrantRow | null {
  return sku === undefined ? null : { sku, expiresMs: Number(expires), fields }
}
