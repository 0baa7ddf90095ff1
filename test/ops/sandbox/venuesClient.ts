import { generateWorld } from '../../../ops/sandbox/venues/generator/generate.ts'
import { serveVenues, type Venues } from '../../../ops/sandbox/venues/serve.ts'
import type { World } from '../../../ops/sandbox/venues/world.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Json = any

/** A clock that stands still wherever it is set. */
export type HandClock = { nowMs(): number; set(ms: number): void }
export function handClock(ms: number): HandClock {
  let now = ms
  return {
    nowMs: () => now,
    set: (to) => {
      now = to
    },
  }
}

/** A Saturday noon (UTC): daily, hourly and yearly events are open. */
export const NOON = Date.UTC(2026, 10, 21, 12)

/** Every server started through it is closed by `closeAll`. */
export function venueServers() {
  const open: Venues[] = []
  return {
    async start(world: World, clock: HandClock = handClock(NOON)) {
      const venues = await serveVenues({ world, clock })
      open.push(venues)
      return { ...venues, clock }
    },
    generated(size = 400, seed = 1, clock?: HandClock) {
      return this.start(generateWorld({ seed, size }), clock)
    },
    async closeAll() {
      await Promise.all(open.splice(0).map((venues) => venues.close()))
    },
  }
}

export async function getJson(url: string): Promise<Json> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return response.json()
}

export async function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, { method: 'POST', body: JSON.stringify(body) })
}

/** All pages of a listing, at most `most` of them. */
export async function pages(
  url: string,
  names: { rows: string; next: string; cursor: string },
  most = 1_000,
): Promise<Json[][]> {
  const all: Json[][] = []
  let cursor = ''
  while (all.length < most) {
    const page = await getJson(cursor === '' ? url : `${url}&${names.cursor}=${encodeURIComponent(cursor)}`)
    all.push(page[names.rows])
    cursor = page[names.next] ?? ''
    if (cursor === '') break
  }
  return all
}

export const eventsA = (aUrl: string, limit = 500, query = 'closed=false', most = 1_000) =>
  pages(
    `${aUrl}/events/keyset?limit=${limit}&${query}`,
    { rows: 'events', next: 'next_cursor', cursor: 'after_cursor' },
    most,
  )
export const marketsA = (aUrl: string, limit = 100, query = 'closed=false') =>
  pages(`${aUrl}/markets/keyset?limit=${limit}&${query}`, {
    rows: 'markets',
    next: 'next_cursor',
    cursor: 'after_cursor',
  })
export const eventsB = (
  bUrl: string,
  limit = 200,
  query = 'status=open&with_nested_markets=true',
  most = 1_000,
) =>
  pages(`${bUrl}/events?limit=${limit}&${query}`, { rows: 'events', next: 'cursor', cursor: 'cursor' }, most)
export const marketsB = (bUrl: string, limit = 1_000, query = 'status=open&mve_filter=exclude') =>
  pages(`${bUrl}/markets?limit=${limit}&${query}`, { rows: 'markets', next: 'cursor', cursor: 'cursor' })

export const nested = (pagesOfEvents: Json[][]): Json[] =>
  pagesOfEvents.flat().flatMap((event) => event.markets)

/** Middle of bid and ask in dollars, of either venue's market; null unless both exist and are not crossed. */
export function mid(market: Json): number | null {
  const b = 'yes_bid_dollars' in market
  const bid = Number(b ? market.yes_bid_dollars : (market.bestBid ?? 0))
  const ask = Number(b ? market.yes_ask_dollars : (market.bestAsk ?? 0))
  return bid > 0 && ask > bid && ask < 1 ? (bid + ask) / 2 : null
}
