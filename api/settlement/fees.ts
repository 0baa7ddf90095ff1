/** What a transaction offers, wei per unit of gas (EIP-1559). */
export type Fees = { maxFee: bigint; tip: bigint }

/** Used where the node gives no advice: what Base's own wallets offer. */
export const DEFAULT_TIP = 1_000_000n //  0.001 gwei
/** Never offered more than this; above it settling waits and the operator is told. Base is mostly below 0.1 gwei. */
export const MAX_FEE = 20_000_000_000n //  20 gwei

/**
 * A node's advice follows what others have just paid, so anybody could push our offer up to the gas price limit, where
 * settling waits. A first offer never tips more than this; replacements may.
 */
const MAX_TIP = 1_000_000_000n //  1 gwei

export const sensibleTip = (advised: bigint): bigint =>
  advised < 1n ? 1n : advised > MAX_TIP ? MAX_TIP : advised

/** Room for the base fee to double: six full blocks in a row. */
export function offerFees(baseFee: bigint, tip: bigint): Fees {
  return { maxFee: 2n * baseFee + tip, tip }
}

/**
 * What replaces a transaction that was not mined: an eighth more of both, which is what nodes ask for, and
 * never less than a fresh offer.
 */
export function bumpFees(old: Fees, baseFee: bigint, tip: bigint): Fees {
  const fresh = offerFees(baseFee, tip)
  return { maxFee: larger(eighthMore(old.maxFee), fresh.maxFee), tip: larger(eighthMore(old.tip), fresh.tip) }
}

export const tooDear = ({ maxFee }: Fees): boolean => maxFee > MAX_FEE

const eighthMore = (value: bigint): bigint => (value * 9n + 7n) / 8n + 1n
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
