import type { Redis } from 'ioredis'
import { intentOfClaim } from './intentKeys.ts'
import { KEYS } from './keys.ts'
import type { ClaimKey, Sale } from './ledger.ts'
import { scriptsOn } from './scripts.ts'

/** already: its receipt is revoked. watched: its worker decides about it. */
export type GoneOutcome = 'reversed' | 'already' | 'watched'

/**
 * Reverses a sale whose money has left the chain, in the journal, and revokes its receipt. One atomic step that may be
 * repeated.
 * @param owner claim that took the transfer; null: none is known.
 */
export async function reverseGone(
  redis: Redis,
  owner: ClaimKey | null,
  reversal: Sale,
): Promise<GoneOutcome> {
  const intent = owner === null ? null : intentOfClaim(owner)
  return await scriptsOn(redis)(
    'saleGone',
    [KEYS.claims.unfinal, KEYS.intents.unfinal, KEYS.sales, KEYS.revoked(reversal.attestationId)],
    [owner ?? '', intent ?? '', JSON.stringify(reversal)],
  )
}
