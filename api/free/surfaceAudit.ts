import type { Clock } from '../../ops/clock.ts'
import { DAY, HOUR } from '../../ops/units.ts'
import { countSales, type Group, type Line, MIN_BUYERS, maskHour } from './mask.ts'
import type { SalesSince, SeenSale } from './salesSince.ts'

/** An hour is shown no sooner than this after its end. */
export const AUDIT_DELAY_MS = 1 * HOUR

/** One UTC day as far as it is known. What is left over because of too few buyers is not carried into the next day. */
type Day = { dayMs: number; nextHourMs: number; left: Group | null; lines: Line[] }

const newDay = (dayMs: number): Day => ({ dayMs, nextHourMs: dayMs, left: null, lines: [] })

/**
 * The masked ledger: today and yesterday, UTC, by the ledger's clock, which dates the journal. A line once shown never
 * changes and none is added to a past hour, so that two looks differ by whole lines only: their difference tells nothing
 * a line does not. Every process computes the same from the same journal. Bounds: two days, SALES_PER_HOUR_MAX sales of
 * an hour, one line an SKU and hour.
 */
export function keepAudit({
  clock, // the ledger's: by another one ahead of it, an hour would be counted before its last sales
  salesSince,
  shownOnChain,
}: {
  clock: Clock
  salesSince: SalesSince
  shownOnChain(sale: SeenSale): string | null
}) {
  let days: Day[] = []

  /** A closed hour becomes visible as a whole; reading that fails half-way leaves everything as it was. */
  const takeHour = async (day: Day) => {
    const bySku = new Map<string | null, Group>()
    for await (const page of salesSince(day.nextHourMs, day.nextHourMs + HOUR))
      countSales(bySku, page, day.nextHourMs, shownOnChain)
    const { lines, left } = maskHour(bySku, day.left)
    day.lines.push(...lines)
    day.left = left
    day.nextHourMs += HOUR
  }

  /** A day of which hours are closed that have not ended begins anew: a clock that has been set back was ahead then. */
  const dayAt = (dayMs: number, nowMs: number): Day =>
    days.find((day) => day.dayMs === dayMs && day.nextHourMs <= nowMs) ?? newDay(dayMs)

  return {
    async refresh() {
      const nowMs = clock.nowMs()
      const todayMs = Math.floor(nowMs / DAY) * DAY
      days = [todayMs - DAY, todayMs].map((dayMs) => dayAt(dayMs, nowMs))
      for (const day of days)
        while (day.nextHourMs < day.dayMs + DAY && day.nextHourMs + HOUR + AUDIT_DELAY_MS <= nowMs)
          await takeHour(day)
    },
    show: () => ({
      minBuyersPerLine: MIN_BUYERS,
      delayMs: AUDIT_DELAY_MS,
      lines: days
        .flatMap(({ lines }) => lines)
        .map(({ fromMs, untilMs, sku, sales }) => ({
          from: new Date(fromMs).toISOString(),
          until: new Date(untilMs).toISOString(),
          sku: sku ?? 'several',
          sales,
        })),
    }),
  }
}
