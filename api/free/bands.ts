import { stepOf } from '../goods/market/gapBucket.ts'

/*
 * What is free must not be what is paid (VEN-17). A paid figure is a number of hundredths of a cent; a band in words
 * holds five hundred of them and asserts none, so it equals no paid figure, neither now nor after prices moved. A
 * rounded number could: 5 is 5.00 as soon as the gap is 5.00.
 */

export const GAP_BAND_CENTS = 5
export const PRICE_BAND_CENTS = 10

/** `5 to 10 cents` holds 5.00 and not 10.00. */
export function bandOf(cents: number, width: number): string {
  const from = stepOf(cents, width)
  return `${from} to ${from + width} cents`
}

/** Free rows by the band's lower end, then by topic: their order tells nothing about what is inside a band. */
export const byBand = <Row extends { topic: string }>(rows: Row[], band: (row: Row) => string): Row[] =>
  rows.sort(
    (x, y) =>
      Number.parseInt(band(y), 10) - Number.parseInt(band(x), 10) ||
      (x.topic < y.topic ? -1 : x.topic > y.topic ? 1 : 0),
  )
