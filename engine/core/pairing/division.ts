import type { Fingerprint } from './fingerprint.ts'
import { fold } from './fold.ts'

/** Who plays, apart from names: bits of `DIVISION`, and above them the number of an esports title. */
export const DIVISION = { women: 1, youth: 2, summer: 4, wta: 8, doubles: 16 } as const
const TITLE_AT = 5

const TITLES: readonly RegExp[] = [
  /\b(?:lol|league of legends)\b/,
  /\b(?:cs2|csgo|cs:go|counter[- ]strike)\b/,
  /\b(?:valorant|val)\b/,
  /\bdota ?2?\b/,
  /\b(?:r6|rainbow six)\b/,
  /\boverwatch\b/,
  /\brocket league\b/,
]
const WOMEN =
  /\b(?:wom[ae]n'?s?|ladies|girls|wnba|wsl|nwsl|ncaaw|uwcl|lpga|cwbb|wcbb|wt20|softball|wwc|fifwwc|wafcon|ligaf|frauen-bundesliga|femeni|femenino|feminine)\b/
const YOUTH = /\bu-?(?:1[5-9]|2[0-3])s?\b|\bunder-(?:1[5-9]|2[0-3])s?\b|\byouth\b/

function ofText(text: string): number {
  const lower = text.toLowerCase()
  let found = 0
  if (WOMEN.test(lower)) found |= DIVISION.women
  if (YOUTH.test(lower)) found |= DIVISION.youth
  if (/\bsummer[ -]league\b/.test(lower)) found |= DIVISION.summer
  if (/\bwta\b/.test(lower)) found |= DIVISION.wta
  if (/\bdoubles\b/.test(lower) || namesTwoCouples(lower)) found |= DIVISION.doubles
  return found
}

/** "Berg/Kirk vs Lind/Moe": in doubles both sides are two people, while Bodo/Glimt is one club. */
function namesTwoCouples(lower: string): boolean {
  const plain = fold(lower)
  return plain.includes('/') && new Set(plain.match(/[a-z]{3,} ?\/ ?[a-z]{3,}/g)).size > 1
}

function ofSeries(series: string): number {
  const name = series.replace(/^KX/, '')
  let found = 0
  if (
    /^(?:WNBA|WSL|WWC|WNL|WAFCON|LIGAF|NWSL|UWCL|LPGA|NCAAW|WT20|WODI|WPL|WMARMAD|WFIFA|WEURO)|WOMEN|SOFTBALL/.test(
      name,
    )
  )
    found |= DIVISION.women
  if (/U(?:1[5-9]|2[0-3])(?!\d)|YOUTH/.test(name)) found |= DIVISION.youth
  if (/(?:NBA|NHL|NFL)SUMMER/.test(name)) found |= DIVISION.summer
  if (/^(?:WTA|ITFW)/.test(name)) found |= DIVISION.wta
  if (/DOUBLES/.test(name)) found |= DIVISION.doubles
  const title =
    /^(?:(LOL)|(CS2|CSGO)|(VALORANT)|(DOTA2)|(R6)|(OW|OVERWATCH)|(RL|ROCKETLEAGUE))(?=$|GAME|MAP|MATCH|TOTAL|SPREAD|QUALIFIERS|WINNER)/.exec(
      name,
    )
  return title === null
    ? found
    : found | (title.findIndex((part, at) => at > 0 && part !== undefined) << TITLE_AT)
}

/** The title a slug begins with, or a title before a colon; words elsewhere may be names. */
function titleOf(slug: string | null, title: string): number {
  const league = /^([a-z0-9]+)-/.exec(slug ?? '')?.[1] ?? ''
  const head = title.includes(': ') ? title.slice(0, title.indexOf(': ')).toLowerCase() : ''
  return TITLES.findIndex((pattern) => pattern.test(league) || pattern.test(head)) + 1
}

/**
 * How much of the rules is read. Names leave out who plays where a series or a slug implies it; the first sentences of
 * the rules say it.
 */
const OPENING = 600

function ofRules(rules: string): number {
  const lower = rules.slice(0, OPENING).toLowerCase()
  if (/\bmen'?s\b/.test(lower)) return 0
  return (WOMEN.test(lower) ? DIVISION.women : 0) | (YOUTH.test(lower) ? DIVISION.youth : 0)
}

/** @param isSport whether to read the rules too; outside sport they speak of women who do not play. */
export function readDivision(
  { market, ticker }: Pick<Fingerprint, 'market' | 'ticker'>,
  isSport: boolean,
): number {
  const { title, eventTitle, outcome, tags } = market
  const slug = market.venue === 'a' ? (market.slug ?? market.marketSlug) : null
  const found =
    ofText([title, eventTitle, outcome ?? '', slug ?? '', ...tags].join(' | ')) |
    (ticker === null ? 0 : ofSeries(ticker.series)) |
    (isSport ? ofRules(market.rules) : 0)
  const named = titleOf(slug, title)
  return named === 0 || found >> TITLE_AT !== 0 ? found : found | (named << TITLE_AT)
}

/** Do they differ: women against men, youth against adults, one esports title against another? */
export function areApart(a: number, b: number, isGame: boolean): boolean {
  const [titleA, titleB] = [a >> TITLE_AT, b >> TITLE_AT]
  if (titleA !== 0 && titleB !== 0 && titleA !== titleB) return true
  return divisionOf(a, isGame) !== divisionOf(b, isGame)
}

/** A question names its players, so that the tour says nothing more; a game may name surnames only. */
function divisionOf(bits: number, isGame: boolean): number {
  const { women, youth, summer, wta, doubles } = DIVISION
  if (!isGame) return bits & (women | youth | summer)
  return (bits & (women | youth | summer | doubles)) | ((bits & wta) === 0 ? 0 : women)
}
