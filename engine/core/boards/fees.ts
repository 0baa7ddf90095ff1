import type { FeeTerms } from '../../../ingest/contract/market.ts'
import { BPS_PER_DOLLAR } from '../../../ops/units.ts'
import type { FeeTable } from './feeTable.ts'

/** One price level that was taken: hundredths of a contract at a price. */
export type Fill = { bps: number; hundredths: number }

/** Fees before rounding are counted in 1e-14 dollar: rates have up to six decimals, p × (1 − p) has eight. */
export const UNITS_PER_CENT = 1e12

/**
 * Taker fee of one contract before any rounding, in 1e-14 dollar: the lower bound of what is charged, and what is
 * charged in the limit of a large order. Exact for exponent 1, which all current markets have. A yes sold at p costs
 * as much as a no bought at 1 − p.
 */
export function contractFee(terms: FeeTerms | null, bps: number): number {
  if (terms === null) return 0
  const spread = bps * (BPS_PER_DOLLAR - bps)
  if (terms.exponent === 1) return Math.round(terms.rate * 1e6) * spread
  return Math.round(terms.rate * (spread / 1e8) ** terms.exponent * 1e14)
}

const PER_STEP = 100_000_000_000n //  1e-5 dollar in 1e-14 dollar × hundredths of a contract

/**
 * Taker fee of one order in 1e-5 dollar. Venue A rounds each fill to five decimals and charges nothing below
 * 0.00001; venue B rounds the whole order up to the cent. Each level counts as one fill: a level made of many
 * resting orders is many fills at venue A, which moves the sum by half a step each at most.
 */
export function orderFee(terms: FeeTerms | null, fills: readonly Fill[], table: FeeTable): number {
  if (terms === null) return 0
  const unrounded = fills.map(({ bps, hundredths }) => BigInt(contractFee(terms, bps)) * BigInt(hundredths))
  if (terms.rounding === 'b_cent_up') {
    const step = PER_STEP * BigInt(table.b.stepE5)
    const sum = unrounded.reduce((total, fee) => total + fee, 0n)
    return Number((sum + step - 1n) / step) * table.b.stepE5
  }
  const step = PER_STEP * BigInt(table.a.stepE5)
  const steps = unrounded.map((fee) => (fee < step ? 0n : (fee + step / 2n) / step))
  return Number(steps.reduce((total, fee) => total + fee, 0n)) * table.a.stepE5
}
