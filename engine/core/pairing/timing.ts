import { Memo } from '../../../ops/memo.ts'
import { type DateMention, type Limit, limitOf, readDates } from './dates.ts'
import { type Day, dayOf, newYorkDay, newYorkMinute, partsOf } from './days.ts'
import type { TickerFacts } from './ticker.ts'
import type { Word } from './words.ts'

/** A year that says which edition is meant; a season also has the year it starts in. */
export type Edition = { year: number; start: number | null }

/** When a question is about: from its words first, then its rules, then its contract. */
export type Timing = {
  limit: Limit | null //        set by title, outcome or event title
  limitInTitle: boolean //      the limit stands in title or outcome, not only in the event title
  openYear: boolean //          the words set a limit but leave the year out ("by March 31")
  editions: readonly Edition[] // years named that limit nothing: the 2028 election, season 2025-26
  impliedYear: number | null // from the ticker
  gameDay: Day | null
  gameMinute: number | null //  New York minutes
  close: { earliest: Day; latest: Day } | null // last days the contract may mean, by its closing time
  closeMs: number | null
  openMs: number | null
}

export type TimingSource = {
  venue: 'a' | 'b'
  core: readonly DateMention[]
  context: readonly DateMention[]
  ticker: TickerFacts | null
  slug: string | null
  closeMs: number | null
  openMs: number | null
  gameMs: number | null
}

/** A title may leave the year out: the one that lies nearest to the closing time is meant. */
export function resolveYear(mention: DateMention, closeMs: number | null): DateMention {
  if (mention.year !== null || closeMs === null) return mention
  const near = partsOf(newYorkDay(closeMs)).year
  if (mention.month === null) return { ...mention, year: near }
  const distance = (year: number) =>
    Math.abs(dayOf(year, mention.month!, mention.day ?? 28) - newYorkDay(closeMs))
  const year = [near - 1, near, near + 1].sort((x, y) => distance(x) - distance(y))[0]!
  //  further off than this the closing time says nothing about the year
  return distance(year) <= 130 ? { ...mention, year } : mention
}

//  There are few distinct limits, editions and closing times: markets share the same objects.
const KNOWN_BOUND = 20_000
const limits = new Memo<Limit>(KNOWN_BOUND)
const editionLists = new Memo<readonly Edition[]>(KNOWN_BOUND)
const closes = new Memo<Timing['close']>(KNOWN_BOUND)

export function readTiming(source: TimingSource): Timing {
  const resolved = source.core.map((mention) => resolveYear(mention, source.closeMs))
  const context = source.context.map((mention) => resolveYear(mention, source.closeMs))
  const isLimit = (mention: DateMention) => mention.relation !== null && mention.relation !== 'after'
  const own = firstLimit(resolved)
  const limit = own ?? firstLimit(context)
  const editions: Edition[] = []
  for (const mention of [...resolved, ...context]) {
    if (mention.year === null || (isLimit(mention) && limitOf(mention)?.kind === 'by')) continue
    if (editions.some(({ year }) => year === mention.year)) continue
    editions.push({ year: mention.year, start: mention.seasonStart })
  }
  const game = gameTime(source, resolved)
  return {
    limit: limit === null ? null : limits.of(`${limit.kind} ${limit.day} ${limit.from}`, () => limit),
    limitInTitle: own !== null,
    openYear:
      limit === null &&
      resolved.some(
        (mention) => mention.year === null && (mention.relation !== null || mention.day !== null),
      ),
    editions: editionLists.of(editions.map(({ year, start }) => `${year} ${start}`).join(), () => editions),
    impliedYear: source.ticker?.year ?? null,
    gameDay: game.day,
    gameMinute: game.minute,
    close: closes.of(`${source.venue}${source.closeMs}`, () => closeDays(source.venue, source.closeMs)),
    closeMs: source.closeMs,
    openMs: source.openMs,
  }
}

/** Do two timings say the same? Equal limits, editions and closing days are the same objects already. */
export function isSameTiming(x: Timing, y: Timing): boolean {
  return (
    x.closeMs === y.closeMs &&
    x.openMs === y.openMs &&
    x.limit === y.limit &&
    x.limitInTitle === y.limitInTitle &&
    x.openYear === y.openYear &&
    x.editions === y.editions &&
    x.impliedYear === y.impliedYear &&
    x.gameDay === y.gameDay &&
    x.gameMinute === y.gameMinute &&
    x.close === y.close
  )
}

/** The first limit the words set; one that names a month takes precedence over a bare year. */
function firstLimit(mentions: readonly DateMention[]): Limit | null {
  const limits = mentions.map(limitOf)
  const precise = limits.findIndex((limit, at) => limit !== null && mentions[at]!.month !== null)
  const at = precise === -1 ? limits.findIndex((limit) => limit !== null) : precise
  const limit = limits[at]
  if (limit === undefined || limit === null) return null
  const start = mentions[at - 1]
  //  "between June 1 and June 30, 2027": the year is said once
  return start?.relation === 'from' && start.month !== null && limit.from === null
    ? { ...limit, from: dayOf(start.year ?? partsOf(limit.day).year, start.month, start.day ?? 1) }
    : limit
}

/**
 * Days a closing time may stand for. Venue A closes on the last day (00:00 UTC of it, or 23:59 in New York);
 * venue B at 23:59 in New York of the last day, or in the morning after it.
 */
function closeDays(venue: 'a' | 'b', closeMs: number | null): { earliest: Day; latest: Day } | null {
  if (closeMs === null) return null
  const local = newYorkDay(closeMs)
  if (venue === 'b')
    return newYorkMinute(closeMs) >= 20 * 60
      ? { earliest: local, latest: local }
      : { earliest: local - 1, latest: local }
  const utc = Math.floor(closeMs / 86_400_000)
  return { earliest: newYorkMinute(closeMs) <= 30 ? local - 1 : local, latest: utc }
}

function gameTime(
  source: TimingSource,
  mentions: readonly DateMention[],
): { day: Day | null; minute: number | null } {
  if (source.ticker !== null) {
    const { isGame, day, minute } = source.ticker
    return isGame ? { day, minute } : { day: null, minute: null }
  }
  if (source.gameMs !== null) return { day: newYorkDay(source.gameMs), minute: newYorkMinute(source.gameMs) }
  const on = mentions.find(({ relation, day, year }) => relation === 'on' && day !== null && year !== null)
  if (on !== undefined) return { day: dayOf(on.year!, on.month!, on.day!), minute: null }
  const slug = /-(20\d{2})-(\d{2})-(\d{2})(?:-|$)/.exec(source.slug ?? '')
  if (slug === null) return { day: null, minute: null }
  return { day: dayOf(Number(slug[1]), Number(slug[2]), Number(slug[3])), minute: null }
}

/** @param words the beginning of a contract's rules. */
export function readRulesLimit(words: readonly Word[], closeMs: number | null): Limit | null {
  const used = new Uint8Array(words.length)
  for (const mention of readDates(words, used)) {
    if (mention.relation !== 'by' && mention.relation !== 'before') continue
    const limit = limitOf(resolveYear(mention, closeMs))
    if (limit !== null) return limit
  }
  return null
}
