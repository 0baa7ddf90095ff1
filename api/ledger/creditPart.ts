import { CREDIT_NETWORK } from '../entitlements/credit.ts'
import type { ClaimTerms } from './ledger.ts'

/**
 * How much of what a claim paid was store credit, in micro-USDC: its money came before, if any did, and not over the
 * claim's rail. Pure.
 */
export function creditPartOf({
  via,
  amountMicroUsdc,
  paid = [],
}: Pick<ClaimTerms, 'via' | 'amountMicroUsdc' | 'paid'>): bigint {
  if (via === 'credit') return amountMicroUsdc
  return paid.reduce(
    (sum, { network, amountAtomic }) => (network === CREDIT_NETWORK ? sum + BigInt(amountAtomic) : sum),
    0n,
  )
}
