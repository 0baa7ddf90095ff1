import { BPS_PER_DOLLAR, parseScaled } from '../../ops/units.ts'

/**
 * Dollars to integer bps. Both venues allow prices down to a millionth of a dollar, bps are a hundred times
 * coarser: a bid is rounded down and an ask up, so that rounding never shows a better price than the book
 * has. Finer than a millionth is no price of either venue and is refused.
 */
const MICRO_PER_BPS = 100
export const MICRO_PER_DOLLAR = BPS_PER_DOLLAR * MICRO_PER_BPS

/** @returns millionths of a dollar; null when `dollars` is finer than that. The caller checks the range. */
export function microOfNumber(dollars: number): number | null {
  const exact = dollars * MICRO_PER_DOLLAR
  const micro = Math.round(exact)
  //  the tolerance is the noise of a binary float near 1, far below the finest real price
  if (Math.abs(exact - micro) > 1e-6 || (micro === 0 && dollars !== 0)) return null
  return micro
}

/**
 * Reads decimal text digit by digit. @returns 'range' outside 0…1 or when it is no decimal, 'fine' below a millionth.
 */
export function microOfText(dollars: string): number | 'range' | 'fine' {
  const micro = parseScaled(dollars, 6)
  if (micro === null) return /^[01]\.\d{7,40}$/.test(dollars) ? 'fine' : 'range'
  return micro < 0 || micro > MICRO_PER_DOLLAR ? 'range' : micro
}

/**
 * Do a price of yes and the opposite price of no add up to a dollar (VEN-06)? If no's price is not stated, nothing
 * contradicts.
 */
export function isMirrored(yesMicro: number, noDollars: string | null | undefined): boolean {
  return noDollars == null || microOfText(noDollars) === MICRO_PER_DOLLAR - yesMicro
}

/** No order can be at 0 or at 1: such a bid is how venues write an empty side, of yes or of no. */
export function bidBps(micro: number): number | null {
  const bps = Math.floor(micro / MICRO_PER_BPS)
  return bps === 0 || bps >= BPS_PER_DOLLAR ? null : bps
}

/** No order can be at 0 or at 1: such an ask is how venues write an empty side. */
export function askBps(micro: number): number | null {
  const bps = Math.ceil(micro / MICRO_PER_BPS)
  return bps === 0 || bps >= BPS_PER_DOLLAR ? null : bps
}

/** A trade's price; 0 is how both venues write "never traded". */
export function lastBps(micro: number): number | null {
  return micro === 0 ? null : Math.round(micro / MICRO_PER_BPS)
}
