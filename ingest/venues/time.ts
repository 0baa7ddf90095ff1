/** ISO with a zone, or venue A's form for games: a blank for T and a two-digit zone. */
const INSTANT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(Z|[+-]\d\d(?::?\d\d)?)$/
const YEAR_2200_MS = Date.UTC(2200, 0, 1)

/** @returns Unix ms; null for anything without a zone, unreadable, or outside 1970 to 2200. */
export function parseInstant(value: unknown): number | null {
  if (typeof value !== 'string') return null
  const match = INSTANT.exec(value)
  if (match === null) return null
  const zone = match[1]!
  const iso = zone.length === 3 ? `${value.replace(' ', 'T')}:00` : value.replace(' ', 'T')
  return plausible(Date.parse(iso))
}

/** Unix milliseconds as text. Seconds and microseconds have another number of digits and are refused. */
export function parseEpochMs(value: unknown): number | null {
  return typeof value === 'string' && /^\d{13}$/.test(value) ? plausible(Number(value)) : null
}

function plausible(ms: number): number | null {
  return ms >= 0 && ms < YEAR_2200_MS ? ms : null
}
