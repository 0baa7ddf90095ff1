import { Memo } from '../../../ops/memo.ts'
import { fold } from './fold.ts'
import { asksMore, asksWhoAdvances, withoutAdvance } from './plainResult.ts'
import { readSegment, readUnit, segmentOfSeries } from './segments.ts'
import { unsaid } from './series.ts'
import { nameSide, type Side, sideOfName } from './sides.ts'
import { hasNoDraw, mayEndLevel, readLabels, type Sport, sportOfSeries, sportOfSlug } from './sports.ts'
import type { TickerFacts } from './ticker.ts'

/** One meeting of two sides, and what is asked about it. */
export type GameFacts = {
  sides: readonly [Side, Side | null] //  the second is unknown when only one side is named
  type: 'winner' | 'advance' | 'draw' | 'total' | 'both_score' | 'spread'
  yes: 0 | 1 | null //  the side whose win, or win by more than the line, is yes; null for other types
  yesName: Side | null //  that side as this market names it
  segment: string //    '' for all of it, else 'set 1', 'map 2', 'half 1', or what only its series says
  unit: string //       what a total counts where a match is made of parts: 'sets', 'games', 'maps', …; else ''
  line: number | null // of a total, yes being over; of a spread, yes being a win by more
  sport: Sport | null
  threeWay: boolean | null //  may end without a winner; null when the text does not tell
  level: boolean //     may end level, though its sport knows no draw
  negated: boolean //   yes is that it does not happen, as the "No" of both teams to score
  number: number | null // "Game 2" of a doubleheader, as the text says
}

export type GameSource = {
  venue: 'a' | 'b'
  title: string
  eventTitle: string
  outcome: string | null
  yesMeans: string | null
  slug: string | null
  ticker: TickerFacts | null
  tags: readonly string[]
}

const AGAINST = /\s(?:vs?\.?|@)\s/i
const AT = /\sat\s/i
const TAIL =
  /(?:: |\s-\s|\s\(|\?|,|\s(?:winner|match|game|professional (?:mma|boxing)|fight|series|bout|(?:pro(?:fessional)? )?(?:football|basketball|baseball|hockey|cricket|rugby|tennis|soccer)|dota|cs2|counter-strike|lol|league of legends|valorant|ufc|mma|college|(?:pro(?:fessional)? )?(?:wo)?men's|total|end in|by)\b)/i
const SENTENCE = /^(?:will|who|which|does|is)\b.*\b(?:in|of|during|win|winning|between) the /i

//  Kinds of markets around a game that are not about its result alone; they are compared as questions.
const OTHER =
  /\b(?:advance|qualif\w*|lose|extra time|penalt\w*|shootout|method|ko|tko|submission|decision|distance|most|top|toss|first (?:blood|goal|team|to)|corners?|cards?|exact|correct score|series|handicap|spread|margin|aces|double|triple|mvp|player|props?|parlay|sixes|batter|completed|race to|clean sheet|comeback|lead at|ahead|combine|either|overtime|knockout|stoppage|rounds?|innings?|strikeouts?|touchdowns?|points?|rebounds?|halves|odd|even)\b/i
const NEUTRAL = new Set(
  'winner winners moneyline match game fight bout set map bo best of who will win wins the in on regular regulation reg time end a draw tie'.split(
    ' ',
  ),
)
const SUM = new Set(
  'o u over more than total totals points runs goals games maps rounds sets scored played be will there in the match game combined of first second half h st nd number yes women s men college pro professional football basketball baseball hockey'.split(
    ' ',
  ),
)
const STAGE =
  /\b(?:group|stage|round|play-?ins?|playoffs?|finals?|semifinals?|quarterfinals?|season|regular|swiss|bracket|upper|lower|week|day|qualifiers?|split|ascend|rise|main event|knockouts?)\b/i

//  A part of the game at the end of a name: the name then ends before it, and more is asked than the result.
const PART =
  /\b(?:half(?:time)?|overtime|extra time|quarter|period|innings?|penalt(?:y|ies)|shootout|series|btts|over|under|or)\b/i

//  "…: Round Of 16 match?", "… : Linz Open match?" of a tennis tournament
const ROUND = /^ ?: (?:(?:[A-Z][\w'.-]*|[Oo]f|\d+) )+match\b/

/** "(BO3) - VCT Champions": what follows the length of a match is where it is played, unless it asks about a part. */
const TOURNAMENT = /(\(bo\d\)) - (?!.*(?:\b(?:winner|total|handicap)\b|\d)).*/i

/**
 * Reads a game from title and event title; null when the market is not about a game, or asks something else about one.
 */
export function readGame(source: GameSource): GameFacts | null {
  const facts = readFacts(source)
  if (facts === null) return null
  const other = source.ticker === null ? null : unsaid(source.ticker.series, facts, textOf(source))
  return inOnePiece(other === null ? facts : { ...facts, segment: `series: ${other}` })
}

/**
 * Copies the facts into one plain object: one that grew out of another keeps its fields in two places, which costs half
 * as much again.
 */
function inOnePiece(facts: GameFacts): GameFacts {
  const { sides, type, yes, yesName, segment, unit, line, sport, threeWay, level, negated, number } = facts
  return { sides, type, yes, yesName, segment, unit, line, sport, threeWay, level, negated, number }
}

const textOf = ({ title, eventTitle, outcome }: GameSource): string => `${title} | ${eventTitle} | ${outcome}`

function readFacts(source: GameSource): GameFacts | null {
  const title = fold(source.title)
  const event = fold(source.eventTitle)
  const ofTitle = cut(title, source.ticker)
  const versus = ofTitle ?? cut(event, source.ticker)
  const alone = versus === null ? /^will (?:the )?(.+?) win on \d{4}-\d{2}-\d{2}\??$/i.exec(title) : null
  if (versus === null && alone === null) return null
  const sport =
    (source.ticker === null ? sportOfSlug(source.slug) : sportOfSeries(source.ticker.series)) ??
    readLabels(source.tags).sport
  if (alone !== null) {
    const side = nameSide(alone[1]!)
    return {
      sides: [side, null],
      type: 'winner',
      yes: 0,
      yesName: side,
      segment: '',
      unit: '',
      line: null,
      sport,
      threeWay: true,
      level: false,
      negated: false,
      number: null,
    }
  }
  const { prefix, left, right, tail } = versus!
  const outcome = fold(source.outcome ?? '')
  const inTitle = ofTitle !== null
  const asked = `${prefix} ${withoutStage(tail)} ${inTitle ? '' : title} ${outcome}`
  const segment = readSegment(asked, sport)
  const ofSeries = segmentOfSeries(source.ticker?.series ?? '')
  if (ofSeries !== null && ofSeries !== segment) return null
  const sides = sidesOf.of(`${left}\n${right}`, () => [nameSide(left), nameSide(right)])
  if (sides.some(({ words }) => words.length === 0) || PART.test(`${left} ${right}`)) return null
  const base = {
    sides,
    segment,
    unit: '',
    sport: sport ?? (segment.startsWith('set') ? 'tennis' : segment.startsWith('map') ? 'esports' : null),
    level:
      segment === '' &&
      mayEndLevel([title, event, source.slug ?? '', ...source.tags], source.ticker?.series ?? null),
    negated: false,
    number: sport === 'baseball' && source.venue === 'a' ? gameNumber(`${tail} ${source.slug ?? ''}`) : null,
  }
  const result = { ...base, yes: null, yesName: null, line: null, threeWay: null } as const
  if (/\bboth teams to score\b/i.test(asked)) {
    const negated = readBothScore(source, asked, outcome)
    return negated === null ? null : { ...result, type: 'both_score', negated }
  }
  const spread = readSpread(source, base, title)
  if (spread !== null) return spread
  if (/\b(?:totals?|under|o\/u)\b|\bover \d/i.test(asked)) return readTotal(source, base, asked)
  const advance = asksWhoAdvances(asked)
  const plain = (text: string) => (advance ? withoutAdvance(text) : text)
  if (asksOther(plain(asked), [left, right])) return null
  if (source.venue === 'a' && hasUnknown(plain(withoutStage(tail)), NEUTRAL)) return null
  const around = {
    prefix: plain(prefix),
    tail: plain(withoutStage(tail)),
    title: inTitle ? '' : plain(title),
    outcome,
  }
  if (asksMore(around, sides, source.venue === 'a' ? null : sport)) return null
  if (/\bdraw\b|\btie\b/i.test(asked)) return { ...result, type: 'draw', threeWay: true }
  const winner = readWinner(source, base, { title, outcome, asked, inTitle })
  return advance && winner !== null ? { ...winner, type: 'advance', threeWay: false } : winner
}

/** Does it ask for something else? Such words do not count where they are part of a name, as in Top Esports. */
function asksOther(asked: string, names: readonly string[]): boolean {
  const text = asked.replace(/\bset \d|map \d|game \d/gi, '')
  return OTHER.test(text) && OTHER.test(names.reduce((rest, name) => rest.replaceAll(name, ' '), text))
}

type Base = Pick<GameFacts, 'segment' | 'unit' | 'sport' | 'level' | 'negated' | 'number'> & {
  sides: readonly [Side, Side]
}

//  All markets of a game hold the same two sides.
const sidesOf = new Memo<readonly [Side, Side]>(20_000)

const BOTH_SCORE = new Set(
  'both teams to score btts in the first second half st nd h will match game of yes no'.split(' '),
)

/** Does yes mean that not both score? null when more is asked than whether both do, for example two goals each. */
function readBothScore({ yesMeans }: GameSource, asked: string, outcome: string): boolean | null {
  if (hasUnknown(asked, BOTH_SCORE) || /\d/.test(asked.replace(/\b[12](?:st|nd|h)\b/gi, ''))) return null
  if (yesMeans !== null && !/^(?:yes|no|both teams to score)$/i.test(yesMeans.trim())) return null
  return /^no$/i.test((yesMeans ?? outcome).trim())
}

/** "(Game 2)" after the teams, or in a slug; before them it numbers a game of a series. */
function gameNumber(text: string): number | null {
  const found = /\bgame[ -]([12])\b/i.exec(text)
  return found === null ? null : Number(found[1])
}

/** Reads the sum of both sides against a line; the sum of one side, or of a player, is a different question. */
function readTotal(source: GameSource, base: Base, asked: string): GameFacts | null {
  const line = /\bo\/u (\d+(?:\.\d+)?)|\b(?:over|more than) (\d+(?:\.\d+)?)/i.exec(asked)
  if (line === null || hasUnknown(asked, SUM) || /^under\b/i.test(source.yesMeans ?? '')) return null
  return {
    ...base,
    unit: readUnit(asked, base.sport),
    type: 'total',
    yes: null,
    yesName: null,
    line: Number(line[1] ?? line[2]),
    threeWay: null,
  }
}

/**
 * "Spread: Lakers (-6.5)" and "Los Angeles L wins by over 6.5 points?". A whole-number line is not read, because it may
 * end level. Outcome 0 of venue A is the side in the title; where it has another name, the side is unknown.
 */
function readSpread(source: GameSource, base: Base, title: string): GameFacts | null {
  const found =
    source.venue === 'a'
      ? /^(?:\dh )?spread: (.+) \(-(\d+\.5)\)$/i.exec(title)
      : /^(.+) wins (?:the (?:game|match) )?by (?:over|more than) (\d+\.5) (?:points|goals|runs)\??$/i.exec(
          title,
        )
  if (found === null) return null
  const [, name, line] = found as unknown as [string, string, string]
  const side = sideOfName(name, base.sides, base.sport)
  const ofYes = source.yesMeans === null ? side : sideOfName(source.yesMeans, base.sides, base.sport)
  if (side === null || ofYes !== side) return null
  return {
    ...base,
    type: 'spread',
    yes: side,
    yesName: nameSide(name),
    line: Number(line),
    threeWay: null,
  }
}

/** Are there words beyond those that are known to ask nothing more? */
function hasUnknown(text: string, known: ReadonlySet<string>): boolean {
  return (text.toLowerCase().match(/[a-z]+/g) ?? []).some((word) => !known.has(word))
}

function readWinner(
  source: GameSource,
  base: Base,
  { title, outcome, asked, inTitle }: { title: string; outcome: string; asked: string; inTitle: boolean },
): GameFacts | null {
  const regular = /\breg(?:ular|ulation)? ?time\b|\bregulation\b/i.test(asked)
  const result = {
    ...base,
    type: 'winner' as const,
    line: null,
    threeWay: regular ? true : hasNoDraw(base.sport) ? false : null,
  }
  const winner = /^will (?:the )?(.+?) (?:win|beat|defeat|advance|qualify)\b/i.exec(title)
  const named =
    source.venue === 'a'
      ? (source.yesMeans ?? (winner === null ? null : winner[1]!))
      : namedOnB(outcome, title, winner?.[1] ?? null)
  if (named === null) {
    //  a bare "X vs. Y" of venue A: outcome 0 is the side named first
    if (source.venue !== 'a' || !inTitle || !isBare(asked)) return null
    return { ...result, yes: 0, yesName: base.sides[0], threeWay: regular }
  }
  const side = sideOfName(named, base.sides, base.sport)
  if (side === null) return null
  const threeWay =
    source.venue === 'a' && winner !== null && /\bwin on \d{4}/i.test(title) ? true : result.threeWay
  return { ...result, yes: side, yesName: nameSide(named), threeWay }
}

function namedOnB(outcome: string, title: string, subject: string | null): string | null {
  const plain = withoutRegular(outcome).split('::')[0]!.trim()
  //  the title may give the name in full, which matters where two players share a surname: there is another Cerundolo
  if (subject?.toLowerCase().endsWith(` ${plain.toLowerCase()}`)) return subject
  if (plain !== '' && plain.toLowerCase() !== 'yes') return plain
  if (subject !== null) return subject
  return AGAINST.test(title) ? null : withoutRegular(title)
}

/** "Reg Time: Argentina": only the side; readWinner reads the time itself. */
const withoutRegular = (name: string): string => name.replace(/^\s*reg(?:ular|ulation)? ?time:?\s*/i, '')

function isBare(asked: string): boolean {
  return !/\?/.test(asked.replace(/\?\s*$/, ''))
}

function cut(
  text: string,
  ticker: TickerFacts | null,
): { prefix: string; left: string; right: string; tail: string } | null {
  const found = AGAINST.exec(text) ?? (ticker?.isGame === true ? AT.exec(text) : null)
  if (found === null) return null
  let left = text.slice(0, found.index)
  let prefix = ''
  const sentence = SENTENCE.exec(left)
  if (sentence !== null) {
    prefix = sentence[0]
    left = left.slice(prefix.length)
  } else if (/^will (?:the )?/i.test(left)) left = left.replace(/^will (?:the )?/i, '')
  const colon = left.lastIndexOf(': ')
  if (colon !== -1) {
    prefix += ` ${left.slice(0, colon)} `
    left = left.slice(colon + 2)
  }
  const rest = text.slice(found.index + found[0].length)
  const end = TAIL.exec(rest)
  return {
    prefix,
    left,
    right: end === null ? rest : rest.slice(0, end.index),
    tail: end === null ? '' : rest.slice(end.index),
  }
}

/** "(BO3) - LPL Group Ascend" says where the game is played, not what is asked. */
function withoutStage(tail: string): string {
  const plain = tail
    .replace(TOURNAMENT, '$1 ')
    .replace(/\((?:bo\d|best of \d|[\w' ]*weight(?:, (?:main card|(?:early )?prelims))?)\)/gi, ' ')
    .replace(ROUND, ' match')
  const dash = plain.lastIndexOf(' - ')
  if (dash === -1 || !STAGE.test(plain.slice(dash)) || /\bwinner\b/i.test(plain.slice(dash))) return plain
  return plain.slice(0, dash)
}
