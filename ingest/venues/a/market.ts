import { parseJsonOrNull } from '../../../ops/jsonText.ts'
import type { FeeTerms, Market } from '../../contract/market.ts'
import type { Drop } from '../drop.ts'
import { dropOf } from '../refusal.ts'
import { cleanText, encodeSegment, labelOrNull, textOrNull } from '../text.ts'
import { parseInstant } from '../time.ts'
import type { Refused } from '../venue.ts'
import { type EventA, FeeScheduleA, TextsA } from './wire.ts'

const WORDS: Readonly<Record<string, Drop>> = { outcomes: 'not_binary', question: 'bad_title' }

/** Maps texts and terms of one market to a market. */
export function mapMarketA(raw: unknown, event: EventA): Market | Refused {
  const parsed = TextsA.safeParse(raw)
  if (!parsed.success) return { drop: dropOf(parsed.error, WORDS) }
  const wire = parsed.data
  const labels = pairOfTexts(wire.outcomes)
  if (labels === null) return { drop: 'not_binary' }
  const title = cleanText(wire.question, 500)
  if (title === '') return { drop: 'bad_title' }
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
    category: labelOrNull(event.category, 100),
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
  const list = parseJsonOrNull(json)
  return Array.isArray(list) ? list : null
}

/** The event's page: event slugs are steady where market slugs drift. Only the slug comes from the venue. */
function urlOf(slug: string | null): string {
  const segment = slug === null ? null : encodeSegment(slug)
  return segment === null ? 'https://polymarket.com/' : `https://polymarket.com/event/${segment}`
}

/**
 * There is no fee when fees are off or no schedule is given. An unreadable schedule is charged at the dearest published
 * rate and flagged.
 */
function feesOf({ feesEnabled, feeSchedule }: TextsA): FeeTerms | null {
  if (feesEnabled === false || feeSchedule == null) return null
  const schedule = FeeScheduleA.safeParse(feeSchedule)
  if (!schedule.success) return { rate: 0.07, exponent: 1, rounding: 'a_five_decimals', flagged: true }
  const { rate, exponent } = schedule.data
  return rate === 0 ? null : { rate, exponent, rounding: 'a_five_decimals', flagged: false }
}
