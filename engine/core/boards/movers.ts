import type { Quote } from '../../../ingest/contract/quote.ts'
import { roundTo } from '../../../ops/units.ts'
import {
  MOVE_WINDOWS,
  MOVERS_MAX,
  type MoverDrop,
  type MoverRow,
  type MoversBoard,
} from '../../contract/movers.ts'
import type { Listed } from '../gapRow.ts'
import { midBps } from '../mid.ts'
import { type Best, collectBest } from './best.ts'
import { isTrading } from './livePair.ts'
import { topicOfMarket } from './marketWords.ts'

type Window = (typeof MOVE_WINDOWS)[number]

/**
 * Contracts traded in 24 h below which a row is dropped. Only venue B counts contracts; venue A states dollars, which
 * are something else, so the rule cannot be asked of A (spec 4.1 rule 5: it stands beside B's other filter).
 */
export const MIN_CONTRACTS = 25

/** Change of one market over a window in bps, or why it has none. Spec 4.1 rule 5. */
export function changeOf({ quote }: Listed, window: Window): number | MoverDrop {
  if (quote.venue === 'a') return stated(quote, window) ?? 'no_figure'
  if (quote.previousBps === null || quote.previousBps === 0) return 'no_previous'
  if (quote.lastBps === null) return 'no_figure'
  return quote.volume24h < MIN_CONTRACTS ? 'under_25_contracts' : quote.lastBps - quote.previousBps
}

/** All open markets of both venues → the largest swings of each window. */
export function moversBoard(
  markets: { a: Iterable<Listed>; b: Iterable<Listed> },
  nowMs: number,
): MoversBoard {
  const dropped: Record<string, number> = {}
  const drop = (reason: MoverDrop, count = 1) => {
    dropped[reason] = (dropped[reason] ?? 0) + count
  }
  const best: Record<Window, Best<Listed>> = { hour: collect(), day: collect(), week: collect() }
  const met: Record<Window, number> = { hour: 0, day: 0, week: 0 }
  const meet = (listed: Listed, window: Window) => {
    const change = changeOf(listed, window)
    if (typeof change === 'string') return drop(change)
    met[window]++
    best[window].push(listed, Math.abs(change))
  }
  for (const listed of markets.a) for (const window of MOVE_WINDOWS) meet(listed, window)
  for (const listed of markets.b) {
    if (isTrading(listed, nowMs)) meet(listed, 'day')
    else drop('closed')
  }
  const rows = (window: Window) => {
    const kept = best[window].sorted().map((listed) => moverRow(listed, Number(changeOf(listed, window))))
    if (met[window] > kept.length) drop('beyond_bound', met[window] - kept.length)
    return kept
  }
  return { hour: rows('hour'), day: rows('day'), week: rows('week'), dropped }
}

/** Of equal changes A before B, then the higher volume of that venue. */
const collect = () =>
  collectBest<Listed>(
    MOVERS_MAX,
    ({ quote: x }, { quote: y }) =>
      Number(x.venue === 'b') - Number(y.venue === 'b') ||
      y.volume24h - x.volume24h ||
      (x.marketId < y.marketId ? -1 : 1),
  )

function stated({ changeHourBps, changeDayBps, changeWeekBps }: Quote, window: Window): number | null {
  if (window === 'day') return changeDayBps
  return window === 'hour' ? changeHourBps : changeWeekBps
}

const moverRow = ({ market, quote }: Listed, changeBps: number): MoverRow => ({
  venue: market.venue,
  marketId: market.marketId,
  topic: topicOfMarket(market),
  url: market.url,
  changeCents: roundTo(changeBps / 100, 2),
  yesBps: midBps(quote),
  lastBps: quote.lastBps,
  volume24h: quote.volume24h,
  volumeUnit: market.venue === 'a' ? 'usd' : 'contracts',
  seenMs: quote.seenMs,
})
