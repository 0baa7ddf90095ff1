import { CLOSE_WINDOW_MS } from '../contract/marketRules.ts'
import type { Top } from './book.ts'
import { midBps } from './mid.ts'

/** Distance of two closing instants; null when a venue does not say when it closes. */
export function closesApartMs(closeA: number | null, closeB: number | null): number | null {
  return closeA === null || closeB === null ? null : Math.abs(closeA - closeB)
}

/**
 * May a buyer act on the pair? Names match (only identity and inverted pairs reach this point), closes at
 * most 48 h apart, data of both venues fresh, both books two-sided and uncrossed.
 */
export function isExecutable(pair: {
  a: Top
  b: Top
  closesApartMs: number | null
  fresh: { a: boolean; b: boolean }
}): boolean {
  return (
    pair.closesApartMs !== null &&
    pair.closesApartMs <= CLOSE_WINDOW_MS &&
    pair.fresh.a &&
    pair.fresh.b &&
    midBps(pair.a) !== null &&
    midBps(pair.b) !== null
  )
}
