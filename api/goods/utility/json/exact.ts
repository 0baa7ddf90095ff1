/** How a number survives the reading into a binary64, which is what most JSON parsers do. */
export type Exactness = 'exact' | 'rounded' | 'out_of_range'

const ALWAYS_EXACT_CHARS = 15

/** @param number a JSON number; also with a leading plus or a bare dot. */
export function exactnessOf(number: string): Exactness {
  if (number.length <= ALWAYS_EXACT_CHARS && !/e/i.test(number)) return 'exact'
  const value = Number(number)
  if (!Number.isFinite(value)) return 'out_of_range'
  return decimalOf(number) === decimalOf(String(value)) ? 'exact' : 'rounded'
}

/** One spelling for one decimal: its digits without outer zeros, and the power of ten of the last. */
function decimalOf(number: string): string {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace(/^[-+]/, '').split('.')
  const digits = whole + fraction
  let from = 0
  while (digits[from] === '0') from++
  let to = digits.length
  while (to > from && digits[to - 1] === '0') to--
  if (from === to) return '0'
  return `${digits.slice(from, to)}e${Number(exponent) - fraction.length + digits.length - to}`
}
