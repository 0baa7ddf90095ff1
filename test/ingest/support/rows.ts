import type { Market } from '../../../ingest/contract/market.ts'
import type { Quote } from '../../../ingest/contract/quote.ts'
import { readEventA } from '../../../ingest/venues/a/map.ts'
import type { Series } from '../../../ingest/venues/b/fees.ts'
import { readEventB } from '../../../ingest/venues/b/map.ts'
import type { Drop, DropCounts } from '../../../ingest/venues/drop.ts'
import { countDrop } from '../../../ingest/venues/drop.ts'
import type { Page, RawRow } from '../../../ingest/venues/venue.ts'

export const SEEN_MS = Date.UTC(2026, 7, 22, 1, 12, 21)

export const readEventsA = (events: unknown[]): RawRow[] => events.flatMap((event) => readEventA(event).rows)

export const readEventsB = (
  events: unknown[],
  seriesOf: (ticker: string) => Series | null = () => null,
  nowMs = SEEN_MS,
): RawRow[] => events.flatMap((event) => readEventB(event, seriesOf, nowMs).rows)

/** A page of one event that was parsed. */
export const pageOf = (rows: RawRow[]): Page => ({
  bytes: 0,
  events: [{ id: 'e', rows, kept: [], sizes: null, text: 0, untilMs: null, crc: 0, length: 0, terms: 0 }],
  next: null,
})

export type Row = { market: Market; quote: Quote }

/** Maps every row. @returns the mapped ones, and how many were dropped for which reason. */
export function mapAll(rows: RawRow[], seenMs = SEEN_MS): { rows: Row[]; drops: DropCounts } {
  const mapped: Row[] = []
  const drops: DropCounts = {}
  for (const row of rows) {
    const [market, quote] = [row.market(), row.quote(seenMs)]
    if ('drop' in quote) countDrop(drops, quote.drop)
    else if ('drop' in market) countDrop(drops, market.drop)
    else mapped.push({ market, quote })
  }
  return { rows: mapped, drops }
}

/** Maps the only row of a page. */
export function mapOne(rows: RawRow[], seenMs = SEEN_MS): Row | Drop {
  if (rows.length !== 1) throw new Error(`one row expected, not ${rows.length}`)
  const { rows: mapped, drops } = mapAll(rows, seenMs)
  return mapped[0] ?? (Object.keys(drops)[0] as Drop)
}

export const marketA = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  id: '540816',
  question: 'Fed decreases interest rates by 25 bps after December 2026 meeting?',
  slug: 'fed-decreases-interest-rates-by-25-bps-213',
  groupItemTitle: '25 bps decrease',
  outcomes: '["Yes", "No"]',
  clobTokenIds: '["65193234666628291664907888364936366210889305490897648116746073820519263548476", "1"]',
  bestBid: 0.42,
  bestAsk: 0.44,
  lastTradePrice: 0.43,
  active: true,
  closed: false,
  acceptingOrders: true,
  enableOrderBook: true,
  updatedAt: '2026-08-22T01:12:20.5Z',
  endDate: '2026-12-09T00:00:00Z',
  ...fields,
})

export const eventA = (
  markets: unknown[],
  fields: Record<string, unknown> = {},
): Record<string, unknown> => ({
  id: '35090',
  slug: 'fed-decision-in-december',
  title: 'Fed decision in December?',
  enableNegRisk: true,
  tags: [{ label: 'Economy' }, { label: 'Fed Rates' }],
  markets,
  ...fields,
})

export const marketB = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  ticker: 'KXFEDDECISION-26DEC-C25',
  event_ticker: 'KXFEDDECISION-26DEC',
  market_type: 'binary',
  title: 'Will the Federal Reserve cut rates by 25bps at their December 2026 meeting?',
  yes_sub_title: 'Cut 25bps',
  status: 'active',
  yes_bid_dollars: '0.4100',
  yes_ask_dollars: '0.4300',
  yes_bid_size_fp: '1200.00',
  yes_ask_size_fp: '88.50',
  last_price_dollars: '0.4200',
  previous_price_dollars: '0.4000',
  volume_24h_fp: '10250.25',
  close_time: '2026-12-09T18:59:00Z',
  ...fields,
})

export const eventB = (
  markets: unknown[],
  fields: Record<string, unknown> = {},
): Record<string, unknown> => ({
  event_ticker: 'KXFEDDECISION-26DEC',
  series_ticker: 'KXFEDDECISION',
  title: 'Fed decision in December 2026?',
  category: 'Economics',
  mutually_exclusive: true,
  markets,
  ...fields,
})
