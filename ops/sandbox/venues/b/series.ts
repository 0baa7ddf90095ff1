import { day } from '../generator/calendar.ts'
import { type Answer, type Ask, json } from '../http/answer.ts'
import type { SeriesB, WorldB } from '../world.ts'
import { notFound } from './problem.ts'

const seriesJson = (series: SeriesB) => ({
  additional_prohibitions: null,
  category: series.category,
  contract_terms_url: `https://contracts.invalid/${series.ticker}.pdf`,
  contract_url: `https://contracts.invalid/${series.ticker}-certification.pdf`,
  fee_multiplier: series.feeMultiplier,
  fee_type: series.feeType,
  frequency: series.frequency,
  settlement_sources: [{ name: 'the Associated Press', url: 'https://www.ap.org' }],
  tags: [series.category],
  ticker: series.ticker,
  title: series.title,
})

/** The exchange pauses on Thursdays from 3 to 5 o'clock Eastern time. */
function tradingAt(nowMs: number): boolean {
  const { iso, hourCode } = day(nowMs)
  const thursday = new Date(`${iso}T00:00:00Z`).getUTCDay() === 4
  return !(thursday && (hourCode === '03' || hourCode === '04'))
}

/** Series with their fees, fee changes, and whether trading is on. */
export function seriesRoutes(world: WorldB): (ask: Ask) => Answer | null {
  return ({ path, query, nowMs }) => {
    if (path === '/exchange/status')
      return json({
        exchange_active: true,
        exchange_estimated_resume_time: null,
        trading_active: tradingAt(nowMs),
      })
    if (path === '/series/fee_changes') {
      const historical = query.get('show_historical') === 'true'
      const changes = world.feeChanges(nowMs).filter(({ atMs }) => historical || atMs > nowMs)
      return json({
        series_fee_change_arr: changes.map((change) => ({
          id: change.id,
          series_ticker: change.series,
          fee_type: change.feeType,
          fee_multiplier: change.feeMultiplier,
          scheduled_ts: new Date(change.atMs).toISOString(),
        })),
      })
    }
    if (path === '/series') {
      const category = query.get('category')
      const tags = query.get('tags')?.split(',') ?? null
      const series = world
        .series(nowMs)
        .filter((one) => category === null || one.category === category)
        .filter((one) => tags === null || tags.includes(one.category))
      return json({ series: series.map(seriesJson) })
    }
    const ticker = /^\/series\/([^/]+)$/.exec(path)?.[1]
    if (ticker === undefined) return null
    const series = world.series(nowMs).find((one) => one.ticker === ticker)
    return series === undefined ? notFound() : json({ series: seriesJson(series) })
  }
}
