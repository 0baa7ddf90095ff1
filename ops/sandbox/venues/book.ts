import { mix } from './generator/dice.ts'

/** Which prices a market allows, in bps of a dollar: whole cents, tenths of a cent, or tenths near the ends. */
export type Grid = 'cent' | 'deci' | 'tapered'

/** Distance from a price to the next one above it. */
export function stepAt(grid: Grid, bps: number): number {
  if (grid === 'cent') return 100
  if (grid === 'deci') return 10
  return bps < 1_000 || bps >= 9_000 ? 10 : 100
}

export const floorToGrid = (grid: Grid, bps: number): number => {
  const step = stepAt(grid, bps)
  return Math.floor(bps / step) * step
}

/** Best prices in bps (null: that side is empty), sizes in hundredths of a share or contract. */
export type Top = { bid: number | null; bidSize: number; ask: number | null; askSize: number }

/** [price in bps, size in hundredths], best first. */
export type Level = readonly [number, number]
export type Levels = { bids: Level[]; asks: Level[] }

/**
 * A whole book whose first levels are the given top and whose others lie on the grid, away from it.
 * @param depth levels on each side, at most; the ends of the price range cut it.
 */
export function levels(top: Top, grid: Grid, key: number, depth: number): Levels {
  const side = (best: number | null, size: number, down: boolean, salt: number): Level[] => {
    if (best === null) return []
    const list: Level[] = [[best, size]]
    let price = best
    for (let i = 1; i < depth; i++) {
      const hops = 1 + (mix(key + salt, i) % 3)
      for (let hop = 0; hop < hops; hop++)
        price = down ? price - stepAt(grid, price - 1) : price + stepAt(grid, price)
      if (price <= 0 || price >= 10_000) break
      // deeper levels are larger, as in recorded books
      list.push([price, (1 + i) * (500 + (mix(key ^ salt, i + 99) % 40_000))])
    }
    return list
  }
  return { bids: side(top.bid, top.bidSize, true, 1), asks: side(top.ask, top.askSize, false, 2) }
}

/** The no side of a yes book: a yes bid at p is a no ask at 1 - p. */
export function mirrored({ bids, asks }: Levels): Levels {
  const turn = (list: Level[]): Level[] => list.map(([price, size]) => [10_000 - price, size])
  return { bids: turn(asks), asks: turn(bids) }
}

/** 650 → `0.065`: the shortest decimal, as venue A writes prices. */
export const shortDollars = (bps: number): string => String(bps / 10_000)

/** 650 → `0.0650`: four decimals, as venue B writes prices. */
export const fixedDollars = (bps: number): string => {
  const abs = Math.abs(bps)
  return `${bps < 0 ? '-' : ''}${Math.floor(abs / 10_000)}.${String(abs % 10_000).padStart(4, '0')}`
}

/** 12345 → `123.45`. */
export const fixedCount = (hundredths: number): string => {
  const cents = String(hundredths % 100)
  return `${Math.floor(hundredths / 100)}.${cents.length === 1 ? `0${cents}` : cents}`
}
