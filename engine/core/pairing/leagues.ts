import { Memo } from '../../../ops/memo.ts'
import type { Fingerprint } from './fingerprint.ts'
import { wordTable } from './wordTable.ts'

/**
 * Leagues of one sport whose teams share cities and names, by the first part of a slug: Panthers play in two, Lions in three, a
 * Racing and a River Plate in Argentina and in Uruguay.
 */
const BY_SLUG = wordTable<string>({
  nfl: 'nfl',
  cfb: 'ncaaf',
  cfl: 'cfl',
  ufl: 'ufl',
  nba: 'nba',
  wnba: 'wnba',
  cbb: 'ncaam',
  cwbb: 'ncaaw',
  euroleague: 'euroleague',
  mlb: 'mlb',
  kbo: 'kbo',
  npb: 'npb',
  nhl: 'nhl',
  khl: 'khl',
  shl: 'shl',
  ahl: 'ahl',
  epl: 'epl',
  lal: 'laliga',
  sea: 'seriea',
  bun: 'bundesliga',
  fl1: 'ligue1',
  ere: 'eredivisie',
  por: 'ligaportugal',
  bra: 'brasileiro',
  bra2: 'brasileirob',
  arg: 'argpremdiv',
  mex: 'ligamx',
  mls: 'mls',
  jap: 'jleague',
  kor: 'kleague',
  ucl: 'ucl',
  uel: 'uel',
  col: 'uecl',
  tur: 'superlig',
  fifwc: 'wc',
})
const SERIES =
  /^KX(NFL|NCAAF|CFL|UFL|NBA|WNBA|NCAAM|NCAAW|EUROLEAGUE|MLB|KBO|NPB|NHL|KHL|SHL|AHL|PWHL|GLEAGUE|MILB|NCAAH|NCAABASEBALL|EPL|LALIGA2?|SERIE[AB]|BUNDESLIGA2?|LIGUE[12]|EREDIVISIE|LIGAPORTUGAL|BRASILEIRO(?:[BC](?!TTS))?|ARGPREMDIV|LIGAMX|MLS|JLEAGUE|KLEAGUE|UCL|UEL|UECL|USL|EFL|SCOTTISHPREM|LEAGUESCUP|URYPD|CHLLDP|DIMAYOR|LIBERTADORES|SUDAMERICANA|SUPERLIG|WC(?=GAME|BTTS|TOTAL|SPREAD|ADVANCE))/

//  Hundreds of markets belong to one series, and a game is compared with many others.
const ofSeries = new Memo<string | null>(20_000)
const readSeries = (series: string): string | null => SERIES.exec(series)?.[1]?.toLowerCase() ?? null

/** Do slug and ticker name two leagues? A name that fits teams of both says nothing then. */
export function areOtherLeagues(a: Fingerprint, b: Fingerprint): boolean {
  const ofSlug = leagueOfSlug(a)
  const league = ofSlug === undefined ? null : leagueOfTicker(b)
  return league !== null && league !== ofSlug
}

/** Do both name the same league? A name is that of one of its teams then. */
export function areOfOneLeague(a: Fingerprint, b: Fingerprint): boolean {
  const ofSlug = leagueOfSlug(a)
  return ofSlug !== undefined && ofSlug === leagueOfTicker(b)
}

const leagueOfSlug = ({ market }: Fingerprint): string | undefined =>
  BY_SLUG.get(/^([a-z0-9]+)-/.exec(market.slug ?? market.marketSlug ?? '')?.[1] ?? '')

const leagueOfTicker = ({ ticker }: Fingerprint): string | null =>
  ticker === null ? null : ofSeries.of(ticker.series, readSeries)
