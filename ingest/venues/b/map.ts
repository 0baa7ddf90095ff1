import { parseScaled } from '../../../ops/units.ts'
import type { Market, Strike } from '../../contract/market.ts'
import type { Quote } from '../../contract/quote.ts'
import type { Drop } from '../drop.ts'
import { figures, isRecord } from '../fingerprint.ts'
import { askBps, bidBps, lastBps, microOfText } from '../price.ts'
import type { EventRows } from '../readPage.ts'
import { dropOf } from '../refusal.ts'
import { cleanText, digest, encodeSegment, ID, textOrNull } from '../text.ts'
import { parseInstant } from '../time.ts'
import type { Mapped, RawRow } from '../venue.ts'
import { feesOf, type Series } from './fees.ts'
import { EventB, FIGURES_B, MarketB, TEXTS_B } from './wire.ts'

type Around = { event: EventB; seriesId: string | null; series: Series | null; text: string; nowMs: number }

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
    return { id: '', rows: rows.length === 0 ? [refusedRow('', 'bad_event')] : rows, lasting: false }
  return { id: around.event.event_ticker, rows, lasting: !markets.some((market) => isWaived(market, nowMs)) }
}

function readAround(raw: unknown, seriesOf: (ticker: string) => Series | null, nowMs: number): Around | null {
  const parsed = EventB.safeParse(raw)
  if (!parsed.success || !ID.test(parsed.data.event_ticker)) return null
  const event = parsed.data
  //  old events come without their series, which is the ticker up to its first dash
  const seriesId = textOrNull(event.series_ticker, 200) ?? event.event_ticker.split('-')[0] ?? null
  const series = seriesId === null ? null : seriesOf(seriesId)
  return { event, seriesId, series, text: JSON.stringify([event, series]), nowMs }
}

function readMarket(raw: unknown, around: Around | null): RawRow {
  if (!isRecord(raw)) return refusedRow('', 'bad_row')
  const ticker = raw.ticker
  if (typeof ticker !== 'string' || !ID.test(ticker)) return refusedRow('', 'bad_id')
  if (around === null) return refusedRow(ticker, 'bad_event')
  if (ticker.startsWith('KXMVE') || textOrNull(raw.mve_collection_ticker, 200) !== null)
    return refusedRow(ticker, 'combo')
  if (raw.status !== 'active') return refusedRow(ticker, 'not_tradable')
  const waived = isWaived(raw, around.nowMs)
  return {
    marketId: ticker,
    drop: null,
    fingerprint: figures(raw, FIGURES_B) + digest(around.text + waived + figures(raw, TEXTS_B)),
    venueMs: null, //  updated_time moves with metadata only: venue B gives no clock for its prices
    map: (seenMs) => mapMarket(raw, around, waived, seenMs),
  }
}

/** A fee waiver that ends later than now: these bytes will mean something else then. */
const isWaived = (market: unknown, nowMs: number): boolean =>
  isRecord(market) && (parseInstant(market.fee_waiver_expiration_time) ?? 0) > nowMs

function refusedRow(marketId: string, drop: Drop): RawRow {
  return { marketId, drop, fingerprint: '', venueMs: null, map: () => ({ drop }) }
}

const WORDS: Readonly<Record<string, Drop>> = {
  title: 'bad_title',
  yes_bid_dollars: 'bad_price',
  yes_ask_dollars: 'bad_price',
  last_price_dollars: 'bad_price',
  previous_price_dollars: 'bad_price',
  yes_bid_size_fp: 'bad_size',
  yes_ask_size_fp: 'bad_size',
  volume_24h_fp: 'bad_volume',
}

function mapMarket(raw: Record<string, unknown>, around: Around, waived: boolean, seenMs: number): Mapped {
  const parsed = MarketB.safeParse(raw)
  if (!parsed.success) return { drop: dropOf(parsed.error, WORDS) }
  const wire = parsed.data
  if (wire.market_type != null && wire.market_type !== 'binary') return { drop: 'not_binary' }
  if (cleanText(wire.title, 500) === '') return { drop: 'bad_title' }
  const bid = microOfText(wire.yes_bid_dollars)
  const ask = microOfText(wire.yes_ask_dollars)
  const last = microOfText(wire.last_price_dollars)
  const previous = microOfText(wire.previous_price_dollars ?? '0')
  const prices = [bid, ask, last, previous]
  if (prices.includes('range')) return { drop: 'bad_price' }
  if (prices.includes('fine')) return { drop: 'price_too_fine' }
  const bidSize = countOf(wire.yes_bid_size_fp)
  const askSize = countOf(wire.yes_ask_size_fp)
  if (bidSize === undefined || askSize === undefined) return { drop: 'bad_size' }
  const volume24h = countOf(wire.volume_24h_fp)
  if (volume24h == null) return { drop: 'bad_volume' }
  //  where sizes are stated they decide whether a side is there: an empty ask reads 1.0000 or 0.0000
  const bidPrice = bidSize === 0 ? null : bidBps(bid as number)
  const askPrice = askSize === 0 ? null : askBps(ask as number)
  const quote: Quote = {
    venue: 'b',
    marketId: wire.ticker,
    bidBps: bidPrice,
    askBps: askPrice,
    bidSize: bidPrice === null ? null : bidSize,
    askSize: askPrice === null ? null : askSize,
    lastBps: lastBps(last as number),
    previousBps: lastBps(previous as number), // 0.0000: no trade older than a day
    changeHourBps: null,
    changeDayBps: null,
    changeWeekBps: null,
    volume24h,
    venueMs: null,
    seenMs,
  }
  return { market: marketOf(wire, around, waived), quote }
}

/** Contracts with two decimals. @returns null when not stated, undefined when unreadable. */
function countOf(text: string | undefined): number | null | undefined {
  if (text === undefined) return null
  const hundredths = parseScaled(text, 2)
  return hundredths === null || hundredths < 0 ? undefined : hundredths / 100
}

function marketOf(wire: MarketB, { event, seriesId, series }: Around, waived: boolean): Market {
  const outcome = textOrNull(wire.yes_sub_title, 300)
  const rules = [wire.rules_primary, wire.rules_secondary].filter((part) => part != null && part !== '')
  const override = {
    type: textOrNull(event.fee_type_override, 100),
    multiplier: event.fee_multiplier_override ?? null,
  }
  return {
    venue: 'b',
    marketId: wire.ticker,
    eventId: event.event_ticker,
    seriesId,
    eventTitle: cleanText(event.title, 500),
    title: cleanText(wire.title, 500),
    outcome,
    yesMeans: null,
    noMeans: null,
    exclusive: event.mutually_exclusive === true,
    placeholder: outcome !== null && /\bTBD\b|\bto be determined\b|^other$/i.test(outcome),
    rules: cleanText(rules.join('\n\n'), 8_000),
    category: series?.category ?? textOrNull(event.category, 100),
    tags: series?.tags ?? [],
    strike: strikeOf(wire),
    slug: null,
    marketSlug: null,
    url: urlOf(seriesId),
    tokenId: null,
    openMs: parseInstant(wire.open_time),
    closeMs: parseInstant(wire.close_time),
    expectedMs: parseInstant(wire.expected_expiration_time),
    gameMs: parseInstant(wire.occurrence_datetime),
    fees: feesOf(override, series, waived),
  }
}

const STRIKES = new Set(['greater', 'greater_or_equal', 'less', 'less_or_equal', 'between'])

/** Only thresholds in numbers: "custom" and "structured" name a person or a team and bound nothing. */
function strikeOf(wire: MarketB): Strike | null {
  const floor = wire.floor_strike ?? null
  const cap = wire.cap_strike ?? null
  if (floor === null && cap === null) return null
  const type = STRIKES.has(wire.strike_type ?? '') ? (wire.strike_type as Strike['type']) : 'other'
  return { type, floor, cap }
}

function urlOf(seriesId: string | null): string {
  const segment = seriesId === null ? null : encodeSegment(seriesId.toLowerCase())
  return segment === null ? 'https://kalshi.com/markets' : `https://kalshi.com/markets/${segment}`
}
