import { PageShapeError } from '../../errors.ts'
import { cleanText, labelOrNull, textOrNull } from '../text.ts'
import { parseInstant } from '../time.ts'
import type { Series } from './fees.ts'
import { FeeChangeB, FeeChangeListB, SeriesB, SeriesListB } from './wire.ts'

/** About 13,300 series exist; more than this is not the list we know. */
const MAX_SERIES = 200_000
const MAX_CHANGES = 10_000

/** An announced fee change: from `atMs` on (market clock) the series has this fee. */
export type FeeChange = { ticker: string; atMs: number } & Pick<Series, 'feeType' | 'feeMultiplier'>

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

/** Answer of GET /series/fee_changes. Unreadable rows are left out. @throws PageShapeError */
export function readFeeChangesB(answer: unknown): FeeChange[] {
  const list = FeeChangeListB.safeParse(answer)
  if (!list.success) throw new PageShapeError('venue b: fee changes are not {series_fee_change_arr}')
  return list.data.series_fee_change_arr.slice(0, MAX_CHANGES).flatMap((raw) => {
    const parsed = FeeChangeB.safeParse(raw)
    const atMs = parseInstant(parsed.data?.scheduled_ts)
    if (!parsed.success || atMs === null) return []
    const { series_ticker: ticker, fee_type, fee_multiplier } = parsed.data
    return [{ ticker, atMs, feeType: textOrNull(fee_type, 100), feeMultiplier: fee_multiplier ?? null }]
  })
}

/**
 * The list with the changes since it was read applied. A change states type and multiplier; what it leaves out stays
 * the same.
 */
export function withFeeChanges(
  series: ReadonlyMap<string, Series>,
  changes: readonly FeeChange[],
): ReadonlyMap<string, Series> {
  if (changes.length === 0) return series
  const changed = new Map(series)
  for (const { ticker, feeType, feeMultiplier } of changes.toSorted((x, y) => x.atMs - y.atMs)) {
    const before = changed.get(ticker)
    if (before === undefined) continue //  without its series a fee is guessed and flagged
    changed.set(ticker, {
      ...before,
      feeType: feeType ?? before.feeType,
      feeMultiplier: feeMultiplier ?? before.feeMultiplier,
    })
  }
  return changed
}
