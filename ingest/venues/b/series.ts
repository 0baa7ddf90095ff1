import { PageShapeError } from '../../errors.ts'
import { cleanText, labelOrNull, textOrNull } from '../text.ts'
import type { Series } from './fees.ts'
import { SeriesB, SeriesListB } from './wire.ts'

/** About 13,300 series exist; more than this is not the list we know. */
const MAX_SERIES = 200_000

/** Answer of GET /series → terms by ticker. Unreadable series are left out. @throws PageShapeError */
export function readSeriesB(answer: unknown): Map<string, Series> {
  const list = SeriesListB.safeParse(answer)
  if (!list.success) throw new PageShapeError('venue b: series are not {series}')
  const byTicker = new Map<string, Series>()
  for (const raw of list.data.series.slice(0, MAX_SERIES)) {
    const parsed = SeriesB.safeParse(raw)
    if (!parsed.success) continue
    const { ticker, category, tags, fee_type, fee_multiplier } = parsed.data
    byTicker.set(ticker, {
      category: labelOrNull(category, 100),
      tags: (tags ?? [])
        .map((tag) => cleanText(tag, 100))
        .filter((tag) => tag !== '')
        .slice(0, 20),
      feeType: textOrNull(fee_type, 100),
      feeMultiplier: fee_multiplier ?? null,
    })
  }
  return byTicker
}
