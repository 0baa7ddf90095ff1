import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeCursor, encodeCursor } from '../../../ops/sandbox/venues/http/cursor.ts'
import {
  eventsA,
  eventsB,
  getJson,
  handClock,
  type Json,
  marketsA,
  marketsB,
  NOON,
  nested,
  venueServers,
} from './venuesClient.ts'

const servers = venueServers()
let aUrl: string
let bUrl: string
beforeAll(async () => {
  const venues = await servers.generated(400, 31)
  aUrl = venues.aUrl
  bUrl = venues.bUrl
})
afterAll(() => servers.closeAll())

const ids = (rows: Json[]) => rows.map((row) => row.id ?? row.ticker)

describe('paging meets every row exactly once, whatever the page size', () => {
  test('property: events of venue A', async () => {
    const whole = ids(nested(await eventsA(aUrl)))
    expect(new Set(whole).size).toBe(whole.length)
    expect(whole).toHaveLength(400)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 500 }), async (limit) => {
        const pages = await eventsA(aUrl, limit)
        expect(ids(nested(pages))).toEqual(whole)
        expect(pages.every((page) => page.length <= limit)).toBe(true)
      }),
      { numRuns: 12 },
    )
  })

  test('property: markets of venue A, by cursor', async () => {
    const open = nested(await eventsA(aUrl)).filter((market) => !market.closed)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 100 }), async (limit) => {
        expect(ids((await marketsA(aUrl, limit)).flat())).toEqual(ids(open))
      }),
      { numRuns: 6 },
    )
  })

  test('property: events of venue B', async () => {
    const whole = ids(nested(await eventsB(bUrl)))
    expect(new Set(whole).size).toBe(whole.length)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 200 }), async (limit) => {
        expect(ids(nested(await eventsB(bUrl, limit)))).toEqual(whole)
      }),
      { numRuns: 12 },
    )
  })

  test('property: markets of venue B, with and without combinations', async () => {
    const open = ids(nested(await eventsB(bUrl)).filter((market) => market.status === 'active'))
    const combos = ids((await marketsB(bUrl, 1_000, 'mve_filter=only')).flat())
    expect(combos).toHaveLength(200)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1_000 }), async (limit) => {
        const size = Math.max(limit, 7)
        expect(ids((await marketsB(bUrl, size)).flat())).toEqual(open)
        expect(ids((await marketsB(bUrl, size, 'status=open')).flat())).toEqual([...combos, ...open])
      }),
      { numRuns: 8 },
    )
  })

  test('trap 10: an unfiltered first page of venue B holds nothing but combinations', async () => {
    const { markets } = await getJson(`${bUrl}/markets?limit=200`)
    expect(markets.every((market: Json) => market.ticker.startsWith('KXMVE'))).toBe(true)
    const events = (await eventsB(bUrl, 200, 'with_nested_markets=true')).flat()
    expect(events.some((event) => event.event_ticker.startsWith('KXMVE'))).toBe(false)
  })

  test('offset listings cut the same sequence', async () => {
    const whole = ids((await eventsA(aUrl)).flat())
    const page = await getJson(`${aUrl}/events?closed=false&limit=7&offset=20`)
    expect(ids(page)).toEqual(whole.slice(20, 27))
    expect(await getJson(`${aUrl}/events?closed=false&offset=100000`)).toEqual([])
  })
})

describe('a sweep during which events come and go', () => {
  test('meets every event that stands all the while exactly once, on both venues', async () => {
    const clock = handClock(NOON)
    const venues = await servers.generated(400, 44, clock)
    for (const [rows, next, cursorName, url, id] of [
      ['events', 'next_cursor', 'after_cursor', `${venues.aUrl}/events/keyset?closed=false&limit=5`, 'id'],
      ['events', 'cursor', 'cursor', `${venues.bUrl}/events?status=open&limit=5`, 'event_ticker'],
    ] as const) {
      clock.set(NOON)
      const sweep = async () =>
        (id === 'id' ? await eventsA(venues.aUrl) : await eventsB(venues.bUrl))
          .flat()
          .map((event) => event[id])
      const before = await sweep()
      const met: string[] = []
      let cursor = ''
      for (let page = 0; ; page++) {
        clock.set(NOON + page * 900_000) // a quarter of an hour passes between two pages
        const answer: Json = await getJson(cursor !== '' ? `${url}&${cursorName}=${cursor}` : url)
        met.push(...answer[rows].map((event: Json) => event[id]))
        cursor = answer[next] ?? ''
        if (cursor === '') break
      }
      const after = await sweep()
      const stayed = before.filter((name) => after.includes(name))
      expect(after.some((name) => !before.includes(name))).toBe(true)
      for (const name of stayed) expect(met.filter((one) => one === name)).toHaveLength(1)
      expect(new Set(met).size).toBe(met.length)
    }
  })
})

describe('cursors', () => {
  test('property: what is encoded is decoded, for its own list only', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), (key, index) => {
        const cursor = { list: 'events', key, index }
        expect(decodeCursor('events', encodeCursor(cursor))).toEqual(cursor)
        expect(decodeCursor('markets', encodeCursor(cursor))).toBeNull()
      }),
    )
  })

  test('property: junk is no cursor, and never an exception', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(decodeCursor('events', text)).toBeNull()
      }),
    )
  })
})
