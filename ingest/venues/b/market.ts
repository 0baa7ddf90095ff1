import type { Market, Strike } from '../../contract/market.ts'
import type { Drop } from '../drop.ts'
import { dropOf } from '../refusal.ts'
import { cleanText, encodeSegment, labelOrNull, textOrNull } from '../text.ts'
import { parseInstant } from '../time.ts'
import type { Refused } from '../venue.ts'
import { feesOf, type Series } from './fees.ts'
import { type EventB, TextsB } from './wire.ts'

const WORDS: Readonly<Record<string, Drop>> = { title: 'bad_title' }

/**
 * Texts and terms of one market → market.
 * @param waived a fee waiver holds now.
 */
export function mapMarketB(
  raw: unknown,
  { event, seriesId, series }: { event: EventB; seriesId: string | null; series: Series | null },
  waived: boolean,
): Market | Refused {
  const parsed = TextsB.safeParse(raw)
  if (!parsed.success) return { drop: dropOf(parsed.error, WORDS) }
  const wire = parsed.data
  if (wire.market_type != null && wire.market_type !== 'binary') return { drop: 'not_binary' }
  const title = cleanText(wire.title, 500)
  if (title === '') return { drop: 'bad_title' }
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
    title,
    outcome,
    yesMeans: null,
    noMeans: null,
    exclusive: event.mutually_exclusive === true,
    placeholder: outcome !== null && /\bTBD\b|\bto be determined\b|^other$/i.test(outcome),
    rules: cleanText(rules.join('\n\n'), 8_000),
    category: series?.category ?? labelOrNull(event.category, 100),
    tags: series?.tags ?? [],
    strike: strikeOf(wire),
    slug: null,
    marketSlug: null,
    url: urlOf(seriesId),
    tokenId: null,
    openMs: parseInstant(wire.open_time),
    closeMs: parseInstant(wire.close_time),
    expectedMs: parseInstant(wire.expected_expiration_time),
    //  occurrence_datetime is not the start: for games it is 3 to 5 hours after the one the ticker names
    gameMs: null,
    fees: feesOf(override, series, waived),
  }
}

const STRIKES = new Set(['greater', 'greater_or_equal', 'less', 'less_or_equal', 'between'])

/** Only thresholds in numbers: "custom" and "structured" name a person or a team and bound nothing. */
function strikeOf(wire: TextsB): Strike | null {
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
