import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { looksInside } from '../../../ops/sandbox/venues/a/filters.ts'
import {
  eventsA,
  getJson,
  handClock,
  type Json,
  marketsB,
  NOON,
  nested,
  venueServers,
} from './venuesClient.ts'

const servers = venueServers()
const clock = handClock(NOON)
let aUrl: string
let bUrl: string
let events: Json[]
beforeAll(async () => {
  const venues = await servers.generated(600, 9, clock)
  aUrl = venues.aUrl
  bUrl = venues.bUrl
  events = (await eventsA(aUrl)).flat()
})
afterAll(() => servers.closeAll())

const status = async (url: string) => (await fetch(url)).status

describe('venue A refuses (wire.md 1.2, 1.7)', () => {
  test.each([
    ['/events/keyset?limit=501', 422],
    ['/events/keyset?limit=500', 200],
    ['/events/keyset?limit=0', 422],
    ['/events/keyset?limit=x', 422],
    ['/events/keyset?offset=0', 422], //  offset belongs to the old listing
    ['/events/keyset?after_cursor=nonsense', 422],
    ['/events/keyset?closed=maybe', 422],
    ['/markets/keyset?limit=101', 422],
    ['/markets/keyset?limit=100', 200],
    ['/events?offset=3&limit=2', 200],
    ['/events/123', 404],
    ['/events/slug/nothing-here', 404],
    ['/markets/123', 404],
    ['/markets/slug/nothing-here', 404],
    ['/nothing', 404],
    ['/%E0%A4%A', 404], // a path that cannot be decoded
  ])('%s → %d', async (path, expected) => {
    const response = await fetch(`${aUrl}${path}`)
    const body = (await response.json()) as Json
    expect(response.status).toBe(expected)
    if (expected >= 400) expect(body).toEqual({ type: expect.any(String), error: expect.any(String) })
  })
})

describe('venue B refuses (wire.md 2.2, 2.7)', () => {
  test.each([
    ['/events?limit=201', 400],
    ['/events?limit=200', 200],
    ['/events?cursor=nonsense', 400],
    ['/events?status=maybe', 400],
    ['/events/KXNOPE-1', 404],
    ['/markets?limit=1001', 400],
    ['/markets?limit=1000', 200],
    ['/markets?mve_filter=maybe', 400],
    ['/markets?min_close_ts=1&status=open', 400],
    ['/markets?min_close_ts=1&mve_filter=exclude&limit=5', 200],
    ['/markets?min_updated_ts=1&status=open', 400],
    ['/markets/KXNOPE-1-T2', 404],
    ['/series/KXNOPE', 404],
    ['/nothing', 404],
  ])('%s → %d', async (path, expected) => {
    const response = await fetch(`${bUrl}${path}`)
    const body = (await response.json()) as Json
    expect(response.status).toBe(expected)
    if (expected === 400)
      expect(body).toMatchObject({ code: expect.any(String), message: expect.any(String) })
    if (expected === 404) expect(body.error).toMatchObject({ code: 'not_found' })
  })

  test('without its prefix it knows nothing', async () => {
    expect(await status(`${new URL(bUrl).origin}/events`)).toBe(404)
  })
})

describe('venue A: single objects and filters', () => {
  test('an event by id and by slug, a market by id, slug, condition and token', async () => {
    const event = events[3]
    expect(await getJson(`${aUrl}/events/${event.id}`)).toEqual(event)
    expect(await getJson(`${aUrl}/events/slug/${event.slug}`)).toEqual(event)
    const [market] = event.markets
    const byId = await getJson(`${aUrl}/markets/${market.id}`)
    expect(byId).toMatchObject(market)
    expect(byId.events[0].slug).toBe(event.slug)
    expect(await getJson(`${aUrl}/markets/slug/${market.slug}`)).toEqual(byId)
    const [token] = JSON.parse(market.clobTokenIds)
    for (const filter of [
      `condition_ids=${market.conditionId}`,
      `clob_token_ids=${token}`,
      `id=${market.id}`,
    ])
      expect((await getJson(`${aUrl}/markets/keyset?${filter}`)).markets).toEqual([byId])
  })

  test('closed events are listed when asked for, and by default both', async () => {
    const closed = (await eventsA(aUrl, 500, 'closed=true')).flat()
    expect(closed.length).toBe(events.length)
    expect(
      closed.every((event) => event.closed && event.markets.every((market: Json) => market.closed)),
    ).toBe(true)
    expect((await eventsA(aUrl, 500, '')).flat()).toHaveLength(closed.length + events.length)
  })

  test('tags, amounts, dates, words', async () => {
    const tagged = (await eventsA(aUrl, 500, 'closed=false&tag_slug=weather')).flat()
    const weather = events.filter((event) => event.tags.some((tag: Json) => tag.slug === 'weather'))
    expect(tagged.map((event) => event.id)).toEqual(weather.map((event) => event.id))
    const [tag] = weather[0].tags
    expect((await eventsA(aUrl, 500, `closed=false&exclude_tag_id=${tag.id}`)).flat()).toHaveLength(
      events.length - weather.length,
    )
    const rich = (await eventsA(aUrl, 500, 'closed=false&volume_min=100000')).flat()
    expect(rich.map((event) => event.id)).toEqual(
      events.filter((event) => event.volume >= 100_000).map((event) => event.id),
    )
    const soon = (await eventsA(aUrl, 500, 'closed=false&end_date_max=2026-11-25T00:00:00Z')).flat()
    expect(soon.length).toBeGreaterThan(0)
    expect(soon.every((event) => event.endDate <= '2026-11-25T00:00:00Z')).toBe(true)
    const titled = (await eventsA(aUrl, 500, 'closed=false&title_search=TEMPERATURE')).flat()
    expect(titled.length).toBeGreaterThan(0)
    expect(titled.every((event) => /temperature/i.test(event.title))).toBe(true)
  })

  test.each([
    [{ closed: false, limit: 500, cursor: null, offset: 0 }, false], // a sweep is written straight out
    [{ limit: 20, ascending: true }, false],
    [{ closed: false, tag_slug: 'weather' }, true],
    [{ order: ['volume'] }, true],
  ])('%j needs the objects read back: %s', (request, expected) => {
    expect(looksInside(request)).toBe(expected)
  })

  test('order sorts, falling on request, across pages', async () => {
    const sorted = (await eventsA(aUrl, 40, 'closed=false&order=volume24hr&ascending=false')).flat()
    const volumes = sorted.map((event) => event.volume24hr ?? 0)
    expect(volumes).toEqual(volumes.toSorted((x, y) => y - x))
    expect(new Set(sorted.map((event) => event.id)).size).toBe(events.length)
  })
})

describe('venue B: filters', () => {
  test('by series, event, tickers', async () => {
    const [first] = (await marketsB(bUrl)).flat()
    const event = await getJson(`${bUrl}/events/${first.event_ticker}`)
    expect(event.markets.map((market: Json) => market.ticker)).toContain(first.ticker)
    const inside = await getJson(`${bUrl}/events/${first.event_ticker}?with_nested_markets=true`)
    expect(inside).toEqual({ event: { ...event.event, markets: event.markets } })
    const byEvent = await getJson(`${bUrl}/markets?event_ticker=${first.event_ticker}`)
    expect(byEvent.markets).toEqual(event.markets)
    const bySeries = (
      await marketsB(bUrl, 100, `series_ticker=${event.event.series_ticker}&status=open`)
    ).flat()
    expect(bySeries.every((market) => market.ticker.startsWith(`${event.event.series_ticker}-`))).toBe(true)
    const byTicker = await getJson(`${bUrl}/markets?tickers=${first.ticker},KXNOPE-1-2`)
    expect(byTicker.markets).toEqual([first])
    const plain = await getJson(`${bUrl}/events?tickers=${first.event_ticker}`)
    expect(plain.events).toEqual([event.event])
  })

  test('settled markets carry a result, and are not listed as open', async () => {
    const settled = (await marketsB(bUrl, 1_000, 'status=settled&mve_filter=exclude')).flat()
    expect(settled.length).toBeGreaterThan(100)
    for (const market of settled) {
      expect(market).toMatchObject({ status: 'finalized', result: expect.stringMatching(/^(yes|no)$/) })
      expect(market.settlement_value_dollars).toBe(market.result === 'yes' ? '1.0000' : '0.0000')
    }
    const late = (
      await marketsB(bUrl, 1_000, `mve_filter=exclude&min_close_ts=${NOON / 1_000 + 400 * 86_400}`)
    ).flat()
    expect(late.every((market) => Date.parse(market.close_time) >= NOON + 400 * 86_400_000)).toBe(true)
  })

  test('Thursdays from three to five Eastern time trading pauses', async () => {
    const trading = async (atMs: number) => {
      clock.set(atMs)
      const answer = await getJson(`${bUrl}/exchange/status`)
      clock.set(NOON)
      return answer.trading_active
    }
    expect(await trading(Date.UTC(2026, 10, 19, 7, 59))).toBe(true)
    expect(await trading(Date.UTC(2026, 10, 19, 8, 0))).toBe(false) // Thursday, 3:00 EST
    expect(await trading(Date.UTC(2026, 10, 19, 9, 59))).toBe(false)
    expect(await trading(Date.UTC(2026, 10, 19, 10, 0))).toBe(true)
    expect(await trading(Date.UTC(2026, 10, 20, 8, 0))).toBe(true)
  })
})

describe('transport', () => {
  const raw = (url: string, headers: Record<string, string>) =>
    new Promise<{ headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
      request(url, { headers }, (response) => {
        const parts: Buffer[] = []
        response.on('data', (part) => parts.push(part))
        response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(parts) }))
      })
        .on('error', reject)
        .end()
    })

  test('gzip for who accepts it, plain for who does not, the same bytes', async () => {
    const url = `${aUrl}/events/keyset?closed=false&limit=20`
    const zipped = await raw(url, { 'accept-encoding': 'gzip' })
    const plain = await raw(url, {})
    expect(zipped.headers['content-encoding']).toBe('gzip')
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(gunzipSync(zipped.body).equals(plain.body)).toBe(true)
  })

  test('Date and /time follow the market clock', async () => {
    const { headers } = await raw(`${aUrl}/time`, {})
    expect(headers.date).toBe(new Date(NOON).toUTCString())
    expect(await getJson(`${aUrl}/time`)).toBe(NOON / 1_000)
  })

  test('a body larger than any client needs is refused', async () => {
    const response = await fetch(`${aUrl}/books`, { method: 'POST', body: 'x'.repeat(3 * 1024 * 1024) })
    expect(response.status).toBe(413)
  })

  test('state counts what is open', async () => {
    const state = await getJson(`${aUrl}/__sandbox/state`)
    expect(state).toMatchObject({
      recorded: false,
      marketNowMs: NOON,
      world: expect.stringContaining('seed 9'),
    })
    expect(state.open.a.markets).toBe(nested([events]).filter((market) => market.acceptingOrders).length)
    expect(state.open.b.markets).toBe((await marketsB(bUrl)).flat().length)
    expect(state.requests.a).toBeGreaterThan(0)
  })

  test('truth is the same on both ports', async () => {
    const [left, right] = [
      await getJson(`${aUrl}/__sandbox/truth`),
      await getJson(`${new URL(bUrl).origin}/__sandbox/truth`),
    ]
    expect(left.rows.length).toBeGreaterThan(100)
    expect(left).toEqual(right)
  })
})
