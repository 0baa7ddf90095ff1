import { DAY } from '../../../ops/units.ts'
import { wordTable } from './wordTable.ts'

/** A calendar day as days since 1970-01-01. */
export type Day = number

export function dayOf(year: number, month: number, day: number): Day {
  return Math.floor(Date.UTC(year, month - 1, day) / DAY)
}

export function lastDayOf(year: number, month: number): Day {
  return dayOf(month === 12 ? year + 1 : year, month === 12 ? 1 : month + 1, 1) - 1
}

export function partsOf(day: Day): { year: number; month: number; day: number } {
  const date = new Date(day * DAY)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

/**
 * The day in New York at an instant, where both venues keep their calendars. Daylight saving runs from the
 * second Sunday of March to the first Sunday of November, the change at 02:00 local taken as 07:00 and 06:00 UTC.
 */
export function newYorkDay(ms: number): Day {
  return Math.floor((ms + newYorkOffsetMs(ms)) / DAY)
}

/** Minutes since midnight in New York. */
export function newYorkMinute(ms: number): number {
  const local = ms + newYorkOffsetMs(ms)
  return Math.floor((local - Math.floor(local / DAY) * DAY) / 60_000)
}

type Summer = { year: number; fromMs: number; toMs: number }

//  Nearly all instants lie in this year or the next.
let newestSummer: Summer = summerOf(1970)

function newYorkOffsetMs(ms: number): number {
  const year = new Date(ms).getUTCFullYear()
  if (newestSummer.year !== year) newestSummer = summerOf(year)
  return (ms >= newestSummer.fromMs && ms < newestSummer.toMs ? -4 : -5) * 3_600_000
}

function summerOf(year: number): Summer {
  const fromMs = sunday(year, 3, 2) * DAY + 7 * 3_600_000
  return { year, fromMs, toMs: sunday(year, 11, 1) * DAY + 6 * 3_600_000 }
}

function sunday(year: number, month: number, nth: number): Day {
  const first = dayOf(year, month, 1)
  const weekday = (first + 4) % 7 //  1970-01-01 was a Thursday
  return first + ((7 - weekday) % 7) + (nth - 1) * 7
}

export const MONTHS = wordTable<number>({
  jan: 1,
  january: 1,
  feb: 2,
  february: 2,
  mar: 3,
  march: 3,
  apr: 4,
  april: 4,
  may: 5,
  jun: 6,
  june: 6,
  jul: 7,
  july: 7,
  aug: 8,
  august: 8,
  sep: 9,
  sept: 9,
  september: 9,
  oct: 10,
  october: 10,
  nov: 11,
  november: 11,
  dec: 12,
  december: 12,
})
