import { Memo } from '../../../ops/memo.ts'
import type { GameFacts } from './game.ts'
import type { TickerFacts } from './ticker.ts'

/** What a series of venue B is about, where its name says so: the end of KXEPLBTTS, the middle of KXNBA1HTOTAL. */
type Kind = { type: GameFacts['type'] | 'result' | 'part' | null; part: Part | null }

/**
 * A part of a game, or another aspect of it, that the market's text must name too: `text` finds it there, null when
 * nothing can.
 */
type Part = { name: string; text: RegExp | null }

const PARTS: readonly (readonly [RegExp, Part])[] = (
  [
    [/FIRSTHALF|1STHALF|1H(?![A-Z]*OME)/, 'half 1', /\b(?:first|1st) half\b|\b1h\b/i],
    [/SECONDHALF|2NDHALF|2H(?![A-Z]*OME)/, 'half 2', /\b(?:second|2nd) half\b|\b2h\b/i],
    [/(?:NBA|NFL|NHL|MLB|NCAA[A-Z]*|CFL)F[1-9]/, 'innings', /\binnings?\b/i],
    [/(?:NBA|NFL|NCAA[A-Z]*|CFL)[1-4]Q/, 'quarter', /\bquarter\b|\b[1-4]q\b/i],
    [/NHL[1-3]P(?!LAYER)/, 'period', /\bperiod\b|\b[1-3]p\b/i],
    [/FIRST/, 'first', /\bfirst\b|\b1st\b/i],
    [/TEAMTOTAL/, 'team total', null],
    [/GAMEWINNER/, 'game winner', /\bgame \d/i],
    [/CORNER/, 'corners', null],
    [/(?:CARDS?|BOOKINGS?)$/, 'cards', null],
    [/ADVANCE|QUALIFY/, 'advance', null],
    //  the last race of a season bears the name of its title
    [/NASCAR\w*RACE/, 'race', /^(?!.*\bseries champion)|\brace\b/i],
    [/RACE/, 'race', null],
    [/TIP(?:OFF)?$/, 'tip', null],
    [/[A-Z]R[1-9](?:$|TOP|LEAD)/, 'round', /\bround\b/i],
    [
      /KILLS|ACES|TOSS|RFI|MO[VF]$|DISTANCE|VICROUND|EXACT|OVERTIME|EXTRATIME|EXTRAINN|SHOOTOUT|PENALT/,
      'other',
      null,
    ],
    [/DOUBLECHANCE|CLEANSHEET|HANDICAP|DNB$/, 'other', null],
  ] as const
).map(([series, name, text]) => [series, { name, text }])

const KINDS: readonly (readonly [RegExp, Kind['type']])[] = [
  [/BTTS$/, 'both_score'],
  [/TOTALS?$/, 'total'],
  [/SPREADS?$/, 'spread'],
  [/(?:SETWINNER|MAP|MAPWINNER)$/, 'part'],
  [/(?:GAME|MATCH|FIGHT|BOUT)$/, 'result'],
]

/** A league alone may stand for its games; any other name without a known end asks for something unknown. */
const LEAGUE_ALONE = /^KX(?:NFL|NBA|WNBA|MLB|NHL|UFC|MMA|BOXING|ATP|WTA|IPL)$|(?:DRAW|TIE|DOUBLES)$/

//  Hundreds of markets belong to one series.
const kinds = new Memo<Kind>(20_000)

function readKind(series: string): Kind {
  return {
    type: KINDS.find(([pattern]) => pattern.test(series))?.[1] ?? null,
    part: PARTS.find(([pattern]) => pattern.test(series))?.[1] ?? null,
  }
}

/**
 * What a series asks that the text of its market does not say, in a word; null when they agree, or the name of
 * the series tells nothing.
 */
export function unsaid(
  series: string,
  { type, segment }: Pick<GameFacts, 'type' | 'segment'>,
  asked: string,
): string | null {
  const kind = kinds.of(series, readKind)
  if (type === 'advance' && kind.part?.name === type) return null
  if (
    kind.part !== null &&
    (segment === '' || kind.part.text === null) &&
    kind.part.text?.test(asked) !== true
  )
    return kind.part.name
  if (kind.type === null)
    return segment === '' && (type === 'winner' || type === 'draw') && !LEAGUE_ALONE.test(series)
      ? 'unknown'
      : null
  if (kind.type === 'part') return segment === '' ? 'part' : null
  if (kind.type !== 'result') return kind.type === type ? null : kind.type
  return type === 'winner' || type === 'draw' ? null : 'result'
}

/** A place, a race or a draw of a tournament that a text must name too. */
const PLACES: readonly (readonly [RegExp, RegExp])[] = [
  [/TOP\d+/, /\btop\b/i],
  [/PODIUM/, /\bpodium\b|\btop\b/i],
  [/F1\w*SPRINT/, /\bsprint\b/i],
  [/F1\w*(?:POLE|QUALI)/, /\b(?:pole|qualifying|qualifier)\b/i],
  [/^KX(?:ATP|WTA)\w*DOUBLES/, /\bdoubles\b/i],
]

/**
 * Does the series ask for a part that the text does not name? For questions about a player in a game, or in a round of
 * a tournament.
 */
export function unsaidPart({ series, isGame }: TickerFacts, asked: string): boolean {
  if (PLACES.some(([place, text]) => place.test(series) && !text.test(asked))) return true
  if (!isGame && !/^KX(?:PGA|NASCAR)/.test(series)) return false
  const { part } = kinds.of(series, readKind)
  return part?.text != null && !part.text.test(asked)
}
