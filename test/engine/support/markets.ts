import type { Market } from '../../../ingest/contract/market.ts'
import type { Quote } from '../../../ingest/contract/quote.ts'

const blank = {
  seriesId: null,
  outcome: null,
  yesMeans: null,
  noMeans: null,
  exclusive: false,
  placeholder: false,
  rules: '',
  category: null,
  tags: [],
  strike: null,
  slug: null,
  marketSlug: null,
  tokenId: null,
  openMs: null,
  closeMs: null,
  expectedMs: null,
  gameMs: null,
  fees: null,
} as const

/** A market of venue A; what is not given is unknown. */
export function marketA(marketId: string, title: string, rest: Partial<Market> = {}): Market {
  return {
    ...blank,
    tags: [],
    venue: 'a',
    marketId,
    eventId: `e-${marketId}`,
    eventTitle: title,
    title,
    url: `https://polymarket.com/event/${marketId}`,
    tokenId: `1${marketId.replaceAll(/\D/g, '')}`,
    ...rest,
  }
}

/** A market of venue B; its event ticker is its ticker without the last part when there are three. */
export function marketB(marketId: string, title: string, rest: Partial<Market> = {}): Market {
  const parts = marketId.split('-')
  return {
    ...blank,
    tags: [],
    venue: 'b',
    marketId,
    eventId: parts.length > 2 ? parts.slice(0, -1).join('-') : marketId,
    seriesId: parts[0]!,
    eventTitle: title,
    title,
    url: `https://kalshi.com/markets/${parts[0]!.toLowerCase()}`,
    ...rest,
  }
}

export function quote(
  venue: 'a' | 'b',
  marketId: string,
  bidBps: number | null,
  askBps: number | null,
  rest: Partial<Quote> = {},
): Quote {
  return {
    venue,
    marketId,
    bidBps,
    askBps,
    bidSize: 100,
    askSize: 100,
    lastBps: null,
    previousBps: null,
    changeHourBps: null,
    changeDayBps: null,
    changeWeekBps: null,
    volume24h: 1_000,
    venueMs: null,
    seenMs: 1_000,
    ...rest,
  }
}
