import { DAY, HOUR } from '../../../units.ts'

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const

/** The n-th Sunday of a month, UTC midnight. */
function sunday(year: number, month: number, nth: number): number {
  const first = Date.UTC(year, month, 1)
  return first + ((7 - new Date(first).getUTCDay()) % 7) * DAY + (nth - 1) * 7 * DAY
}

/** US Eastern time minus UTC: -4 h from the second Sunday of March to the first of November, else -5 h. */
export function easternOffsetMs(atMs: number): number {
  const year = new Date(atMs).getUTCFullYear()
  const summer = atMs >= sunday(year, 2, 2) + 7 * HOUR && atMs < sunday(year, 10, 1) + 6 * HOUR
  return summer ? -4 * HOUR : -5 * HOUR
}

/** The instant at which Eastern clocks show the given hour on the Eastern day that holds `dayMs`. */
export function easternHour(dayMs: number, hour: number): number {
  const shifted = dayMs + easternOffsetMs(dayMs)
  const midnight = shifted - (((shifted % DAY) + DAY) % DAY)
  const guess = midnight + hour * HOUR - easternOffsetMs(dayMs)
  return midnight + hour * HOUR - easternOffsetMs(guess)
}

/** One instant in the words both venues use for it, Eastern time. */
export type Day = {
  year: number
  month: string //      December
  monthDay: string //   December 5
  long: string //       December 5, 2026
  short: string //      Dec 5, 2026
  shortDay: string //   Dec 5
  iso: string //        2026-12-05
  code: string //       26DEC05
  monthCode: string //  26DEC
  hourCode: string //   17
  hour: string //       5PM
  zone: 'EST' | 'EDT'
}

export function day(atMs: number): Day {
  const offset = easternOffsetMs(atMs)
  const date = new Date(atMs + offset)
  const year = date.getUTCFullYear()
  const month = MONTHS[date.getUTCMonth()]!
  const dayOfMonth = date.getUTCDate()
  const hour = date.getUTCHours()
  const short = month.slice(0, 3)
  const two = (n: number) => String(n).padStart(2, '0')
  const monthCode = `${two(year % 100)}${short.toUpperCase()}`
  return {
    year,
    month,
    monthDay: `${month} ${dayOfMonth}`,
    long: `${month} ${dayOfMonth}, ${year}`,
    short: `${short} ${dayOfMonth}, ${year}`,
    shortDay: `${short} ${dayOfMonth}`,
    iso: date.toISOString().slice(0, 10),
    code: `${monthCode}${two(dayOfMonth)}`,
    monthCode,
    hourCode: two(hour),
    hour: `${hour % 12 === 0 ? 12 : hour % 12}${hour < 12 ? 'AM' : 'PM'}`,
    zone: offset === -4 * HOUR ? 'EDT' : 'EST',
  }
}

/** Noon on the last day of the month that lies `ahead` months after the one of `atMs`, Eastern time. */
export function monthEnd(atMs: number, ahead: number): number {
  const date = new Date(atMs + easternOffsetMs(atMs))
  return easternHour(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead + 1, 0, 17), 12)
}
