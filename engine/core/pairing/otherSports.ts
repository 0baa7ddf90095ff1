import type { Fingerprint } from './fingerprint.ts'

/**
 * Sports by what their texts call them, and by series of venue B. "Football" alone is two of them, "Open", "Masters", "Premier League"
 * and "World Cup" are held in many.
 */
const SPORTS: readonly (readonly [string, RegExp, RegExp | null])[] = [
  ['tennis', /\b(?:tennis|atp|wta)\b/, /^KX(?:ATP|WTA)/],
  ['golf', /\b(?:golf|golfers?|pga|lpga)\b/, /^KX(?:PGA|LPGA)/],
  ['soccer', /\b(?:soccer|fifa|uefa)\b/, /^KX(?:FIFA|UEFA|UCL|UEL|UECL|EPL|LALIGA|SERIEA|BUNDESLIGA|MLS)/],
  ['football', /\b(?:nfl|cfb|(?:pro|professional|american|college) football)\b/, /^KX(?:NFL|NCAAF)/],
  ['basketball', /\b(?:basketball|nba|wnba)\b/, /^KX(?:NBA|WNBA|NCAAM|NCAAW)/],
  ['baseball', /\b(?:baseball|mlb)\b/, /^KXMLB/],
  ['softball', /\bsoftball\b/, null],
  ['hockey', /\b(?:hockey|nhl)\b/, /^KXNHL/],
  ['cricket', /\b(?:cricket|t20)\b/, /^KX(?:IPL|T20)/],
  ['rugby', /\brugby\b/, /^KXRUGBY/],
  ['volleyball', /\bvolleyball\b/, /^KX(?:VNL|VOLLEYBALL)/],
  ['handball', /\bhandball\b/, null],
  ['chess', /\bchess\b/, /^KXCHESS/],
]
/** What is played is said in the first sentences of the rules. */
const OPENING = 600

/** Do two markets of one wording name two sports: the U.S. Open of tennis and the one of golf? */
export function areOtherSports(a: Fingerprint, b: Fingerprint): boolean {
  const [ofA, ofB] = [sportNamed(a), sportNamed(b)]
  return ofA !== null && ofB !== null && ofA !== ofB
}

/** The one sport a market names; null when it names none or several. */
function sportNamed({ market, ticker }: Fingerprint): string | null {
  const { title, eventTitle, outcome, tags, rules } = market
  const text = [title, eventTitle, outcome ?? '', ...tags, rules.slice(0, OPENING)].join(' | ').toLowerCase()
  const found = SPORTS.filter(
    ([, named, series]) => named.test(text) || (ticker !== null && series?.test(ticker.series) === true),
  )
  return found.length === 1 ? found[0]![0] : null
}
