import { isCrossed, swapSides, type Top } from '../book.ts'
import { closesApartMs, isExecutable } from '../executable.ts'
import { cheaperVenue, gapCents } from '../gap.ts'
import { midBps } from '../mid.ts'
import { bestDirection, type Direction } from './direction.ts'
import { type At, isTrading, type LivePair } from './livePair.ts'

/** A pair with its differences. Both books word the question as A does: an inverted pair has B's sides swapped. */
export type Priced = {
  pair: LivePair
  a: Top
  b: Top
  gapCents: number | null // null: a leg has no mid
  cheaperVenue: 'a' | 'b' | null
  direction: Direction | null
  crossed: boolean
  trading: boolean
  closesApartMs: number | null
  executable: boolean
}

/** A pair that can be bought on one venue and sold on the other: it has a net. */
export type Net = Priced & { direction: Direction }

export const isNet = (priced: Priced): priced is Net => priced.direction !== null && priced.trading

export function price(pair: LivePair, { nowMs, fresh }: At): Priced {
  const a = pair.a.quote
  const b = pair.verdict === 'inverted' ? swapSides(pair.b.quote) : pair.b.quote
  const [midA, midB] = [midBps(a), midBps(b)]
  const apart = closesApartMs(pair.a.market.closeMs, pair.b.market.closeMs)
  const trading = isTrading(pair.b, nowMs)
  return {
    pair,
    a,
    b,
    gapCents: gapCents(midA, midB),
    cheaperVenue: cheaperVenue(midA, midB),
    direction: bestDirection(a, b),
    crossed: isCrossed(a) || isCrossed(b),
    trading,
    closesApartMs: apart,
    executable: trading && isExecutable({ a, b, closesApartMs: apart, fresh }),
  }
}
