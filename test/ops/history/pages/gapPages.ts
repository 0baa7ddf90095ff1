import type { PairStory, Top } from './gapStory.ts'

const CLOSE_MS = Math.floor(Date.now() / 1_000) * 1_000 + 90 * 86_400_000
const iso = (ms: number) => new Date(ms).toISOString()
const dollars = (bps: number | null, none: string) => (bps === null ? none : (bps / 10_000).toFixed(4))
export const CATEGORY = `Poli"tics, 'x' \\N`
/** Its prices tell which round has been looked at. */
export const MARKER: PairStory = {
  place: 'Bhutan',
  pairId: 'a:99|b:KXVISIT-27JUN30-BHUTAN',
  hoursApart: 0,
  rate: 0,
  rounds: [],
}
export const markerAt = (round: number): { a: Top; b: Top } => ({
  a: { bid: 3_000, ask: 3_100 + 2 * Math.floor(round / 2) },
  b: { bid: 3_300 + 2 * Math.floor((round + 1) / 2), ask: 3_400 },
})

export const titleOf = (place: string) => `Will Ola Berg visit ${place} by June 30, 2027?`
export function pageA(stories: readonly PairStory[], round: number) {
  return stories.map(({ place, pairId, hoursApart, rate, rounds }) => {
    const { a, isClosed } = rounds[round] ?? { ...markerAt(round), isClosed: false }
    const market = {
      id: pairId.slice(2, pairId.indexOf('|')),
      question: titleOf(place),
      description: 'Yes if it happens.',
      outcomes: '["Yes", "No"]',
      bestBid: (a.bid ?? 0) / 10_000,
      bestAsk: (a.ask ?? 0) / 10_000,
      volume24hr: 1_000.5,
      active: true,
      closed: isClosed,
      acceptingOrders: true,
      enableOrderBook: true,
      endDate: hoursApart === null ? undefined : iso(CLOSE_MS - hoursApart * 3_600_000),
      feesEnabled: rate > 0,
      feeSchedule: { rate: rate / 1_000, exponent: 1 },
    }
    return { id: `e-${place}`, title: titleOf(place), category: CATEGORY, markets: [market] }
  })
}
export function pageB(stories: readonly PairStory[], round: number) {
  return stories.map(({ place, pairId, rounds }) => {
    const { b } = rounds[round] ?? markerAt(round)
    const market = {
      ticker: pairId.slice(pairId.indexOf('|b:') + 3),
      market_type: 'binary',
      title: titleOf(place),
      rules_primary: 'Yes if it happens.',
      status: 'active',
      yes_bid_dollars: dollars(b.bid, '0.0000'),
      yes_ask_dollars: dollars(b.ask, '1.0000'),
      last_price_dollars: '0.0000',
      volume_24h_fp: '12.34',
      close_time: iso(CLOSE_MS),
    }
    return {
      event_ticker: `KXVISIT-${place.toUpperCase()}`,
      series_ticker: 'KXVISIT',
      title: titleOf(place),
      markets: [market],
    }
  })
}
