import type { Fingerprint } from './fingerprint.ts'
import { wordTable } from './wordTable.ts'

/**
 * Sports, with the words that texts use for them. "Football" alone may mean two of them; an open, a masters, a premier
 * league and a world cup exist in many.
 */
const CALLED: Readonly<Record<string, string>> = {
  tennis: 'tennis|atp|wta',
  golf: 'golf|golfer|golfers|pga|lpga',
  soccer: 'soccer|fifa|uefa',
  football: 'nfl|cfb|pro football|professional football|american football|college football',
  basketball: 'basketball|nba|wnba',
  baseball: 'baseball|mlb',
  softball: 'softball',
  hockey: 'hockey|nhl',
  cricket: 'cricket|t20',
  rugby: 'rugby',
  volleyball: 'volleyball',
  handball: 'handball',
  chess: 'chess',
}
const SPORT_OF = wordTable<string>(
  Object.fromEntries(
    Object.entries(CALLED).flatMap(([sport, words]) => words.split('|').map((word) => [word, sport])),
  ),
)
//  all of them in one look at a text
const ANY = new RegExp(`\\b(?:${Object.values(CALLED).join('|')})\\b`, 'g')

/**
 * Series of venue B that are about one sport, whatever they ask; the wider patterns of sports.ts hold for games only.
 */
const SERIES: readonly (readonly [RegExp, string])[] = [
  [/^KX(?:ATP|WTA)/, 'tennis'],
  [/^KX(?:PGA|LPGA)/, 'golf'],
  [/^KX(?:FIFA|UEFA|UCL|UEL|UECL|EPL|LALIGA|SERIEA|BUNDESLIGA|MLS)/, 'soccer'],
  [/^KX(?:NFL|NCAAF)/, 'football'],
  [/^KX(?:NBA|WNBA|NCAAM|NCAAW)/, 'basketball'],
  [/^KXMLB/, 'baseball'],
  [/^KXNHL/, 'hockey'],
  [/^KX(?:IPL|T20)/, 'cricket'],
  [/^KXRUGBY/, 'rugby'],
  [/^KX(?:VNL|VOLLEYBALL)/, 'volleyball'],
  [/^KXCHESS/, 'chess'],
]
/** The first sentences of the rules say what is played. */
const OPENING = 600

/** Do two markets of one wording name two sports: the U.S. Open of tennis and the one of golf? */
export function areOtherSports(a: Fingerprint, b: Fingerprint): boolean {
  const ofA = sportNamed(a)
  const ofB = ofA === null ? null : sportNamed(b)
  return ofB !== null && ofA !== ofB
}

/** The one sport a market names; null when it names none or several. */
function sportNamed({ market, ticker }: Fingerprint): string | null {
  const { title, eventTitle, outcome, tags, rules } = market
  const text = [title, eventTitle, outcome ?? '', ...tags, rules.slice(0, OPENING)].join(' | ').toLowerCase()
  const found = new Set((text.match(ANY) ?? []).map((word) => SPORT_OF.get(word)!))
  const ofSeries = ticker === null ? undefined : SERIES.find(([series]) => series.test(ticker.series))
  if (ofSeries !== undefined) found.add(ofSeries[1])
  return found.size === 1 ? [...found][0]! : null
}
