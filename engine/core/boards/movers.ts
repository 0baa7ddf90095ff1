import type { Quote } from '../../../ingest/contract/quote.ts'
import { roundTo } from '../../../ops/units.ts'
import { MIN_CONTRACTS } from '../../contract/marketRules.ts'
import {
  MOVE_WINDOWS,
  MOVERS_MAX,
  type MoverDrop,
  type MoverRow,
  type MoversBoard,
} from '../../contract/movers.ts'
import type { Listed } from '../gapRow.ts'
import { midBps } from '../mid.ts'
import { higherFirst } from './higherFirst.ts'
import { inOrder } from './inOrder.ts'
import type { Counted, Listings, ListingTable } from './listings.ts'
import { topicOfMarket } from './marketWords.ts'
import { perListed } from './perListed.ts'
import { TopList } from './topList.ts'

type Window = (typeof MOVE_WINDOWS)[number]

/**
 * Change of one market over a window in bps, or why it has none. Spec 4.1 rule 5. Venue A states its volume in dollars.
 * A contract costs at most one dollar, so a volume of MIN_CONTRACTS dollars or more is at least that many contracts; a
 * smaller volume may be fewer.
 */
export function changeOf({ quote }: Listed, window: Window): number | MoverDrop {
  const change = quote.venue === 'a' ? (stated(quote, window) ?? 'no_figure') : sincePrevious(quote)
  return typeof change === 'number' && quote.volume24h < MIN_CONTRACTS ? 'under_25_contracts' : change
}

function sincePrevious({ previousBps, lastBps }: Quote): number | MoverDrop {
  if (previousBps === null || previousBps === 0) return 'no_previous'
  return lastBps === null ? 'no_figure' : lastBps - previousBps
}

/** The largest swings of each window among all open markets of both venues, kept current market by market. */
export class MoversTable implements ListingTable {
  readonly #dropped = new Map<MoverDrop, number>()
  readonly #best = { hour: largest('hour'), day: largest('day'), week: largest('week') }
  readonly #rows = { hour: keptRows('hour'), day: keptRows('day'), week: keptRows('week') }

  add(counted: Counted): void {
    for (const window of MOVE_WINDOWS) {
      const change = changeIn(counted, window)
      if (typeof change === 'string') this.#drop(change, 1)
      else if (change !== null) this.#best[window].add(counted.listed)
    }
  }

  remove(counted: Counted): void {
    for (const window of MOVE_WINDOWS) {
      const change = changeIn(counted, window)
      if (typeof change === 'string') this.#drop(change, -1)
      else if (change !== null) this.#best[window].delete(counted.listed)
    }
  }

  board(listings: Listings): MoversBoard {
    const dropped = new Map(this.#dropped)
    const rows = (window: Window) => {
      const best = this.#best[window]
      const kept = best.best(withChange(listings, window)).map(this.#rows[window])
      dropped.set('beyond_bound', (dropped.get('beyond_bound') ?? 0) + best.size - kept.length)
      return kept
    }
    const windows = { hour: rows('hour'), day: rows('day'), week: rows('week') }
    return { ...windows, dropped: Object.fromEntries([...dropped].filter(([, count]) => count > 0)) }
  }

  #drop(reason: MoverDrop, count: number): void {
    this.#dropped.set(reason, (this.#dropped.get(reason) ?? 0) + count)
  }
}

/** Its change over a window, or why it has none; null: it is not looked at for this window. */
function changeIn({ listed, trading }: Counted, window: Window): number | MoverDrop | null {
  if (listed.quote.venue === 'a') return changeOf(listed, window)
  if (window !== 'day') return null
  return trading ? changeOf(listed, window) : 'closed'
}

function* withChange(listings: Listings, wanted: Window): Generator<Listed> {
  for (const venue of ['a', 'b'] as const)
    for (const counted of listings.all(venue))
      if (typeof changeIn(counted, wanted) === 'number') yield counted.listed
}

const keptRows = (window: Window) => perListed((listed) => moverRow(listed, Number(changeOf(listed, window))))

const largest = (window: Window) =>
  new TopList<Listed>(MOVERS_MAX, (listed) => Math.abs(Number(changeOf(listed, window))), venueThenVolume)

/** Among equal changes A before B, then the higher volume within the venue. */
const venueThenVolume = ({ quote: x }: Listed, { quote: y }: Listed) =>
  Number(x.venue === 'b') - Number(y.venue === 'b') ||
  higherFirst(x.volume24h, y.volume24h) ||
  inOrder(x.marketId, y.marketId)

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
  closeMs: market.venue === 'b' ? market.closeMs : null,
  venueMs: quote.venueMs,
  seenMs: quote.seenMs,
})
