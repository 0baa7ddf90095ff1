import { Memo } from '../../../ops/memo.ts'
import { type Day, dayOf, lastDayOf, MONTHS } from './days.ts'
import { sportOfSeries } from './sports.ts'
import { wordTable } from './wordTable.ts'

/** What venue B's identifiers say besides the text. Only a hint: titles and rules win where they speak. */
export type TickerFacts = {
  series: string
  day: Day | null //        day in New York of the game, or the day after a deadline
  minute: number | null //  start of the game, minutes of the New York day
  month: { first: Day; last: Day } | null
  year: number | null
  gameNumber: number | null // of a doubleheader
  isGame: boolean //        date and teams in one part: bound to one game
  suffix: string | null //  what tells this market from its siblings
  deadline: { first: Day; last: Day } | null // the suffix, where it is a day or month: "before June" ends before it
  party: 'democratic' | 'republican' | null
}

const PARTIES = wordTable<'democratic' | 'republican'>({
  D: 'democratic',
  DEM: 'democratic',
  R: 'republican',
  REP: 'republican',
  GOP: 'republican',
})

//  Hundreds of markets belong to one series.
const seriesNames = new Memo<string>(20_000)

/** @param eventId event ticker; the rest of the market ticker is the suffix. */
export function readTicker(marketId: string, eventId: string): TickerFacts {
  const parts = marketId.split('-')
  const facts: TickerFacts = {
    series: seriesNames.of(parts[0]!, (name) => name),
    day: null,
    minute: null,
    month: null,
    year: null,
    gameNumber: null,
    isGame: false,
    suffix: null,
    deadline: null,
    party: null,
  }
  const own = marketId.startsWith(`${eventId}-`) ? marketId.slice(eventId.length + 1) : null
  if (own !== null) facts.suffix = own
  else if (parts.length > 2) facts.suffix = parts.at(-1)!
  facts.party = PARTIES.get(parts.at(-1)!) ?? null
  facts.year = yearOf(eventId)
  for (const part of parts.slice(1)) readPart(part, facts)
  facts.deadline = readDeadline(facts)
  return facts
}

function readDeadline({ series, suffix, year }: TickerFacts): TickerFacts['deadline'] {
  const own: Pick<TickerFacts, 'series' | 'day' | 'month' | 'year'> = { series, day: null, month: null, year }
  if (suffix !== null) readPart(suffix, own as TickerFacts)
  return own.day === null ? own.month : { first: own.day, last: own.day }
}

function readPart(part: string, facts: TickerFacts): void {
  if (part.length < 'NOV23'.length) return
  const dated = /^(\d{2})?(JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)(\d{2})?(\d{4})?([A-Z0-9]*)$/.exec(
    part,
  )
  if (dated !== null) {
    const [, yy, name, dd, hhmm, rest] = dated
    if (yy === undefined && (dd === undefined || facts.year === null)) return
    const year = yy === undefined ? facts.year! : 2000 + Number(yy)
    const month = MONTHS.get(name!.toLowerCase())!
    if (dd === undefined) {
      if (rest === '') facts.month = { first: dayOf(year, month, 1), last: lastDayOf(year, month) }
      facts.year = year
      return
    }
    facts.day = dayOf(year, month, Number(dd))
    facts.year = year
    if (hhmm !== undefined) facts.minute = Number(hhmm.slice(0, 2)) * 60 + Number(hhmm.slice(2))
    facts.isGame = /^[A-Z0-9]{4,}$/.test(rest!) && !/^H\d/.test(rest!)
    //  in esports G2 is a team
    const double = sportOfSeries(facts.series) === 'esports' ? null : /[A-Z]G([12])$/.exec(rest!)
    if (double !== null) facts.gameNumber = Number(double[1])
    return
  }
}

//  Markets of one event come one after another.
let newestEvent: { eventId: string; year: number | null } = { eventId: '', year: null }

function yearOf(eventId: string): number | null {
  if (newestEvent.eventId !== eventId) newestEvent = { eventId, year: readYear(eventId.split('-').slice(1)) }
  return newestEvent.year
}

/** 27, 2026; else PGC26, 26K, 06R26, 4126: two digits of a year at either end of a part. */
function readYear(parts: readonly string[]): number | null {
  const patterns = [/^(?:20)?(\d{2})$/, /^(\d{2})[A-Z]/, /(\d{2})$/]
  for (const pattern of patterns)
    for (const part of parts) {
      const found = pattern.exec(part)
      if (found !== null && Number(found[1]) >= 24 && Number(found[1]) <= 50) return 2000 + Number(found[1])
    }
  return null
}
