import { figures, isRecord } from '../fingerprint.ts'
import type { EventRows } from '../readPage.ts'
import { digest, ID } from '../text.ts'
import { parseInstant } from '../time.ts'
import { type RawRow, refusedRow } from '../venue.ts'
import { mapMarketA } from './market.ts'
import { mapQuoteA } from './quote.ts'
import { EventA, FIGURES_A, TEXTS_A } from './wire.ts'

/** One event of venue A → its rows. Pure. */
export function readEventA(raw: unknown): EventRows {
  const markets = isRecord(raw) && Array.isArray(raw.markets) ? raw.markets : []
  const event = EventA.safeParse(raw)
  if (!event.success || !ID.test(event.data.id)) {
    const rows = markets.map((market) => readMarket(market, null, ''))
    return { id: '', rows: rows.length === 0 ? [refusedRow('', 'bad_event')] : rows, text: 0, lasting: false }
  }
  const text = JSON.stringify(event.data)
  return {
    id: event.data.id,
    rows: markets.map((market) => readMarket(market, event.data, text)),
    text: digest(text),
    lasting: true,
  }
}

function readMarket(raw: unknown, event: EventA | null, eventText: string): RawRow {
  if (!isRecord(raw)) return refusedRow('', 'bad_row')
  const id = raw.id
  if (typeof id !== 'string' || !ID.test(id)) return refusedRow('', 'bad_id')
  if (event === null) return refusedRow(id, 'bad_event')
  const tradable = raw.active === true && raw.closed === false && raw.acceptingOrders === true
  if (!tradable || raw.enableOrderBook !== true) return refusedRow(id, 'not_tradable')
  const venueMs = parseInstant(raw.updatedAt)
  return {
    marketId: id,
    drop: null,
    figures: digest(figures(raw, FIGURES_A)),
    text: digest(eventText + figures(raw, TEXTS_A)),
    venueMs,
    quote: (seenMs) => mapQuoteA(raw, id, venueMs, seenMs),
    market: () => mapMarketA(raw, event),
  }
}
