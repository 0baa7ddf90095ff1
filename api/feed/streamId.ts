/** Id of an entry in a Redis stream: milliseconds and a count within them. Orders events of the feed. */
export type StreamId = string

/** Before every event. */
export const BEFORE_ALL: StreamId = '0-0'

/** Only what the store itself writes: no short forms, no signs, no leading zeros. */
export const STREAM_ID = /^(0|[1-9]\d{0,19})-(0|[1-9]\d{0,19})$/

export const isStreamId = (text: string): boolean => STREAM_ID.test(text)

/** Negative, zero or positive as `a` comes before, equals, or comes after `b`. Both are ids. */
export function compareIds(a: StreamId, b: StreamId): number {
  const [aMs, aCount] = partsOf(a)
  const [bMs, bCount] = partsOf(b)
  return compareDigits(aMs, bMs) || compareDigits(aCount, bCount)
}

/** When the store took it in, by its clock. */
export const msOf = (id: StreamId): number => Number(id.slice(0, id.indexOf('-')))

const partsOf = (id: StreamId): [string, string] => {
  const dash = id.indexOf('-')
  return [id.slice(0, dash), id.slice(dash + 1)]
}

/** Compares up to 20 digits, more than a number can hold exactly. */
const compareDigits = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
