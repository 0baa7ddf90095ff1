import { Memo } from '../../../ops/memo.ts'
import { haveOtherInitialsOfClub, saysNoMore } from './clubNames.ts'
import { PARTICLES } from './names.ts'
import { nationOf } from './nations.ts'
import type { Sport } from './sports.ts'
import { readTeam } from './teams.ts'
import { readWords, type Word } from './words.ts'
import { wordTable } from './wordTable.ts'

/** A team or player as one venue names it. */
export type Side = {
  words: readonly string[] //  folded, without the words every club has
  raw: readonly string[] //    folded, as written
  low: readonly string[] //    of these, what is not part of a name: words in lower case, the end of a score
  teams: ReadonlyMap<string, string> // by league, its team with exactly this name
}

const CLUB = new Set(
  'fc afc cf sc ac as cd rc rcd ssc sv vfl vfb tsg fk bc bk sk nk club de la the el team saudi ca ec cr fbpa'.split(
    ' ',
  ),
)
/** Cities as their clubs write them, and a state as its college does. */
const CITY = wordTable<string>({
  munchen: 'munich',
  koln: 'cologne',
  milano: 'milan',
  roma: 'rome',
  torino: 'turin',
  praha: 'prague',
  wien: 'vienna',
  lisboa: 'lisbon',
  beograd: 'belgrade',
  bucuresti: 'bucharest',
  kobenhavn: 'copenhagen',
  warszawa: 'warsaw',
  kyiv: 'kiev',
  uconn: 'connecticut',
  bangalore: 'bengaluru',
  saint: 'st',
})
/** Another team of the same club: women, youth, reserves. */
const OTHER_TEAM =
  /^(?:w|wfc|lfc|fem|women|womens|ladies|femenin[oa]|feminin[oa]?|u\d\d|[23]|ii|iii|b|res|academy|reserves?|youth|juniors?|challengers|castilla|legends|primavera|jong|nxt)$/
/**
 * Another college: Michigan State, Georgia Tech, Texas A&M, Central Michigan, South Alabama, Miami (OH), Houston Christian; or another
 * campus: USC Upstate, Arkansas-Pine Bluff, Purdue Fort Wayne.
 */
const OTHER_COLLEGE =
  /^(?:state|tech|a|am|oh|fl|(?:north|south|east|west)(?:ern)?|central|southeast|northeast|college|university|poly|commonwealth|military|christian|baptist|methodist|wesleyan|atlantic|international|gulf|upstate|martin|chattanooga|monroe|lafayette|omaha|wayne|bluff|rock|shore|milwaukee|valley|arlington|wilmington|greensboro|asheville|birmingham|marymount|mercy|fullerton|bakersfield|northridge|beach|irvine|davis|riverside|barbara)$/
/** New England, Northern Ireland, Equatorial Guinea, Guinea-Bissau, DR Congo, South Sudan. */
const OTHER_NATION = /^(?:new|north(?:ern)?|south|east|equatorial|bissau|papua|american|dr)$/
/** Words an esports organisation may leave out of its name; any other word names its second team: G2 Ares, MOUZ NXT. */
const ORGANISATION = new Set('team esports esport sports gaming clan org'.split(' '))
const LEAGUES: Readonly<Record<string, readonly string[]>> = {
  baseball: ['mlb'],
  basketball: ['nba', 'wnba'],
  football: ['nfl'],
  hockey: ['nhl'],
  soccer: ['clubs'],
  esports: ['organisations'],
}

//  Every market of a game says both names again.
const sides = new Memo<Side>(20_000)

/** The same object for the same name: nobody changes it. */
export function nameSide(name: string): Side {
  return sides.of(name, readSide)
}

function readSide(name: string): Side {
  const read = readWords(name, 12)
  const raw = read.map(({ text }) => text)
  const low = read.filter(isNoName).map(({ text }) => text)
  if (raw.length > 1 && raw.at(-1) === 'st') raw[raw.length - 1] = 'state' //  "Michigan St."
  const nation = nationOf(raw)
  if (nation !== null) return { words: nation, raw, low, teams: teamsNamed(raw, nation) }
  const words = raw.filter((word) => !CLUB.has(word)).map((word) => CITY.get(word) ?? word)
  const isPlain = words.length === 0 || sameOrder(words, raw)
  return { words: isPlain ? raw : words, raw, low, teams: teamsNamed(raw, words) }
}

/** Not part of a name, as in "Larks 2-0" and "Larks score first"; Schalke 04 and Deportivo de la Mar are names. */
function isNoName({ text, cap, value, dash }: Word): boolean {
  return value === null ? !cap && !CLUB.has(text) && !PARTICLES.has(text) : dash || !Number.isInteger(value)
}

/** "Bayer 04 Leverkusen", "RCD Espanyol de Barcelona": initials and years are left out, but 2 marks another team. */
const isOfName = (word: string): boolean =>
  word === 'de' || !(CLUB.has(word) || /^(?:\d{2,}|[014-9])$/.test(word))

const NO_TEAMS: Side['teams'] = new Map()

/** Teams with exactly this name, with or without the words every club has. */
function teamsNamed(raw: readonly string[], words: readonly string[]): Side['teams'] {
  //  without the words every club has, and with the city as its clubs write it or as we do
  const names = [raw, raw.filter(isOfName), raw.filter((word) => !CLUB.has(word)), words]
  const teams = new Map<string, string>()
  for (const league of Object.values(LEAGUES).flat()) {
    const team = names.map((name) => exactTeam(league, name)).find((id) => id !== null)
    if (team != null) teams.set(league, team)
  }
  return teams.size === 0 ? NO_TEAMS : teams
}

function exactTeam(league: string, name: readonly string[]): string | null {
  const team = readTeam(league, name, 0)
  return team?.length === name.length ? team.id : null
}

/** Is it a team of the sport's leagues? */
function isTeam({ teams }: Side, sport: Sport | null): boolean {
  return teams.size > 0 && leaguesOf(sport).some((league) => teams.has(league))
}

/** Are they the same team in one of the sport's leagues? */
function areSameTeam(x: Side, y: Side, sport: Sport | null): boolean {
  return leaguesOf(sport).some((league) => x.teams.has(league) && x.teams.get(league) === y.teams.get(league))
}

const leaguesOf = (sport: Sport | null): readonly string[] => LEAGUES[sport ?? 'soccer'] ?? NONE

const NONE: readonly string[] = []

/** Which of the two sides a name means; null when it is neither, or could be both. */
export function sideOfName(name: string, sides: readonly [Side, Side], sport: Sport | null): 0 | 1 | null {
  const side = nameSide(name)
  const exact = sides.map((candidate) => sameWords(side.words, candidate.words))
  if (exact[0] !== exact[1]) return exact[0] ? 0 : 1
  const fits = sides.map((candidate) => mayMean(side, candidate, sport))
  if (fits[0] === fits[1]) return null
  return fits[0] ? 0 : 1
}

/**
 * Do two venues mean the same side of one game? Both sides of the game and its day must agree as well, so a name may be
 * shorter on one venue: Bournemouth, Cobolli, Chicago WS. Part of a club's name may be the name of another club.
 * @param areCoded do slug and ticker code both teams alike?
 */
export function sameSide(x: Side, y: Side, sport: Sport | null, areCoded: boolean): boolean {
  if (!mayMean(x, y, sport)) return false
  const [short, long] = x.words.length <= y.words.length ? [x, y] : [y, x]
  const [isShortKnown, isLongKnown] = [isTeam(short, sport), isTeam(long, sport)]
  //  a team that is known is known by all of its names
  if (sport !== 'soccer' && sport !== null) return isShortKnown || !isLongKnown
  if (haveOtherInitialsOfClub(x.raw, y.raw)) return false
  if ((isShortKnown && isLongKnown) || sameWords(x.words, y.words)) return true
  if (sport === 'soccer' && (isShortKnown || isLongKnown)) return false
  return (
    !short.words.every((word) => long.words.includes(word)) || saysNoMore(short.words, long.words, areCoded)
  )
}

/** Can the two names mean the same side, given how few sides come into question? */
function mayMean(x: Side, y: Side, sport: Sport | null): boolean {
  if (isTeam(x, sport) && isTeam(y, sport)) return areSameTeam(x, y, sport)
  if (sameWords(x.words, y.words)) return true
  const [short, long] = x.words.length <= y.words.length ? [x, y] : [y, x]
  if (isPartOf(short.words, long.words)) return !saysAnother(short, long, sport)
  return withInitials(short, long) || withInitials(long, short)
}

/** Does one name consist of words of the other? */
const isPartOf = (short: readonly string[], long: readonly string[]): boolean =>
  short.every((word) => long.includes(word)) && short.some((word) => word.length >= 3)

/** Do the further words of the longer name make it the name of somebody else? */
const saysAnother = (short: Side, long: Side, sport: Sport | null): boolean =>
  isInitialOfOther(long.words, short) ||
  long.words.some(
    (word) => !short.words.includes(word) && (tellsApart(word, sport) || long.low.includes(word)),
  )

/** "Los Angeles G" is not Los Angeles FC: an initial after a place distinguishes its clubs. */
function isInitialOfOther(long: readonly string[], { words, raw }: Side): boolean {
  const initial = long.at(-1)!
  return (
    /^[a-z]$/.test(initial) &&
    !words.includes(initial) &&
    !raw.some((word) => CLUB.has(word) && word[0] === initial)
  )
}

function tellsApart(word: string, sport: Sport | null): boolean {
  return (
    OTHER_TEAM.test(word) ||
    (sport === 'esports' && !ORGANISATION.has(word)) ||
    ((sport === 'soccer' || sport === null) && OTHER_NATION.test(word)) ||
    ((sport === 'football' || sport === 'basketball') && OTHER_COLLEGE.test(word))
  )
}

/**
 * Is the name that yes depends on unmistakable? It is with the same words, a known team, or one word more on one side.
 * A bare surname against a name of three parts is not: which part is the surname, and whose, stays open.
 */
export function clearName(x: Side, y: Side, sport: Sport | null): boolean {
  if (sameWords(x.words, y.words)) return true
  if (sport !== 'tennis' && sport !== 'fight') return mayMean(x, y, sport)
  const [short, long] = x.words.length <= y.words.length ? [x.words, y.words] : [y.words, x.words]
  return (
    (short.length === 1 && long.length === 2 && short[0] === long[1] && short[0]!.length >= 3) ||
    (short.length > 1 && long.length === short.length + 1 && short.join() === long.slice(1).join())
  )
}

function sameOrder(x: readonly string[], y: readonly string[]): boolean {
  return x.length === y.length && x.every((word, at) => word === y[at])
}

function sameWords(x: readonly string[], y: readonly string[]): boolean {
  return x.length === y.length && x.every((word) => y.includes(word))
}

/**
 * "chicago ws" against "chicago white sox": the last word of one holds the initials of the rest of the other, all of
 * which is part of its name, unlike in "chicago white sox lead early".
 */
function withInitials(short: Side, long: Side): boolean {
  const initials = short.words.at(-1)!
  if (short.words.length < 2 || initials.length > 3) return false
  const city = short.words.slice(0, -1)
  if (!city.every((word, at) => long.words[at] === word)) return false
  const rest = long.words.slice(city.length)
  return (
    rest.length > 0 &&
    !rest.some((word) => short.low.includes(word) || long.low.includes(word)) &&
    rest
      .map((word) => word[0])
      .join('')
      .startsWith(initials)
  )
}
