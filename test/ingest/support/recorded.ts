import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { REPOSITORY } from '../../support/process.ts'

/** Recorded payloads of both venues, read where they are. Tests that need them are skipped without them. */
export const VENUES = join(REPOSITORY, '../shared/venues')
export const haveRecordings = existsSync(VENUES)
if (!haveRecordings) console.warn(`no recordings at ${VENUES}: tests over real pages are skipped`)

export function readRecording(path: string): unknown {
  const bytes = readFileSync(join(VENUES, path))
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  if (/\.jsonl(\.gz)?$/.test(path))
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown)
  return JSON.parse(text)
}

/** The files of one venue of a replay recording, in order. */
export function replayFiles(recording: string, venue: 'a' | 'b'): string[] {
  const folder = `replay/${recording}/venue-${venue}`
  return readdirSync(join(VENUES, folder))
    .sort()
    .map((file) => `${folder}/${file}`)
}

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Every event with markets in a payload; a market that stands alone is put into an event. */
export function eventsIn(payload: unknown): { a: Json[]; b: Json[] } {
  const found: { a: Json[]; b: Json[] } = { a: [], b: [] }
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const item of value) walk(item)
      return
    }
    if (!isObject(value)) return
    if (typeof value.event_ticker === 'string' && Array.isArray(value.markets)) found.b.push(value)
    else if (typeof value.slug === 'string' && Array.isArray(value.markets)) found.a.push(value)
    else if (typeof value.question === 'string' && value.outcomes !== undefined)
      found.a.push({ ...parentOf(value), markets: [value] })
    else if (typeof value.ticker === 'string' && typeof value.close_time === 'string')
      found.b.push({ event_ticker: value.event_ticker, title: 'recorded alone', markets: [value] })
    else for (const item of Object.values(value)) walk(item)
  }
  walk(payload)
  return found
}

function parentOf(market: Json): Json {
  const [event] = Array.isArray(market.events) ? market.events : []
  return isObject(event) ? event : { id: 'alone', slug: 'alone', title: 'recorded alone' }
}
