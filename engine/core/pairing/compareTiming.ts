import { DAY } from '../../../ops/units.ts'
import type { Limit } from './dates.ts'
import { dayOf, newYorkDay, partsOf } from './days.ts'
import type { Fingerprint } from './fingerprint.ts'
import type { RulesFacts } from './rules.ts'
import { playsDaily, sportOfSeries } from './sports.ts'
import type { Edition, Timing } from './timing.ts'
import { type Judgement, refuse } from './verdict.ts'
import { WEIGHT } from './vocabulary.ts'

/** Questions without a date of their own belong together when their contracts end this close to each other. */
const SAME_SEASON_MS = 120 * DAY
/** Contracts of one season end within this time of each other, however late each venue closes. */
const SAME_SEASON_END_MS = 250 * DAY
/**
 * A question about one year counts from its first day; a contract that opened more than this before it also counts
 * earlier events.
 */
const OPENED_EARLY_MS = 45 * DAY

type Rules = () => readonly [RulesFacts, RulesFacts]

/**
 * Do both questions end on the same day? A scheduled event (an election, a cup) is identified by its edition, and its
 * contract may close at any time; for everything else the last day is part of the question, and is read from title,
 * then rules, then the closing time. Closing times never override words.
 */
export function compareTiming(a: Fingerprint, b: Fingerprint, rules: Rules): Judgement {
  if (b.ticker?.isGame) return compareGameDay(a, b)
  const scheduled =
    ((a.weights | b.weights) & WEIGHT.scheduled) !== 0 && ((a.weights | b.weights) & WEIGHT.delicate) === 0
  const editions = refuseEditions(a.timing, b.timing)
  if (editions !== null) return editions
  return scheduled ? compareScheduled(a, b) : compareOpenEnded(a, b, rules)
}

/** The market of B is bound to one game: A must be about a game of that day. */
function compareGameDay(a: Fingerprint, b: Fingerprint): Judgement {
  const day = b.timing.gameDay
  if (day === null) return refuse('unreadable', 'game_day_unknown')
  const slack = playsDaily(sportOfSeries(b.ticker!.series)) ? 0 : 1
  if (a.timing.gameDay === null) return refuse('unreadable', 'game_day_unknown')
  if (Math.abs(a.timing.gameDay - day) > slack) return refuse('related', 'game_day')
  return isOtherGame(a, b)
    ? refuse('related', 'doubleheader')
    : { verdict: 'identity', reasons: ['same_edition'] }
}

/**
 * A player plays both games of a day. The game numbers must agree, unless only one side states one and both tell the
 * hour; hours must agree where both tell them.
 */
function isOtherGame(a: Fingerprint, b: Fingerprint): boolean {
  const { title, slug, marketSlug } = a.market
  const numberA = /\bgame[ -]([12])\b/i.exec(`${title} ${slug ?? ''} ${marketSlug ?? ''}`)?.[1]
  const numberB = b.ticker!.gameNumber?.toString()
  const [minuteA, minuteB] = [a.timing.gameMinute, b.timing.gameMinute]
  const timed = minuteA !== null && minuteB !== null
  if (numberA !== numberB && !(timed && (numberA === undefined || numberB === undefined))) return true
  return timed && Math.abs(minuteA - minuteB) > (numberA === numberB ? 90 : 45)
}

function compareScheduled(a: Fingerprint, b: Fingerprint): Judgement {
  const [limitA, limitB] = [binding(a.timing.limit), binding(b.timing.limit)]
  if (limitA !== null && limitB !== null)
    return sameLimit(limitA, limitB)
      ? { verdict: 'identity', reasons: ['same_limit'] }
      : refuse('related', 'limit')
  //  "by December 1" of an unknown year
  if (a.timing.openYear || b.timing.openYear) return refuse('unreadable', 'limit_unknown')
  const limit = limitA ?? limitB
  if (limit !== null) {
    const other = limitA === null ? a : b
    const held = heldBy(limit, other)
    if (held !== null) return held
  }
  if (a.timing.editions.length === 0 && b.timing.editions.length === 0) {
    if (limit === null && ((a.weights | b.weights) & WEIGHT.recurring) !== 0)
      return compareCloses(a.timing, b.timing)
    const apart = seasonsApart(a.timing, b.timing)
    if (apart !== null) return apart
  }
  return { verdict: 'identity', reasons: ['same_edition'] }
}

/** "In 2026" names the edition of a scheduled event and limits nothing. */
function binding(limit: Limit | null): Limit | null {
  return limit !== null && limit.kind === 'by' && isCalendarYear(limit) ? null : limit
}

/** One side of a scheduled event sets a limit: the other must agree by its ticker or its closing time. */
function heldBy(limit: Limit, other: Fingerprint): Judgement | null {
  const { ticker, timing } = other
  if (limit.kind === 'month')
    return ticker?.month?.last === limit.day ? null : refuse('related', 'limit_unknown')
  //  "by the December meeting" is not all of the year that ends in that month
  if (limit.kind === 'unclear') return refuse('related', 'limit_unknown')
  if (ticker?.day != null && (ticker.day === limit.day || ticker.day === limit.day + 1)) return null
  const yearEnd = partsOf(limit.day)
  const year = timing.editions[0]?.year ?? timing.impliedYear
  if (limit.kind === 'by' && yearEnd.month === 12 && yearEnd.day === 31 && year === yearEnd.year) return null
  if (timing.close !== null && timing.close.earliest <= limit.day && limit.day <= timing.close.latest)
    return null
  return refuse('related', 'limit_unknown')
}

function isCalendarYear({ from, day }: Limit): boolean {
  return from !== null && from === dayOf(partsOf(day).year, 1, 1)
}

function seasonsApart(a: Timing, b: Timing): Judgement | null {
  if (a.closeMs === null || b.closeMs === null) return null
  if (Math.abs(a.closeMs - b.closeMs) <= SAME_SEASON_MS) return null
  return b.impliedYear === yearOf(a.closeMs) ? null : refuse('related', 'year')
}

function compareOpenEnded(a: Fingerprint, b: Fingerprint, rules: Rules): Judgement {
  const [rulesA, rulesB] = rules()
  const [limitA, limitB] = [a.timing.limit ?? rulesA.limit, b.timing.limit ?? rulesB.limit]
  if (limitB !== null && contradicts(limitB, b)) return refuse('unreadable', 'limit_conflict')
  if (conflicts(a.timing.limit, rulesA.limit) || conflicts(b.timing.limit, rulesB.limit))
    return refuse('unreadable', 'limit_conflict')
  if (limitA !== null && limitB !== null) {
    if (!sameLimit(limitA, limitB)) return refuse('related', 'limit')
    if (countsEarlier(limitA, limitB, b.timing) || countsEarlier(limitB, limitA, a.timing))
      return refuse('related', 'window')
    return { verdict: 'identity', reasons: ['same_limit'] }
  }
  const [one, other] = limitA === null ? [limitB, a.timing] : [limitA, b.timing]
  if (
    one === null &&
    (a.weights & b.weights & WEIGHT.quarter) !== 0 &&
    a.timing.editions.length > 0 &&
    b.timing.editions.length > 0
  )
    return { verdict: 'identity', reasons: ['same_edition'] }
  if (one === null) return compareCloses(a.timing, b.timing)
  if (other.openYear || other.close === null) return refuse('unreadable', 'limit_unknown')
  if (one.kind !== 'by') return refuse('related', 'limit_unknown')
  return other.close.earliest <= one.day && one.day <= other.close.latest
    ? { verdict: 'identity', reasons: ['same_close'] }
    : refuse('related', 'limit')
}

function compareCloses(a: Timing, b: Timing): Judgement {
  if (a.close === null || b.close === null || a.openYear || b.openYear)
    return refuse('unreadable', 'limit_unknown')
  return a.close.earliest <= b.close.latest && b.close.earliest <= a.close.latest
    ? { verdict: 'identity', reasons: ['same_close'] }
    : refuse('related', 'limit')
}

function sameLimit(x: Limit, y: Limit): boolean {
  return x.kind === y.kind && x.day === y.day
}

function conflicts(words: Limit | null, rules: Limit | null): boolean {
  return (
    words !== null && rules !== null && words.kind === 'by' && rules.kind === 'by' && words.day !== rules.day
  )
}

/** Markets of one event may share the title "this year": the end of the ticker tells which of them is over in June. */
function contradicts({ kind, day }: Limit, { ticker }: Fingerprint): boolean {
  const deadline = ticker?.deadline ?? null
  return deadline !== null && kind === 'by' && (day < deadline.first - 1 || deadline.last < day)
}

/** "In 2027" against a contract that has counted since 2025; "from June 4" against one that has since June 1. */
function countsEarlier(own: Limit, other: Limit, timing: Timing): boolean {
  return (
    own.from !== null &&
    (other.from === null
      ? timing.openMs === null
        ? !isCalendarYear(own)
        : own.from * DAY - timing.openMs > (isCalendarYear(own) ? OPENED_EARLY_MS : DAY)
      : other.from < own.from)
  )
}

/** Editions named on one side must be the ones of the other: 2026 against 2028, season 2025-26 against 2024-25. */
function refuseEditions(a: Timing, b: Timing): Judgement | null {
  for (const [own, other] of [
    [a, b],
    [b, a],
  ] as const)
    for (const edition of named(own)) if (!fits(edition, other, own)) return refuse('related', 'year')
  return null
}

/** "In 2026" limits a question and names an edition at once. */
function named({ editions, limit, limitInTitle }: Timing): readonly Edition[] {
  return limit !== null && limitInTitle && limit.kind === 'by' && limit.from !== null
    ? [...editions, { year: partsOf(limit.day).year, start: null }]
    : editions
}

function fits({ year, start }: Edition, other: Timing, own: Timing): boolean {
  const means = (candidate: number | null) =>
    candidate !== null && (candidate === year || candidate === start)
  //  two seasons must be the same one; a season and a year share either of its years
  if (
    other.editions.some((edition) =>
      start !== null && edition.start !== null
        ? year === edition.year
        : means(edition.year) || means(edition.start),
    )
  )
    return true
  if (other.limit !== null && means(partsOf(other.limit.day).year)) return true
  if (other.editions.length > 0) return false
  //  a ticker may count a season by the year it starts in: then the contracts end in one season
  if (other.impliedYear !== null)
    return other.impliedYear === year || (other.impliedYear === start && endTogether(own, other))
  return other.closeMs !== null && means(yearOf(other.closeMs))
}

function endTogether(x: Timing, y: Timing): boolean {
  return x.closeMs === null || y.closeMs === null || Math.abs(x.closeMs - y.closeMs) <= SAME_SEASON_END_MS
}

function yearOf(ms: number): number {
  return partsOf(newYorkDay(ms)).year
}
