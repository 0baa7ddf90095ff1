import { type Assessed, assess } from './assess.ts'
import { type Books, DEPTH_MAX_AGE_MS } from './depth.ts'
import { type FeeTable, feeTableAt } from './feeTable.ts'
import type { At } from './livePair.ts'
import type { PricedPair } from './pricing.ts'
import { isFlickering, isYoung, type Known, NEAR_RESOLUTION_MS } from './riskFlags.ts'

type Kept = {
  assessed: Assessed | null
  books: Books
  young: boolean
  flickering: boolean
  table: FeeTable
  madeMs: number
  untilMs: number // when time alone makes it another
}

//  By priced pair, which is another object as soon as a quote, a text or the freshness is another.
const known = new WeakMap<PricedPair, Kept>()

/** What `assess` gives; worked out anew only where something it depends on is not as it was. */
export function assessAgain(each: PricedPair, books: Books, life: Known['life'], at: At): Assessed | null {
  const { nowMs } = at
  const [young, flickering, table] = [isYoung(life), isFlickering(life), feeTableAt(nowMs)]
  const kept = known.get(each)
  if (
    kept !== undefined &&
    kept.books.a === books.a &&
    kept.books.b === books.b &&
    kept.young === young &&
    kept.flickering === flickering &&
    kept.table === table &&
    kept.madeMs <= nowMs &&
    nowMs < kept.untilMs
  )
    return kept.assessed
  const assessed = assess(each, books, life, at)
  const untilMs = changesAtMs(each, books, nowMs)
  known.set(each, { assessed, books, young, flickering, table, madeMs: nowMs, untilMs })
  return assessed
}

/** The next instant at which a game starts, a contract comes near its end, or a book grows too old. */
function changesAtMs({ priced: { pair } }: PricedPair, books: Books, nowMs: number): number {
  let nextMs = Number.POSITIVE_INFINITY
  const consider = (ms: number) => {
    //  at the instant itself it is not over yet
    if (ms >= nowMs) nextMs = Math.min(nextMs, Math.max(ms, nowMs + 1))
  }
  for (const venue of ['a', 'b'] as const) {
    const { gameMs, closeMs, expectedMs } = pair[venue].market
    const book = books[venue]
    if (gameMs !== null) consider(gameMs)
    if (closeMs !== null) consider(closeMs - NEAR_RESOLUTION_MS)
    if (expectedMs !== null) consider(expectedMs - NEAR_RESOLUTION_MS)
    if (book !== null) consider(book.seenMs + DEPTH_MAX_AGE_MS)
  }
  return nextMs
}
