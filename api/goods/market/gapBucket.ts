/** Width of the steps in which `match` states a gap (spec 4.1 rule 3). */
export const BUCKET_CENTS = 10

/**
 * The step of `width` whole cents that holds the value; the lower end belongs to it: 9.99 → 0, 10.00 → 10, −0.01 → −10.
 * In whole hundredths of a cent, because 0.58 − 0.51 is no 0.07 in binary.
 * @param cents two decimals.
 * @returns the lower end, in cents.
 */
export const stepOf = (cents: number, width: number): number =>
  Math.floor(Math.round(cents * 100) / (width * 100)) * width

export function gapBucket(gapCents: number): { fromCents: number; toCents: number } {
  const fromCents = stepOf(gapCents, BUCKET_CENTS)
  return { fromCents, toCents: fromCents + BUCKET_CENTS }
}
