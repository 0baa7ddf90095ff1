import { roundTo } from '../../ops/units.ts'
import { bestDirection } from './boards/direction.ts'
import type { Top } from './book.ts'

/**
 * Cents left after buying the ask of one venue and selling the bid of the other, the better of the two
 * directions; negative when neither pays. Both books word the question as A does (see `swapSides`).
 * Null when neither direction has both its sides, or when a book is crossed (VEN-06).
 */
export function netCents(a: Top, b: Top): number | null {
  const direction = bestDirection(a, b)
  return direction === null ? null : roundTo(direction.netBps / 100, 2)
}
