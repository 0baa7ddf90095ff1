import { DAY } from '../../../units.ts'
import type { SeriesB } from '../world.ts'
import { mixText } from './dice.ts'
import { type Instances, listedOn } from './instance.ts'
import { type Slot, topicOf } from './plan.ts'
import { CATEGORIES } from './topic.ts'

/** A series' fees follow from its ticker: most are plain, some charge makers, some half. */
function feesOf(ticker: string): { feeType: string; feeMultiplier: number } {
  const u = mixText(0xfee5, ticker) / 4_294_967_296
  if (u < 0.86) return { feeType: 'quadratic', feeMultiplier: 1 }
  if (u < 0.93) return { feeType: 'quadratic_with_maker_fees', feeMultiplier: 1 }
  if (u < 0.96) return { feeType: 'quadratic', feeMultiplier: 0.5 }
  return { feeType: 'quadratic_with_combo_maker_fees', feeMultiplier: 1 }
}

const frequencyOf = (days: number) =>
  days < 1 ? 'hourly' : days < 7 ? 'daily' : days < 40 ? 'monthly' : 'annual'

/** The series of all current events, by ticker. */
export function seriesNow(slots: readonly Slot[], instances: Instances, nowMs: number): SeriesB[] {
  const found = new Map<string, SeriesB>()
  for (const slot of slots) {
    if (!listedOn('b', slot)) continue
    const { generation, tickers, endMs, openMs } = instances.current(slot, nowMs)
    if (tickers.every((ticker) => found.has(ticker.slice(0, ticker.indexOf('-'))))) continue
    const topic = topicOf(slot, generation)
    for (const { series, title } of topic.b.events)
      found.set(series, {
        ticker: series,
        title,
        category: CATEGORIES[topic.category].labelB,
        frequency: frequencyOf((endMs - openMs) / DAY),
        ...feesOf(series),
      })
  }
  return [...found.values()].sort((x, y) => (x.ticker < y.ticker ? -1 : 1))
}
