import type { FeeTerms, Market } from '../../contract/market.ts'
import type { Quote } from '../../contract/quote.ts'
import type { Drop } from '../drop.ts'
import { figures, isRecord } from '../fingerprint.ts'
import { askBps, bidBps, lastBps, microOfNumber } from '../price.ts'
import type { EventRows } from '../readPage.ts'
import { dropOf } from '../refusal.ts'
import { cleanText, digest, encodeSegment, ID, textOrNull } from '../text.ts'
import { parseInstant } from '../time.ts'
import type { Mapped, RawRow } from '../venue.ts'
import { EventA, FeeScheduleA, FIGURES_A, MarketA, TEXTS_A } from './wire.ts'

/** One event of venue A → its rows. Pure. */
export function readEventA(raw: unknown): EventRows {
  const markets = isRecord(raw) && Array.isArray(raw.markets) ? raw.markets : []
  const event = EventA.safeParse(raw)
  if (!event.success || !ID.test(event.data.id)) {
    const rows = markets.map((market) => readMarket(market, null, ''))
    return { id: '', rows: rows.length === 0 ? [refusedRow('', 'bad_event')] : rows, lasting: false }
  }
  const text = JSON.stringify(event.data)
  return {
    id: event.data.id,
    rows: markets.map((market) => readMarket(market, event.data, text)),
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
  return {
    marketId: id,
    drop: null,
    fingerprint: figures(raw, FIGURES_A) + digest(eventText + figures(raw, TEXTS_A)),
    venueMs: parseInstant(raw.updatedAt),
    map: (seenMs) => mapMarket(raw, event, seenMs),
  }
}

function refusedRow(marketId: string, drop: Drop): RawRow {
  return { marketId, drop, fingerprint: '', venueMs: null, map: () => ({ drop }) }
}

const WORDS: Readonly<Record<string, Drop>> = {
  outcomes: 'not_binary',
  question: 'bad_title',
  bestBid: 'bad_price',
  bestAsk: 'bad_price',
  lastTradePrice: 'bad_price',
  oneHourPriceChange: 'bad_change',
  oneDayPriceChange: 'bad_change',
  oneWeekPriceChange: 'bad_change',
  volume24hr: 'bad_volume',
}

function mapMarket(raw: Record<string, unknown>, event: EventA, seenMs: number): Mapped {
  const parsed = MarketA.safeParse(raw)
  if (!parsed.success) return { drop: dropOf(parsed.error, WORDS) }
  const wire = parsed.data
  const labels = pairOfTexts(wire.outcomes)
  if (labels === null) return { drop: 'not_binary' }
  const title = cleanText(wire.question, 500)
  if (title === '') return { drop: 'bad_title' }
  const prices = [wire.bestBid ?? 0, wire.bestAsk ?? 0, wire.lastTradePrice ?? 0].map(microOfNumber)
  const [bid, ask, last] = prices
  if (bid == null || ask == null || last == null) return { drop: 'price_too_fine' }
  const quote: Quote = {
    venue: 'a',
    marketId: wire.id,
    bidBps: bidBps(bid),
    askBps: askBps(ask),
    bidSize: null, //  the listing states no sizes
    askSize: null,
    lastBps: lastBps(last),
    previousBps: null,
    changeHourBps: changeBps(wire.oneHourPriceChange),
    changeDayBps: changeBps(wire.oneDayPriceChange),
    changeWeekBps: changeBps(wire.oneWeekPriceChange),
    volume24h: wire.volume24hr ?? 0,
    venueMs: parseInstant(wire.updatedAt),
    seenMs,
  }
  return { market: marketOf(wire, event, title, labels), quote }
}

function marketOf(wire: MarketA, event: EventA, title: string, labels: [string, string]): Market {
  const outcome = textOrNull(wire.groupItemTitle, 300)
  const plain = labels[0].toLowerCase() === 'yes' && labels[1].toLowerCase() === 'no'
  const slug = textOrNull(event.slug, 300)
  return {
    venue: 'a',
    marketId: wire.id,
    eventId: event.id,
    seriesId: null,
    eventTitle: cleanText(event.title, 500),
    title,
    outcome,
    yesMeans: plain ? null : textOrNull(labels[0], 300),
    noMeans: plain ? null : textOrNull(labels[1], 300),
    exclusive: event.negRisk === true || event.enableNegRisk === true || wire.negRisk === true,
    placeholder: wire.negRiskOther === true || isPlaceholder(outcome, title),
    rules: cleanText(wire.description, 8_000),
    category: textOrNull(event.category, 100),
    tags: (event.tags ?? [])
      .map((tag) => cleanText(tag.label, 100))
      .filter((tag) => tag !== '')
      .slice(0, 20),
    strike: null, //  the venue states thresholds in prose only
    slug,
    marketSlug: textOrNull(wire.slug, 300),
    url: urlOf(slug),
    tokenId: tokenOf(wire.clobTokenIds),
    openMs: parseInstant(wire.startDate),
    closeMs: parseInstant(wire.endDate),
    expectedMs: null,
    gameMs: parseInstant(wire.gameStartTime),
    fees: feesOf(wire),
  }
}

const changeBps = (dollars: number | undefined): number => Math.round((dollars ?? 0) * 10_000) || 0

/**
 * Seats kept free for names to come: "Person J", "Candidate AB", "Other". Two letters only up to BZ, as far
 * as seats are counted: "Team WE" is a team.
 */
const SEAT =
  '(?:Person|Player|Candidate|Team|Party|Company|Country|Movie|Artist|Club|Driver|Option) (?:[A-Z]|[AB][A-Z])'
const SEAT_ONLY = new RegExp(`^${SEAT}$`)
const SEAT_INSIDE = new RegExp(`\\b${SEAT}\\b(?![.'’])`)
const OPEN_END = /^(?:other|another\b.*|someone else|tbd|to be determined)$/i

const isPlaceholder = (outcome: string | null, title: string): boolean =>
  SEAT_INSIDE.test(title) || (outcome !== null && (SEAT_ONLY.test(outcome) || OPEN_END.test(outcome)))

function pairOfTexts(json: string): [string, string] | null {
  const list = parseList(json)
  if (list?.length !== 2) return null
  const [first, second] = list
  return typeof first === 'string' && typeof second === 'string' ? [first, second] : null
}

function tokenOf(json: string | null | undefined): string | null {
  const first = parseList(json ?? '')?.[0]
  return typeof first === 'string' && /^\d{1,100}$/.test(first) ? first : null
}

function parseList(json: string): unknown[] | null {
  try {
    const list: unknown = JSON.parse(json)
    return Array.isArray(list) ? list : null
  } catch {
    return null
  }
}

/** The event's page: event slugs are steady where market slugs drift. Only the slug comes from the venue. */
function urlOf(slug: string | null): string {
  const segment = slug === null ? null : encodeSegment(slug)
  return segment === null ? 'https://polymarket.com/' : `https://polymarket.com/event/${segment}`
}

/** No schedule, no fee. A schedule we cannot read is charged at the dearest published rate and flagged. */
function feesOf(wire: MarketA): FeeTerms | null {
  if (wire.feesEnabled !== true || wire.feeSchedule === undefined || wire.feeSchedule === null) return null
  const schedule = FeeScheduleA.safeParse(wire.feeSchedule)
  if (!schedule.success) return { rate: 0.07, exponent: 1, rounding: 'a_five_decimals', flagged: true }
  const { rate, exponent } = schedule.data
  return rate === 0 ? null : { rate, exponent, rounding: 'a_five_decimals', flagged: false }
}
