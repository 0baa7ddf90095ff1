import { Memo } from '../../../ops/memo.ts'
import { wordTable } from './wordTable.ts'

export type Sport =
  | 'baseball'
  | 'basketball'
  | 'football'
  | 'hockey'
  | 'tennis'
  | 'soccer'
  | 'esports'
  | 'fight'
  | 'cricket'
  | 'other'

/** Must somebody win? Only then is the other side's market the exact opposite. */
export function hasNoDraw(sport: Sport | null): boolean {
  return (
    sport === 'baseball' ||
    sport === 'basketball' ||
    sport === 'hockey' ||
    sport === 'tennis' ||
    sport === 'esports'
  )
}

/** Do people meet, rather than teams? Then a given name may be left out. */
export function isSinglePlayer(sport: Sport | null): boolean {
  return sport === 'tennis' || sport === 'fight'
}

/**
 * Does the market name a league or a format that may end level, though its sport knows no draw? Korean and Japanese
 * baseball after the last extra inning, a match of two maps.
 */
export function mayEndLevel(texts: readonly string[], series: string | null): boolean {
  return (
    /^KX(?:KBO|NPB)/.test(series ?? '') || /\b(?:kbo|npb|bo2|best of (?:2|two))\b/i.test(texts.join(' | '))
  )
}

/** Do the same two meet again the day after? Then the day must agree exactly. */
export function playsDaily(sport: Sport | null): boolean {
  return sport === 'baseball' || sport === 'basketball' || sport === 'hockey'
}

const SLUG = wordTable<Sport>({
  mlb: 'baseball',
  kbo: 'baseball',
  npb: 'baseball',
  nba: 'basketball',
  wnba: 'basketball',
  cbb: 'basketball',
  cwbb: 'basketball',
  euroleague: 'basketball',
  nfl: 'football',
  cfb: 'football',
  cfl: 'football',
  nhl: 'hockey',
  khl: 'hockey',
  shl: 'hockey',
  atp: 'tennis',
  wta: 'tennis',
  lol: 'esports',
  cs2: 'esports',
  csgo: 'esports',
  dota2: 'esports',
  val: 'esports',
  valorant: 'esports',
  ufc: 'fight',
  mma: 'fight',
  boxing: 'fight',
  ipl: 'cricket',
  cricipl: 'cricket',
  crint: 'cricket',
  epl: 'soccer',
  lal: 'soccer',
  laliga: 'soccer',
  bun: 'soccer',
  fl1: 'soccer',
  sea: 'soccer',
  ucl: 'soccer',
  uel: 'soccer',
  uecl: 'soccer',
  mls: 'soccer',
  fifwc: 'soccer',
  mex: 'soccer',
  arg: 'soccer',
  bra: 'soccer',
  ere: 'soccer',
  por: 'soccer',
})

const SERIES: readonly (readonly [RegExp, Sport])[] = [
  [/^KX(?:MLB|KBO|NPB|WBC|NCAABASEBALL)/, 'baseball'],
  [
    /^KX(?:NBA|WNBA|NCAAM|NCAAW|NCAAB(?!ASE)|EUROLEAGUE|LNBELITE|BBL(?!CRICKET)|ACB|LEGABASKET)/,
    'basketball',
  ],
  [/^KX(?:NFL|NCAAF|CFL|UFL)/, 'football'],
  [/^KX(?:NHL|KHL|SHL|AHL|IIHF)/, 'hockey'],
  [/^KX(?:ATP|WTA|ITF|DAVISCUP)/, 'tennis'],
  [/^KX(?:LOL|CS2|CSGO|DOTA2|VALORANT|R6|OW)/, 'esports'],
  [/^KX(?:UFC|MMA|BOXING)/, 'fight'],
  [/^KX(?:IPL|T20|ODI|TEST|BBLCRICKET|PSL)/, 'cricket'],
  [
    /^KX(?:EPL|LALIGA|SERIEA|BUNDESLIGA|LIGUE1|MLS|UCL|UEL|UECL|WC|EREDIVISIE|LIGAPORTUGAL|LIGAMX|ARGPREMDIV|BRASILEIRO|SAUDIPL|FACUP|COPA|CLUBWC|EFL|JLEAGUE|KLEAGUE|SUPERLIG)/,
    'soccer',
  ],
]

/** @param slug event slug of venue A; for games its first part is the league. */
export function sportOfSlug(slug: string | null): Sport | null {
  const league = /^([a-z0-9]+)-/.exec(slug ?? '')?.[1]
  if (league === undefined) return null
  return SLUG.get(league) ?? (/^bk[a-z]/.test(league) ? 'basketball' : null)
}

//  Markets by the hundred have the same series and category.
const ofSeries = new Memo<Sport | null>(20_000)
const ofCategory = new Memo<boolean>(1_000)

export function sportOfSeries(series: string): Sport | null {
  return ofSeries.of(series, () => SERIES.find(([pattern]) => pattern.test(series))?.[1] ?? null)
}

const LABELS = wordTable<Sport>({
  mlb: 'baseball',
  baseball: 'baseball',
  nba: 'basketball',
  wnba: 'basketball',
  basketball: 'basketball',
  nfl: 'football',
  'american football': 'football',
  nhl: 'hockey',
  hockey: 'hockey',
  tennis: 'tennis',
  atp: 'tennis',
  wta: 'tennis',
  soccer: 'soccer',
  epl: 'soccer',
  esports: 'esports',
  ufc: 'fight',
  mma: 'fight',
  boxing: 'fight',
  cricket: 'cricket',
})

/** What the tags of a market say: the one sport they name, null when none or several; whether they speak of sport; a league. */
export type Labels = { sport: Sport | null; isSport: boolean; league: string | null }

//  Keyed by the list itself: markets with the same tags share one list, see shareTexts.ts.
const ofTags = new WeakMap<readonly string[], Labels>()

export function readLabels(tags: readonly string[]): Labels {
  const known = ofTags.get(tags)
  if (known !== undefined) return known
  const lower = tags.map((tag) => tag.toLowerCase())
  const sports = new Set(lower.flatMap((tag) => LABELS.get(tag) ?? []))
  const labels = {
    sport: sports.size === 1 ? [...sports][0]! : null,
    isSport: tags.some((tag) => SPORT_WORDS.test(tag)),
    league: lower.find((tag) => /^(?:nfl|mlb|nba|nhl|wnba)$/.test(tag)) ?? null,
  }
  ofTags.set(tags, labels)
  return labels
}

const SPORT_WORDS =
  /\b(?:sports?|soccer|football|basketball|baseball|hockey|tennis|golf|esports?|nba|nfl|mlb|nhl|ufc|mma|cricket|f1|racing)\b/i

/** Does a market's category or one of its tags speak of sport? null when it has none of either. */
export function isAboutSport(category: string | null, tags: readonly string[]): boolean | null {
  if ((category ?? '') === '' && tags.every((tag) => tag === '')) return null
  return readLabels(tags).isSport || ofCategory.of(category ?? '', (text) => SPORT_WORDS.test(text))
}
