import { HOUR, MINUTE, SECOND } from '../../ops/units.ts'
import type { AuthorizationFate, Payment, Settled } from './port.ts'

/** An authorization stays able to move money until the chain's own clock has passed it, with room for a reorg. */
const VOID_MARGIN_MS = 1 * MINUTE
/**
 * A use that no log shows counts as somebody else's only once the authorization's window has been over for this long.
 */
const EARLIER_MARGIN_MS = 1 * HOUR

export type FateVerdict =
  | { kind: 'settled'; settled: Settled }
  | { kind: 'void'; reason: 'nonce_used' | 'expired' } //  cannot pay us any more, unless this block is dropped
  | { kind: 'open' } //                                    unused, and still able to move
  | { kind: 'unknown' } //                                 used, and nothing shows yet by whom

/** What the chain's word means for a claim: paid to us exactly, lost for ever, still open, or not known yet. */
export function verdictOfFate(fate: AuthorizationFate, { authorization }: Payment): FateVerdict {
  const endMs = Number(authorization.validBefore) * SECOND
  switch (fate.kind) {
    case 'used': {
      const { to, value, kind: _, ...settled } = fate
      const ours = to.toLowerCase() === authorization.to && value === authorization.value
      return ours ? { kind: 'settled', settled } : { kind: 'void', reason: 'nonce_used' }
    }
    case 'cancelled':
      return { kind: 'void', reason: 'nonce_used' }
    case 'unused':
      return fate.blockMs > endMs + VOID_MARGIN_MS ? { kind: 'void', reason: 'expired' } : { kind: 'open' }
    case 'earlier':
      return fate.blockMs > endMs + EARLIER_MARGIN_MS
        ? { kind: 'void', reason: 'nonce_used' }
        : { kind: 'unknown' }
  }
}
