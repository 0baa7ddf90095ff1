import type { Book } from '../../../ingest/contract/quote.ts'
import { BPS_PER_DOLLAR } from '../../../ops/units.ts'
import type { Fill } from './fees.ts'

/** [price in bps, contracts] */
type Level = Book['asks'][number]

/** What taking both books yields. Bps × hundredths of a contract are micro-dollars, so all of it is integer. */
export type Walked = {
  buys: Fill[] //          best level first, one entry a level
  sells: Fill[]
  hundredths: number //    of a contract, bought and sold alike
  costMicro: number //     never over the budget
  proceedsMicro: number
  filled: boolean //       false: a book ended before the budget did
}

//  Ten million contracts a level keep every sum of 200 levels a safe integer.
const MOST_HUNDREDTHS = 1e9

/**
 * Buys up the asks and sells the same number of contracts down the bids, best level first, for at most the budget.
 * Goes on where a further contract loses money: the question is what this size yields. Both venues trade hundredths.
 */
export function walk(asks: readonly Level[], bids: readonly Level[], budgetMicro: number): Walked {
  const result: Walked = { buys: [], sells: [], hundredths: 0, costMicro: 0, proceedsMicro: 0, filled: false }
  const [ask, bid] = [levelsOf(asks), levelsOf(bids)]
  while (ask.left > 0 && bid.left > 0) {
    const affordable = ask.bps === 0 ? Infinity : Math.floor((budgetMicro - result.costMicro) / ask.bps)
    if (affordable === 0) return { ...result, filled: true }
    const taken = Math.min(ask.left, bid.left, affordable)
    result.hundredths += taken
    result.costMicro += taken * ask.bps
    result.proceedsMicro += taken * bid.bps
    take(result.buys, ask.bps, taken)
    take(result.sells, bid.bps, taken)
    if (taken === affordable) return { ...result, filled: true }
    ask.use(taken)
    bid.use(taken)
  }
  return result
}

/** The same depth with yes and no swapped, as `swapSides` does with the top. */
export function swapBook({ bids, asks }: Pick<Book, 'bids' | 'asks'>): Pick<Book, 'bids' | 'asks'> {
  const swap = (levels: readonly Level[]): Level[] =>
    levels.map(([bps, size]) => [BPS_PER_DOLLAR - bps, size])
  return { bids: swap(asks), asks: swap(bids) }
}

/** A cursor on one side. Levels smaller than a hundredth of a contract are passed over. */
function levelsOf(levels: readonly Level[]) {
  let at = -1
  const cursor = { bps: 0, left: 0, use }
  function use(hundredths: number): void {
    cursor.left -= hundredths
    while (cursor.left === 0) {
      const next = levels[++at]
      if (next === undefined) return
      cursor.bps = next[0]
      //  the tolerance is the noise of a binary float: 4.35 × 100 is just under 435
      cursor.left = Math.min(MOST_HUNDREDTHS, Math.floor(next[1] * 100 + 1e-6))
    }
  }
  use(0)
  return cursor
}

/** Several takes from one level are one fill. */
function take(fills: Fill[], bps: number, hundredths: number): void {
  const last = fills.at(-1)
  if (last?.bps === bps) last.hundredths += hundredths
  else fills.push({ bps, hundredths })
}
