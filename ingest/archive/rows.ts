import type { StreamEntry, TableRows } from '../../ops/drainStream.ts'
import { instant } from '../../ops/instant.ts'
import { parseJsonOrNull } from '../../ops/jsonText.ts'
import type { Market } from '../contract/market.ts'
import type { Quote } from '../contract/quote.ts'
import type { Batch, Sweep } from '../contract/stream.ts'
import { type ClosingRow, type MarketRow, type QuoteRow, type SweepRow, TABLES } from '../contract/tables.ts'

type Position = { stream_ms: number; stream_seq: number }

/**
 * Maps one entry of the quote stream to rows of the archive. Pure. Books are not archived: they are many, and the
 * history is read from quotes. @returns null when the entry is not a batch.
 */
export function archiveRows(entry: StreamEntry): TableRows[] | null {
  const batch = parseBatch(entry.fields.batch)
  if (batch === null) return null
  const at: Position = { stream_ms: entry.ms, stream_seq: entry.seq }
  if (batch.kind === 'books') return []
  if (batch.kind === 'sweep') return [{ table: TABLES.sweeps, rows: [sweepRow(batch.sweep, at)] }]
  const closings = batch.closed.map((market_id): ClosingRow => ({ venue: batch.venue, market_id, ...at }))
  return [
    { table: TABLES.markets, rows: batch.markets.map((market) => marketRow(market, at)) },
    { table: TABLES.quotes, rows: batch.quotes.map((quote) => quoteRow(quote, at)) },
    { table: TABLES.closings, rows: closings },
  ]
}

/** The stream is written by this stage, which checked it then: only the outermost shape is checked here. */
function parseBatch(json: string | undefined): Batch | null {
  const batch = parseJsonOrNull(json ?? '') as Batch | null
  if (batch?.kind === 'changes') return Array.isArray(batch.quotes) ? batch : null
  return batch?.kind === 'books' || batch?.kind === 'sweep' ? batch : null
}

const instantOrNull = (ms: number | null): string | null => (ms === null ? null : instant(ms))

function quoteRow(quote: Quote, at: Position): QuoteRow {
  return {
    venue: quote.venue,
    market_id: quote.marketId,
    seen_at: instant(quote.seenMs),
    bid_bps: quote.bidBps,
    ask_bps: quote.askBps,
    bid_size: quote.bidSize,
    ask_size: quote.askSize,
    last_bps: quote.lastBps,
    previous_bps: quote.previousBps,
    change_hour_bps: quote.changeHourBps,
    change_day_bps: quote.changeDayBps,
    change_week_bps: quote.changeWeekBps,
    volume_24h: Math.round(quote.volume24h),
    venue_lag_ms: quote.venueMs === null ? null : quote.seenMs - quote.venueMs,
    stream_lag_ms: at.stream_ms - quote.seenMs,
    ...at,
  }
}

function marketRow(market: Market, at: Position): MarketRow {
  return {
    venue: market.venue,
    market_id: market.marketId,
    event_id: market.eventId,
    series_id: market.seriesId,
    event_title: market.eventTitle,
    title: market.title,
    outcome: market.outcome,
    yes_means: market.yesMeans,
    no_means: market.noMeans,
    exclusive: market.exclusive,
    placeholder: market.placeholder,
    rules: market.rules,
    category: market.category,
    tags: market.tags,
    strike_type: market.strike?.type ?? null,
    strike_floor: market.strike?.floor ?? null,
    strike_cap: market.strike?.cap ?? null,
    slug: market.slug,
    market_slug: market.marketSlug,
    url: market.url,
    token_id: market.tokenId,
    open_at: instantOrNull(market.openMs),
    close_at: instantOrNull(market.closeMs),
    expected_at: instantOrNull(market.expectedMs),
    game_at: instantOrNull(market.gameMs),
    fee_rate: market.fees?.rate ?? null,
    fee_exponent: market.fees?.exponent ?? null,
    fee_rounding: market.fees?.rounding ?? null,
    fee_flagged: market.fees?.flagged ?? null,
    ...at,
  }
}

function sweepRow(sweep: Sweep, at: Position): SweepRow {
  return {
    venue: sweep.venue,
    sweep_id: sweep.sweepId,
    started_at: instant(sweep.startedMs),
    finished_at: instant(sweep.finishedMs),
    changed_at: instant(sweep.changedMs),
    complete: sweep.complete,
    problem: sweep.problem ?? null,
    markets: sweep.markets,
    pages: sweep.pages,
    dropped: sweep.dropped,
    ...at,
  }
}
