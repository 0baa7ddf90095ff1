import { isCrossed, soundSide, type Top } from './book.ts'

/** Yes price in bps: (bid + ask) / 2, so halves occur. Null when a side is missing or the book is crossed. */
export function midBps(top: Top): number | null {
  const bid = soundSide(top.bidBps, top.bidSize)
  const ask = soundSide(top.askBps, top.askSize)
  if (bid === null || ask === null || isCrossed(top)) return null
  return (bid + ask) / 2
}
