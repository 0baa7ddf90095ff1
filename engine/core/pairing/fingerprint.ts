import type { Market } from '../../../ingest/contract/market.ts'
import { Memo, sharedList } from '../../../ops/memo.ts'
import { type Chambers, readChambers } from './chambers.ts'
import { type DateMention, readDates } from './dates.ts'
import { distinct } from './distinct.ts'
import { type GameFacts, readGame } from './game.ts'
import { withoutNote } from './notes.ts'
import { factKey, type NumberFact, readNumbers, withStrike } from './numbers.ts'
import { isOffLine } from './offLine.ts'
import type { RulesFacts } from './rules.ts'
import { isAboutSport, readLabels, sportOfSeries, sportOfSlug } from './sports.ts'
import { leagueOfTeam } from './teams.ts'
import { readTicker, type TickerFacts } from './ticker.ts'
import { readTiming, type Timing } from './timing.ts'
import { readLeague, readSeats, readTokens, type Token } from './tokens.ts'
import { FINE_PRINT, type Vocabulary, WEIGHT } from './vocabulary.ts'
import { readTitle, readWords, type Word } from './words.ts'

/** Why a market cannot be paired at all. */
export type Unreadable = 'placeholder' | 'text_missing' | 'threshold_conflict' | 'side_unclear'

/**
 * What a market asks, in parts that can be compared one by one. Short lists are plain arrays: a typed array costs 200
 * bytes more.
 */
export type Fingerprint = {
  venue: 'a' | 'b'
  marketId: string
  eventId: string
  unreadable: Unreadable | null
  core: readonly number[] //         words of what is asked, each once
  caps: readonly number[] //         where a word of `core` is written as a name: CAPITAL or QUOTED, else 0
  context: readonly number[] //      core, event title, outcome: what may answer for a word of the other side
  unnamed: boolean //                the outcome is named by the ticker only
  facts: readonly string[] //        numbers of the core, sorted
  contextValues: readonly number[]
  contextOrdinals: readonly number[]
  timing: Timing
  ticker: TickerFacts | null
  game: GameFacts | null
  meeting: number | null //          the two sides of a game as one word, in either order
  chambers: Chambers | null //       set when two or more chambers are combined
  sport: boolean | null //           is it about sport? null: nothing says so or against it
  weights: number //                 all weights of the core's words
  roles: Roles | null
  league: string | null //           its teams are read by the names they have there
  market: Market
  rules: RulesFacts | null //        read when first needed
  refused: readonly number[] //      why its proposals were refused and how often, see `Pairer`
}

export const CAPITAL = 1
/** In "The Last Season" every word counts, even one that elsewhere only dresses up a question. */
export const QUOTED = 2

/** Names before and after a verb where it matters who acts on whom. */
export type Roles = { verb: number; before: readonly number[]; after: readonly number[]; passive: boolean }

const OTHER_OUTCOME =
  /^(?:other|another|any other|someone else|somebody else|anyone else|none(?: of .*)?|no one|nobody|field|the field|tbd|tba|person [a-z]|candidate [a-z]|player [a-z]{1,2}|team [a-z]{1,2}|movie [a-z]|company [a-z]|party [a-z])$/i
const QUESTION = /\?\s*$|^\s*(?:will|who|which|what|when|where|how|is|does|did|are|can)\b/i
const OPEN = /^\s*(?:who|which|what|when|where|how)\b/i
const OPEN_END = /^(?!\s*will\b).*\b(?:winner|nominee|champion|leader|mvp)s?\??(?: \([^)]*\)\??)?\s*$/i

/** Pure. The vocabulary numbers the words; fingerprints can be compared only within one vocabulary. */
export function fingerprint(market: Market, vocabulary: Vocabulary): Fingerprint {
  const ticker = market.venue === 'b' ? readTicker(market.marketId, market.eventId) : null
  const slug = market.venue === 'a' ? (market.slug ?? market.marketSlug) : null
  const { eventTitle } = market
  const asked = readAsked(market)
  const { title, outcome, ownOutcome, askedInTitle, text, words: coreWords } = asked
  const notes = asked.notes.trim() === '' ? [] : readWords(asked.notes)
  const contextWords = [...text.event, ...notes, ...text.outcome]
  const league = leagueOf(coreWords, contextWords, ticker, slug, market.tags)

  const core = readText(coreWords, league, vocabulary)
  const context = areSame(contextWords, coreWords) ? core : readText(contextWords, league, vocabulary)
  const numbers = [...core.numbers, ...context.numbers]
  const strike = withStrike(core.numbers, market.strike)
  const tokens = distinct(core.tokens, ticker, vocabulary)
  const ids = tokens.map(({ id }) => id)
  const weights = weighAll(tokens, vocabulary)
  const sport = sportOf(market, ticker, slug)
  const nameless = market.venue === 'b' && namesNothing(title, outcome, eventTitle, text, tokens, vocabulary)
  const game = readGame({
    venue: market.venue,
    title,
    eventTitle,
    outcome: market.outcome,
    yesMeans: market.yesMeans,
    slug: market.slug ?? market.marketSlug,
    ticker,
    tags: market.tags,
  })
  return {
    venue: market.venue,
    marketId: market.marketId,
    eventId: market.eventId,
    unreadable: refuseText(market, outcome, tokens, strike, game),
    core: ids,
    caps: sharedList(tokens.map(({ cap, quoted }) => (quoted ? QUOTED : cap ? CAPITAL : 0))),
    context: contextOf(ids, context.tokens, league, vocabulary),
    unnamed: nameless && ticker?.party == null,
    facts: readFacts(strike ?? core.numbers, (weights & WEIGHT.share) !== 0),
    contextValues: sharedList(numbers.flatMap(({ shape, value }) => (shape === '#' ? [] : [value]))),
    contextOrdinals: sharedList(numbers.flatMap(({ shape, value }) => (shape === '#' ? [value] : []))),
    timing: readTiming({
      venue: market.venue,
      core: core.dates,
      context: context.dates,
      ticker,
      slug,
      closeMs: market.closeMs,
      openMs: market.openMs,
      gameMs: market.gameMs,
    }),
    ticker,
    game,
    meeting: game === null ? null : meetingOf(game, vocabulary),
    chambers: readCombined([title, ownOutcome, askedInTitle ? '' : eventTitle]),
    sport,
    weights,
    roles: readRoles(core.tokens, text.title, vocabulary),
    league,
    market,
    rules: null,
    refused: sharedList([]),
  }
}

type MarketWords = { title: readonly Word[]; outcome: readonly Word[]; event: readonly Word[] }

/** The words in which a market asks: its title, then the outcome and the event's title where those belong to it. */
export type Asked = {
  words: readonly Word[]
  outcomeAt: readonly [number, number] // where the outcome stands in `words`
  title: string
  outcome: string
  ownOutcome: string // '' when the title says it already
  askedInTitle: boolean
  notes: string
  text: MarketWords
}

/** The question in plain words. */
export const askedText = ({ market }: Pick<Fingerprint, 'market'>): string =>
  readAsked(market)
    .words.map(({ text }) => text)
    .join(' ')

export function readAsked(market: Market): Asked {
  const [title, titleNote] = withoutNote(market.title)
  const [outcome, outcomeNote] = withoutNote(market.outcome ?? '')
  const askedInTitle = QUESTION.test(title)
  const ownOutcome = (market.venue === 'b' || !askedInTitle) && !sameText(outcome, title) ? outcome : ''
  const titleWords = readWords(title)
  const text = {
    title: titleWords,
    outcome: outcomes.of(outcome, readWords),
    event: market.eventTitle === title ? titleWords : readTitle(market.eventTitle),
  }
  const own = ownOutcome === '' ? [] : text.outcome
  return {
    words: [...text.title, ...own, ...(askedInTitle ? [] : text.event)],
    outcomeAt: [text.title.length, text.title.length + own.length],
    title,
    outcome,
    ownOutcome,
    askedInTitle,
    notes: `${titleNote} ${outcomeNote}`,
    text,
  }
}

//  Over and under, names, numbers: many events have the same outcomes.
const outcomes = new Memo<readonly Word[]>(5_000)

function readCombined(parts: readonly string[]): Chambers | null {
  const text = parts.filter((part) => part !== '').join(' | ')
  return /\bsenate\b/i.test(text) ? readChambers(text) : null
}

const areSame = (x: readonly Word[], y: readonly Word[]): boolean =>
  x.length === y.length && x.every((word, at) => word === y[at])

type TextFacts = { tokens: Token[]; dates: DateMention[]; numbers: NumberFact[] }

function readText(words: readonly Word[], league: string | null, vocabulary: Vocabulary): TextFacts {
  const used = new Uint8Array(words.length)
  skipSponsors(words, used)
  const seats = readSeats(words, used, vocabulary)
  const dates = readDates(words, used)
  const tokens = readTokens(words, used, vocabulary, league)
  //  a phrase such as "first round" or a team such as the 49ers has taken its number
  const numbers = readNumbers(words, used)
  return { tokens: [...seats, ...tokens], dates, numbers }
}

/** @param ofShare true for what is measured in per cent: "above 42" and "above 42%" are then the same. */
function readFacts(numbers: readonly NumberFact[], ofShare: boolean): readonly string[] {
  const keys = numbers.map((fact) => factKey(ofShare && fact.unit === '%' ? { ...fact, unit: '' } : fact))
  return sharedList([...new Set(keys)].sort())
}

/** Uses the last word of each side: both venues write surnames, one of them leaves out given names. */
function meetingOf({ sides: [first, second] }: GameFacts, vocabulary: Vocabulary): number | null {
  if (second === null) return null
  return vocabulary.id(`meeting:${[first.words.at(-1)!, second.words.at(-1)!].sort().join(':')}`)
}

/** Whether somebody says "recession" does not depend on a recession. */
function weighAll(tokens: readonly Token[], vocabulary: Vocabulary): number {
  const weights = tokens.reduce((all, { id }) => all | vocabulary.weight(id), 0)
  return tokens.some(({ id }) => vocabulary.words[id] === 'say') ? weights & ~FINE_PRINT : weights
}

/**
 * The league that a ticker or slug names counts as said, even where the title leaves it out. Returns the core itself
 * when nothing is added.
 */
function contextOf(
  core: readonly number[],
  around: readonly Token[],
  league: string | null,
  vocabulary: Vocabulary,
): readonly number[] {
  const ids = [...core]
  for (const { id } of around) if (!ids.includes(id)) ids.push(id)
  if (league !== null && !ids.includes(vocabulary.id(league))) ids.push(vocabulary.id(league))
  return ids.length === core.length ? core : ids.slice() //  a copy has no room to grow
}

/** "presented by Workday" */
function skipSponsors(words: readonly Word[], used: Uint8Array): void {
  for (let at = 0; at + 2 < words.length; at++) {
    if (words[at]!.text !== 'presented' || words[at + 1]!.text !== 'by') continue
    let end = at + 2
    while (end < words.length && words[end]!.cap && end < at + 5) end++
    used.fill(1, at, end)
  }
}

function sameText(x: string, y: string): boolean {
  return x.trim().toLowerCase() === y.trim().toLowerCase()
}

/** Does only the ticker tell which outcome of an open question this is? */
function namesNothing(
  title: string,
  outcome: string,
  eventTitle: string,
  text: MarketWords,
  tokens: readonly Token[],
  vocabulary: Vocabulary,
): boolean {
  const untitled = title.trim() === ''
  const asked = untitled ? eventTitle : title
  if (!OPEN.test(asked) && !OPEN_END.test(asked)) return false
  if (outcome.trim() === '' || sameText(outcome, title)) return true
  const own = untitled ? text.event : text.title
  const known = new Set(readTokens(own, new Uint8Array(own.length), vocabulary).map(({ id }) => id))
  return (
    tokens.every(({ id }) => known.has(id)) &&
    !text.outcome.some(({ value, text }) => value !== null || text === 'before' || text === 'yes')
  )
}

function refuseText(
  market: Market,
  outcome: string,
  tokens: readonly Token[],
  strike: unknown,
  game: GameFacts | null,
): Unreadable | null {
  if (market.placeholder || OTHER_OUTCOME.test(outcome.trim()) || OTHER_OUTCOME.test(market.title.trim()))
    return 'placeholder'
  if (strike === null || isOffLine(market)) return 'threshold_conflict'
  //  outcome 0 is neither "Yes" nor a side of a game: Up, Under, a range. The title does not say what yes means
  if (market.venue === 'a' && market.yesMeans !== null && game === null && !isOver(market))
    return 'side_unclear'
  return tokens.length === 0 && game === null ? 'text_missing' : null
}

/** "Points O/U 25.5": its outcomes are called Over and Under, and Over is what the title is read as. */
const isOver = ({ title, yesMeans }: Market): boolean =>
  /^over\b/i.test(yesMeans ?? '') && /\bo\/u \d/i.test(title)

function leagueOf(
  core: readonly Word[],
  context: readonly Word[],
  ticker: TickerFacts | null,
  slug: string | null,
  tags: readonly string[],
): string | null {
  const named = readLeague(core) ?? readLeague(context)
  if (named !== null) return named
  const series = /^KX(?:LEADER)?(NFL|MLB|NBA|NHL|WNBA|F1|SB(?=-|$))/
    .exec(ticker?.series ?? '')?.[1]
    ?.toLowerCase()
  if (series !== undefined) return series === 'sb' ? 'nfl' : series
  const ofSlug = /^(nfl|mlb|nba|nhl|wnba)-/.exec(slug ?? '')?.[1]
  return ofSlug ?? readLabels(tags).league ?? leagueOfTeam(core)
}

function sportOf(market: Market, ticker: TickerFacts | null, slug: string | null): boolean | null {
  if (sportOfSlug(slug) !== null || (ticker !== null && sportOfSeries(ticker.series) !== null)) return true
  return isAboutSport(market.category, market.tags)
}

/** The names before and after the verb in the title, for verbs where that matters. */
function readRoles(all: readonly Token[], words: readonly Word[], vocabulary: Vocabulary): Roles | null {
  const tokens = all.filter(({ at }) => at < words.length)
  const verb = tokens.find(({ id }) => (vocabulary.weight(id) & WEIGHT.transitive) !== 0)
  if (verb === undefined) return null
  const side = (wanted: (token: Token) => boolean) =>
    tokens.filter((token) => token.cap && wanted(token)).map(({ id }) => id)
  const after = side(({ at }) => at > verb.at)
  return {
    verb: verb.id,
    before: side(({ at }) => at < verb.at),
    after,
    passive: isPassive(words, verb.at, after.length === 0),
  }
}

/** "be acquired", "receive a pardon": the name before the verb is acted upon. */
function isPassive(words: readonly Word[], at: number, alone: boolean): boolean {
  const participle = /(?:ed|sued|beaten|struck|hit)$/.test(words[at]!.text)
  if (alone && participle) return true //  "X arrested before 2027?"
  const before = words.slice(Math.max(0, at - 3), at).map(({ text }) => text)
  if (before.some((text) => /^(?:receives?|gets?|granted|given)$/.test(text))) return true
  return before.some((text) => /^(?:be|is|been|being)$/.test(text)) && participle
}
