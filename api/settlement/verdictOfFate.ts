import type { AuthorizationFate, Payment, Settled } from './port.ts'

/** An authorization stays able to move money until the chain's own clock has passed it, with room for a reorg. */
const VOID_MARGIN_MS = 60_000

export type FateVerdict =
  | { kind: 'settled'; settled: Settled }
  | { kind: 'void'; reason: 'nonce_used' | 'expired' } //  can never pay us any more
  | { kind: 'open' } //                                    unused, and still able to move

/** What the chain's word means for a claim: paid to us exactly, lost for ever, or still open. */
export function verdictOfFate(fate: AuthorizationFate, { authorization }: Payment): FateVerdict {
  switch (fate.kind) {
    case 'used': {
      const { to, value, kind: _, ...settled } = fate
      const ours = to.toLowerCase() === authorization.to && value === authorization.value
      return ours ? { kind: 'settled', settled } : { kind: 'void', reason: 'nonce_used' }
    }
    case 'cancelled':
      return { kind: 'void', reason: 'nonce_used' }
    case 'unused':
      return fate.blockMs > Number(authorization.validBefore) * 1000 + VOID_MARGIN_MS
        ? { kind: 'void', reason: 'expired' }
        : { kind: 'open' }
  }
}
