import { Memo } from '../../../ops/memo.ts'
import { DAY, MINUTE } from '../../../ops/units.ts'
import { haveOtherInitialsOfClub } from './clubNames.ts'
import type { Fingerprint } from './fingerprint.ts'
import { fold } from './fold.ts'
import { areOtherFormats } from './formats.ts'
import type { GameFacts } from './game.ts'
import { areOfOneLeague, areOtherLeagues } from './leagues.ts'
import { clearName, type Side, sameSide } from './sides.ts'
import { hasNoDraw, isSinglePlayer, playsDaily, type Sport } from './sports.ts'
import { abbreviates } from './teams.ts'
import { splitsTie } from './ties.ts'
import { type Judgement, refuse } from './verdict.ts'

/** How far the starts of one game may lie apart on two venues, minutes. */
const START_TOLERANCE = 180
/** Baseball teams may play twice a day, the second game right after the first. */
const BASEBALL_TOLERANCE = 90
/** Stricter where only one venue numbers its game. */
const NUMBERED_TOLERANCE = 45

/** Two markets about games: the same sides, the same day, the same thing asked, and which side is yes. */
export function judgeGames(a: Fingerprint, b: Fingerprint, gameA: GameFacts, gameB: GameFacts): Judgement {
  if (gameA.sport !== null && gameB.sport !== null && gameA.sport !== gameB.sport)
    return refuse('different', 'game_sport')
  if (areOtherLeagues(a, b)) return refuse('different', 'game_sport')
  const sport = gameA.sport ?? gameB.sport
  if (sport === 'cricket' && areOtherFormats(a, b)) return refuse('related', 'game_type')
  const areCoded = haveSameCodes(a, b) || (gameA.sides[1] === null && fitsCodes(a, b, gameA, gameB))
  const crossed = orientation(gameA, gameB, sport, areCoded)
  if (crossed === 'none') return refuse('different', 'game_teams')
  if (crossed === 'both') return refuse('unreadable', 'side_unclear')
  if (gameA.type !== gameB.type) return refuse('related', 'game_type')
  if (gameA.segment !== gameB.segment) return refuse('related', 'game_segment')
  const when = refuseWhen(a, b, sport, gameA.number) ?? refuseLone(a, b, gameA, areCoded)
  if (when !== null) return when
  if (isSinglePlayer(sport) && (namesakes(gameA, b) || namesakes(gameB, a)))
    return refuse('different', 'game_teams')
  if (gameA.type === 'total')
    return gameA.line === gameB.line && gameA.unit === gameB.unit
      ? { verdict: 'identity', reasons: ['same_game', 'same_numbers'] }
      : refuse('related', 'game_line')
  if (gameA.type === 'spread') return judgeSpread(gameA, gameB, crossed === 'crossed', sport)
  if (gameA.negated !== gameB.negated) return { verdict: 'inverted', reasons: ['same_game', 'opposite_side'] }
  if (gameA.type !== 'winner' && gameA.type !== 'advance')
    return { verdict: 'identity', reasons: ['same_game', 'same_words'] }
  const isSplit = () => sport === 'football' && splitsTie(a.market.rules) && splitsTie(b.market.rules)
  return judgeWinner(gameA, gameB, crossed === 'crossed', sport, isSplit)
}

/** @param isSplit do both venues pay each side half of a game that ends level? */
function judgeWinner(
  gameA: GameFacts,
  gameB: GameFacts,
  crossed: boolean,
  sport: Sport | null,
  isSplit: () => boolean,
): Judgement {
  if (gameA.yes === null || gameB.yes === null) return refuse('unreadable', 'side_unclear')
  //  two-way on one venue (extra time counts) against three-way on the other (a draw is a result)
  if (gameA.threeWay !== null && gameB.threeWay !== null && gameA.threeWay !== gameB.threeWay)
    return refuse('related', 'game_type')
  const advance = gameA.type === 'advance'
  if (!advance && gameA.threeWay === false && (gameB.sport ?? sport) === 'soccer')
    return refuse('related', 'game_type')
  const level = gameA.level || gameB.level
  //  matches of maps often end level: then A pays half to each side, B pays neither
  if (level && sport === 'esports') return refuse('related', 'draw_possible')
  const yesB = crossed ? ((1 - gameB.yes) as 0 | 1) : gameB.yes
  const sideA = gameA.sides[yesB]
  if (sideA === null || gameB.yesName === null || !clearName(sideA, gameB.yesName, sport))
    return refuse('unreadable', 'side_unclear')
  if (gameA.yes === yesB) return { verdict: 'identity', reasons: ['same_game', 'same_side'] }
  const threeWay = gameA.threeWay === true || gameB.threeWay === true
  return !threeWay && (advance || (hasNoDraw(sport) && !level) || isSplit())
    ? { verdict: 'inverted', reasons: ['same_game', 'opposite_side'] }
    : refuse('related', 'draw_possible')
}

/** The same side by the same line. The other side by that line is no opposite: both may miss it. */
function judgeSpread(gameA: GameFacts, gameB: GameFacts, crossed: boolean, sport: Sport | null): Judgement {
  if (gameA.yes === null || gameB.yes === null || gameB.yesName === null)
    return refuse('unreadable', 'side_unclear')
  const sideA = gameA.sides[gameA.yes]!
  if (gameA.yes !== (crossed ? 1 - gameB.yes : gameB.yes)) return refuse('related', 'game_line')
  if (!clearName(sideA, gameB.yesName, sport)) return refuse('unreadable', 'side_unclear')
  return gameA.line === gameB.line
    ? { verdict: 'identity', reasons: ['same_game', 'same_side', 'same_numbers'] }
    : refuse('related', 'game_line')
}

/** Which side of A is the first of B; `both` when the names leave it open, `none` when a side has no partner. */
function orientation(
  gameA: GameFacts,
  gameB: GameFacts,
  sport: Sport | null,
  areCoded: boolean,
): 'straight' | 'crossed' | 'both' | 'none' {
  const [a0, a1] = gameA.sides
  const [b0, b1] = gameB.sides
  if (b1 === null || a1 === null) return lone(gameA, gameB, sport, areCoded)
  const straight = sameSide(a0, b0, sport, areCoded) && sameSide(a1, b1, sport, areCoded)
  const crossed = sameSide(a0, b1, sport, areCoded) && sameSide(a1, b0, sport, areCoded)
  if (straight && crossed) return 'both'
  return straight ? 'straight' : crossed ? 'crossed' : 'none'
}

/**
 * Only one side is named ("Will Argentina win on 2026-07-19?"): its name must be the same word for word, unless slug
 * and ticker code both teams alike.
 */
function lone(
  gameA: GameFacts,
  gameB: GameFacts,
  sport: Sport | null,
  areCoded: boolean,
): 'straight' | 'crossed' | 'both' | 'none' {
  if (gameB.sides[1] === null || gameA.yes !== 0) return 'none'
  const [own] = gameA.sides
  const words = own.words.join(' ')
  const fits = gameB.sides.map(
    (side) =>
      side !== null &&
      !haveOtherInitialsOfClub(own.raw, side.raw) &&
      (side.words.join(' ') === words || (areCoded && sameSide(own, side, sport, areCoded))),
  )
  if (fits[0] && fits[1]) return 'both'
  return fits[0] ? 'straight' : fits[1] ? 'crossed' : 'none'
}

/** Refuses games of different days, or of different hours where both venues tell them. */
function refuseWhen(
  a: Fingerprint,
  b: Fingerprint,
  sport: Sport | null,
  numberA: number | null,
): Judgement | null {
  const [dayA, dayB] = [a.timing.gameDay, b.timing.gameDay]
  if (dayA === null || dayB === null) return refuse('unreadable', 'game_day_unknown')
  const [minuteA, minuteB] = [a.timing.gameMinute, b.timing.gameMinute]
  const timed = minuteA !== null && minuteB !== null
  const apart = Math.abs(dayA - dayB)
  //  without an hour, A's day may be a UTC day while B's is a New York day; teams that meet daily leave no room for
  //  that
  if (apart > (minuteA !== null || playsDaily(sport) || sport === null ? 0 : 1))
    return refuse('related', 'game_day')
  const numberB = b.ticker?.gameNumber ?? null
  if (numberA !== null && numberB !== null && numberA !== numberB) return refuse('related', 'doubleheader')
  const oneNumbered = (numberA === null) !== (numberB === null)
  if (oneNumbered && !timed) return refuse('unreadable', 'doubleheader')
  const tolerance = oneNumbered
    ? NUMBERED_TOLERANCE
    : sport === 'baseball'
      ? BASEBALL_TOLERANCE
      : START_TOLERANCE
  return timed && Math.abs(minuteA - minuteB) > tolerance ? refuse('related', 'game_time') : null
}

/**
 * Where only one side is named, more must agree, because other clubs have the same name: either the hour, which closing
 * times keep, or the codes of both teams.
 */
function refuseLone(a: Fingerprint, b: Fingerprint, gameA: GameFacts, areCoded: boolean): Judgement | null {
  if (gameA.sides[1] !== null || areCoded) return null
  const [closeA, closeB] = [a.timing.closeMs, b.timing.closeMs]
  if (closeA === null || closeB === null) return refuse('unreadable', 'side_unclear')
  const apart = Math.abs(closeA - closeB) % DAY
  return Math.min(apart, DAY - apart) <= 5 * MINUTE ? null : refuse('unreadable', 'side_unclear')
}

/** epl-ars-che-2026-09-12-ars and KXEPLGAME-26SEP12ARSCHE, either team first. */
function haveSameCodes(a: Fingerprint, b: Fingerprint): boolean {
  const [one, other] = codesOf(a)
  const codes = /-\d{2}[A-Z]{3}\d{2}(?:\d{4})?([A-Z0-9]+)/.exec(b.marketId)?.[1]?.toLowerCase()
  return codes !== undefined && (codes === `${one}${other}` || codes === `${other}${one}`)
}

/** For tickers that spell their codes differently: do the slug's codes abbreviate both names, in the same league? */
function fitsCodes(
  a: Fingerprint,
  b: Fingerprint,
  { sides: [own] }: GameFacts,
  { sides }: GameFacts,
): boolean {
  const [one, other] = codesOf(a)
  if (one === undefined || other === undefined || !areOfOneLeague(a, b)) return false
  const fits = (code: string, side: Side | null) =>
    side !== null && [own.raw, side.raw, side.words].some((name) => abbreviates(code, name.join('')))
  return (fits(one, sides[0]) && fits(other, sides[1])) || (fits(other, sides[0]) && fits(one, sides[1]))
}

/** The codes of both teams in a slug. */
const codesOf = ({ market }: Fingerprint): readonly string[] =>
  /^[a-z0-9]+-([a-z0-9]+)-([a-z0-9]+)-\d{4}-/.exec(market.slug ?? market.marketSlug ?? '')?.slice(1) ?? []

//  A game is compared with several others, one soon after another.
const [OPENING, LONGEST] = [600, 20_000]
const openings = new Memo<string>(200, LONGEST)

/** Do the rules of the other market name somebody of the same surname with another given name? */
function namesakes(game: GameFacts, other: Fingerprint): boolean {
  const rules = openings.of(other.market.rules, (text) => fold(text.slice(0, OPENING)).toLowerCase())
  return game.sides.some((side, at) => {
    if (side === null || side.words.length < 2) return false
    const [given, surname] = [side.words[0]!, side.words.at(-1)!]
    //  the given name may be in the rules because of the opponent, and then proves nothing
    const opponent = game.sides[1 - at]?.words ?? []
    const isElsewhere = opponent[0] === given || rules.includes(`${given} ${opponent.at(-1)}`)
    return rules.includes(surname) && !rules.includes(isElsewhere ? `${given} ${surname}` : given)
  })
}
