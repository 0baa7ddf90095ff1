import { roundTo } from '../../ops/units.ts'
import { isCrossed, soundSide, type Top } from './book.ts'

/**
 * Cents left after buying the ask of one venue and selling the bid of the other, the better of the two
 * directions; negative when neither pays. Both books word the question as A does (see `swapSides`).
 * Null when neither direction has both its sides, or when a book is crossed (VEN-06).
 */
export function netCents(a: Top, b: Top): number | null {
  if (isCrossed(a) || isCrossed(b)) return null
  const buyA = difference(soundSide(b.bidBps, b.bidSize), soundSide(a.askBps, a.askSize))
  const buyB = difference(soundSide(a.bidBps, a.bidSize), soundSide(b.askBps, b.askSize))
  if (buyA === null && buyB === null) return null
  return roundTo(Math.max(buyA ?? Number.NEGATIVE_INFINITY, buyB ?? Number.NEGATIVE_INFINITY) / 100, 2)
}

function difference(bid: number | null, ask: number | null): number | null {
  return bid === null || ask === null ? null : bid - ask
}
