import { isRecord } from '../../../ops/jsonText.ts'
import { figures } from '../fingerprint.ts'
import type { Glance } from '../glance.ts'
import type { EventRows } from '../readPage.ts'
import { createScanner } from '../scan.ts'
import { digest, ID, textOrNull } from '../text.ts'
import { parseInstant } from '../time.ts'
import { type Moving, type RawRow, refusedRow, rowOf } from '../venue.ts'
import type { Series } from './fees.ts'
import { mapMarketB } from './market.ts'
import { mapQuoteB } from './quote.ts'
import { EVENT_B, EventB, FIGURES_B, TEXTS_B } from './wire.ts'

type Around = { event: EventB; seriesId: string | null; series: Series | null; text: number; nowMs: number }

/**
 * One event of venue B → its rows. Pure.
 * @param seriesOf fee terms, category and tags of a series; null when unknown.
 * @param nowMs market clock: whether a fee waiver still holds.
 */
export function readEventB(
  raw: unknown,
  seriesOf: (ticker: string) => Series | null,
  nowMs: number,
): EventRows {
  const markets = isRecord(raw) && Array.isArray(raw.markets) ? raw.markets : []
  const around = readAround(raw, seriesOf, nowMs)
  const rows = markets.map((market) => readMarket(market, around))
  if (around === null)
    return { id: '', rows: rows.length === 0 ? [refusedRow('', 'bad_event')] : rows, text: 0, untilMs: 0 }
  const ends = markets.map((market) => waivedUntilMs(market, nowMs)).filter((ms) => ms !== null)
  const untilMs = ends.length === 0 ? null : Math.min(...ends)
  return { id: around.event.event_ticker, rows, text: around.text, untilMs }
}

function readAround(raw: unknown, seriesOf: (ticker: string) => Series | null, nowMs: number): Around | null {
  const parsed = EventB.safeParse(raw)
  if (!parsed.success || !ID.test(parsed.data.event_ticker)) return null
  const event = parsed.data
  //  old events come without their series, which is the ticker up to its first dash
  const seriesId = textOrNull(event.series_ticker, 200) ?? event.event_ticker.split('-')[0] ?? null
  const series = seriesId === null ? null : seriesOf(seriesId)
  return { event, seriesId, series, text: digest(JSON.stringify([event, series])), nowMs }
}

function readMarket(raw: unknown, around: Around | null): RawRow {
  if (!isRecord(raw)) return refusedRow('', 'bad_row')
  const ticker = raw.ticker
  if (typeof ticker !== 'string' || !ID.test(ticker)) return refusedRow('', 'bad_id')
  if (around === null) return refusedRow(ticker, 'bad_event')
  if (ticker.startsWith('KXMVE') || textOrNull(raw.mve_collection_ticker, 200) !== null)
    return refusedRow(ticker, 'combo')
  if (raw.status !== 'active') return refusedRow(ticker, 'not_tradable')
  const waived = waivedUntilMs(raw, around.nowMs) !== null
  const text = digest(`${around.text}${waived}${figures(raw, TEXTS_B)}`)
  return rowOf(movingOf(raw, ticker), { drop: null, text, market: () => mapMarketB(raw, around, waived) })
}

const movingOf = (raw: Record<string, unknown>, ticker: string): Moving => ({
  marketId: ticker,
  figures: digest(figures(raw, FIGURES_B)),
  venueMs: null, //  updated_time moves with metadata only: venue B gives no clock for its prices
  quote: (seenMs) => mapQuoteB(raw, ticker, seenMs),
})

/** All fields that `readMarket` uses: those that move are read, the others are kept. */
export const GLANCE_B: Glance = {
  event: createScanner({ kept: EVENT_B, read: [], list: 'markets' }),
  market: createScanner({
    kept: [...TEXTS_B, 'status', 'mve_collection_ticker', 'fee_waiver_expiration_time'],
    read: ['ticker', ...FIGURES_B],
    list: null,
  }),
  moving: (raw) => movingOf(raw, raw.ticker as string),
}

/** When the fee waiver that holds now ends: from then on these bytes mean something else. Null: none holds. */
function waivedUntilMs(market: unknown, nowMs: number): number | null {
  const ms = isRecord(market) ? parseInstant(market.fee_waiver_expiration_time) : null
  return ms !== null && ms > nowMs ? ms : null
}
