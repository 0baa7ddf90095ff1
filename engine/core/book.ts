import { BPS_PER_DOLLAR } from '../../ops/units.ts'

/** Best bid and ask of a yes side, bps of a dollar; sizes in shares or contracts, null when not stated. */
export type Top = {
  bidBps: number | null
  askBps: number | null
  bidSize: number | null
  askSize: number | null
}

/**
 * One side as it may be traded: null when there is none, when nothing is offered at it (size 0), or when the
 * figure is no price at all (VEN-05). 0 is a price.
 */
export function soundSide(priceBps: number | null, size: number | null): number | null {
  if (priceBps === null || !Number.isInteger(priceBps)) return null
  if (priceBps < 0 || priceBps > BPS_PER_DOLLAR) return null
  return size !== null && !(size > 0) ? null : priceBps
}

/** A bid at or above the ask is a broken or stale book: nothing is computed from it (VEN-06). */
export function isCrossed(top: Top): boolean {
  const bid = soundSide(top.bidBps, top.bidSize)
  const ask = soundSide(top.askBps, top.askSize)
  return bid !== null && ask !== null && bid >= ask
}

/** Both sides as they are shown: a bid above its ask contradicts it, and then neither is a price (I18). */
export function shownSides(top: Top): Pick<Top, 'bidBps' | 'askBps'> {
  const bidBps = soundSide(top.bidBps, top.bidSize)
  const askBps = soundSide(top.askBps, top.askSize)
  const isContradicted = bidBps !== null && askBps !== null && bidBps > askBps
  return isContradicted ? { bidBps: null, askBps: null } : { bidBps, askBps }
}

/** The same book with yes and no swapped: what one buys as yes at `ask` is a no sold at `1 − ask`. */
export function swapSides(top: Top): Top {
  const swap = (bps: number | null) => (bps === null ? null : BPS_PER_DOLLAR - bps)
  return { bidBps: swap(top.askBps), askBps: swap(top.bidBps), bidSize: top.askSize, askSize: top.bidSize }
}
