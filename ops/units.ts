/**
 * Money is `bigint` micro-USDC; prices are integer basis points of a dollar (1 = 0.0001), which the
 * finest price of both venues fits. Text is parsed digit by digit: no binary float touches a price.
 */
export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export const MICRO_PER_USDC = 1_000_000n
const USDC_DECIMALS = 6
export const BPS_PER_DOLLAR = 10_000

/** `10_000n` → `"0.01"`: the shortest exact decimal. */
export function formatUsdc(microUsdc: bigint): string {
  const sign = microUsdc < 0n ? '-' : ''
  const abs = microUsdc < 0n ? -microUsdc : microUsdc
  const fraction = (abs % MICRO_PER_USDC).toString().padStart(USDC_DECIMALS, '0').replace(/0+$/, '')
  return `${sign}${abs / MICRO_PER_USDC}${fraction === '' ? '' : `.${fraction}`}`
}

/** `10_000n` → `0.01`. Exact as JSON text for every amount up to 2^33, eight and a half billion USDC. */
export function usdcNumber(microUsdc: bigint): number {
  return Number(formatUsdc(microUsdc))
}

/** Plain decimal text to an integer scaled by 10^digits, or null when it is none or does not fit exactly. */
export function parseScaled(text: string, digits: number): number | null {
  const match = /^(-?)(\d{1,12})(?:\.(\d{0,12}))?$/.exec(text)
  if (match === null) return null
  const fraction = (match[3] ?? '').replace(/0+$/, '')
  if (fraction.length > digits) return null
  const scaled = Number(match[2]! + fraction.padEnd(digits, '0'))
  if (!Number.isSafeInteger(scaled)) return null
  return match[1] === '-' && scaled !== 0 ? -scaled : scaled
}

/** `"0.01"` → `10_000n`; null when it is no amount, or finer than a millionth. */
export function parseUsdc(text: string): bigint | null {
  const micro = parseScaled(text, USDC_DECIMALS)
  return micro === null ? null : BigInt(micro)
}

/** Rounds half away from zero to `digits` decimals, on the decimal value and not on its binary neighbour. */
export function roundTo(value: number, digits: number): number {
  const scale = 10 ** digits
  const scaled = Math.abs(value) * scale
  return (Math.sign(value) * Math.round(scaled + scaled * Number.EPSILON)) / scale || 0
}
