import { isRecord } from '../../../ops/jsonText.ts'
import { figures } from '../fingerprint.ts'
import type { Glance } from '../glance.ts'
import type { EventRows } from '../readPage.ts'
import { createScanner } from '../scan.ts'
import { digest, ID } from '../text.ts'
import { parseInstant } from '../time.ts'
import { type Moving, type RawRow, refusedRow, rowOf } from '../venue.ts'
import { mapMarketA } from './market.ts'
import { mapQuoteA } from './quote.ts'
import { EVENT_A, EventA, FIGURES_A, TEXTS_A } from './wire.ts'

/** One event of venue A → its rows. Pure. */
export function readEventA(raw: unknown): EventRows {
  const markets = isRecord(raw) && Array.isArray(raw.markets) ? raw.markets : []
  const event = EventA.safeParse(raw)
  if (!event.success || !ID.test(event.data.id)) {
    const rows = markets.map((market) => readMarket(market, null, 0))
    return { id: '', rows: rows.length === 0 ? [refusedRow('', 'bad_event')] : rows, text: 0, untilMs: 0 }
  }
  const text = digest(JSON.stringify(event.data))
  return {
    id: event.data.id,
    rows: markets.map((market) => readMarket(market, event.data, text)),
    text,
    untilMs: null,
  }
}

function readMarket(raw: unknown, event: EventA | null, eventText: number): RawRow {
  if (!isRecord(raw)) return refusedRow('', 'bad_row')
  const id = raw.id
  if (typeof id !== 'string' || !ID.test(id)) return refusedRow('', 'bad_id')
  if (event === null) return refusedRow(id, 'bad_event')
  const tradable = raw.active === true && raw.closed === false && raw.acceptingOrders === true
  if (!tradable || raw.enableOrderBook !== true) return refusedRow(id, 'not_tradable')
  const text = digest(`${eventText}${figures(raw, TEXTS_A)}`)
  return rowOf(movingOf(raw, id), { drop: null, text, market: () => mapMarketA(raw, event) })
}

function movingOf(raw: Record<string, unknown>, id: string): Moving {
  const venueMs = parseInstant(raw.updatedAt)
  return {
    marketId: id,
    figures: digest(figures(raw, FIGURES_A)),
    venueMs,
    quote: (seenMs) => mapQuoteA(raw, id, venueMs, seenMs),
  }
}

/** All fields that `readMarket` uses: those that move are read, the others are kept. */
export const GLANCE_A: Glance = {
  event: createScanner({ kept: EVENT_A, read: [], list: 'markets' }),
  market: createScanner({
    kept: [...TEXTS_A, 'active', 'closed', 'acceptingOrders', 'enableOrderBook'],
    read: ['id', 'updatedAt', ...FIGURES_A],
    list: null,
  }),
  moving: (raw) => movingOf(raw, raw.id as string),
}
