import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { spoilRows } from '../../../ops/sandbox/venues/faults/rows.ts'
import { BAD_ROWS, type BadRow, faultRules, Rule } from '../../../ops/sandbox/venues/faults/rules.ts'
import {
  eventsA,
  eventsB,
  getJson,
  handClock,
  type Json,
  mid,
  NOON,
  nested,
  post,
  venueServers,
} from './venuesClient.ts'

const servers = venueServers()
const clock = handClock(NOON)
const venues = await servers.generated(300, 2, clock)
const { aUrl, bUrl, faults } = venues
afterAll(() => servers.closeAll())
beforeEach(() => {
  faults.clear()
  clock.set(NOON)
})

const keyset = `${aUrl}/events/keyset?closed=false&limit=20`
const nestedB = `${bUrl}/events?status=open&with_nested_markets=true&limit=20`

/** Raw bytes: fetch would unpack them. */
const raw = (url: string) =>
  new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer; broken: boolean }>(
    (resolve, reject) => {
      request(url, { headers: { 'accept-encoding': 'gzip' } }, (response) => {
        const parts: Buffer[] = []
        const end = (broken: boolean) =>
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            body: Buffer.concat(parts),
            broken,
          })
        response.on('data', (part) => parts.push(part))
        response.on('end', () => end(false))
        response.on('error', () => end(true))
      })
        .on('error', reject)
        .end()
    },
  )

describe('a rule strikes what it names', () => {
  test('venue, path prefix, skip, times; the counts can be read', async () => {
    const id = faults.add({
      venue: 'a',
      path: '/events',
      skip: 1,
      times: 2,
      fault: { kind: 'status', status: 503 },
    })
    const seen: number[] = []
    for (let i = 0; i < 5; i++) seen.push((await fetch(keyset)).status)
    expect(seen).toEqual([200, 503, 503, 200, 200])
    expect((await fetch(`${aUrl}/time`)).status).toBe(200)
    expect((await fetch(nestedB)).status).toBe(200)
    expect(faults.list()).toMatchObject([{ id, seen: 5, struck: 2 }])
    faults.remove(id)
    expect(faults.list()).toEqual([])
  })

  test('times null strikes until it is cleared', async () => {
    faults.add({ times: null, fault: { kind: 'status', status: 500 } })
    for (const url of [keyset, nestedB, keyset]) expect((await fetch(url)).status).toBe(500)
    faults.clear()
    expect((await fetch(keyset)).status).toBe(200)
  })

  test('over HTTP, on either port: add one or several, list, clear; refusals say what is wrong', async () => {
    const origin = new URL(bUrl).origin
    const rule = { venue: 'a', path: '/events', fault: { kind: 'body', body: 'null' } }
    expect(await (await post(`${origin}/__sandbox/faults`, rule)).json()).toEqual({
      ids: [expect.any(Number)],
    })
    expect(((await (await post(`${aUrl}/__sandbox/faults`, [rule, rule])).json()) as Json).ids).toHaveLength(
      2,
    )
    expect((await getJson(`${aUrl}/__sandbox/faults`)).faults).toHaveLength(3)
    expect(await (await fetch(keyset)).text()).toBe('null')
    await fetch(`${aUrl}/__sandbox/faults`, { method: 'DELETE' })
    expect((await getJson(`${aUrl}/__sandbox/faults`)).faults).toEqual([])
    for (const bad of [{}, { fault: { kind: 'nonsense' } }, { fault: { kind: 'status', status: 200 } }])
      expect((await post(`${aUrl}/__sandbox/faults`, bad)).status).toBe(400)
    expect((await fetch(`${aUrl}/__sandbox/faults`, { method: 'POST', body: '{' })).status).toBe(400)
  })

  test('rules are bounded', () => {
    const rules = faultRules()
    for (let i = 0; i < 100; i++) rules.add({ fault: { kind: 'hang' } })
    expect(() => rules.add({ fault: { kind: 'hang' } })).toThrow(/at most 100/)
  })
})

describe('VEN-01 answers that are none', () => {
  test.each([
    [{ kind: 'status', status: 429 }, 429, null, '{"error":"too many requests"}'],
    [{ kind: 'status', status: 429, retryAfterS: 7 }, 429, '7', '{"error":"too many requests"}'],
    [{ kind: 'status', status: 500, body: '<h1>oops</h1>' }, 500, null, '<h1>oops</h1>'],
    [{ kind: 'status', status: 503 }, 503, null, '{"code":"internal","message":"try again"}'],
    [{ kind: 'body', body: 'empty' }, 200, null, ''],
    [{ kind: 'body', body: 'array' }, 200, null, '[]'],
    [{ kind: 'body', body: 'null' }, 200, null, 'null'],
  ] as const)('%j', async (fault, status, retryAfter, text) => {
    faults.add({ fault })
    const response = await fetch(keyset)
    expect([response.status, response.headers.get('retry-after'), await response.text()]).toEqual([
      status,
      retryAfter,
      text,
    ])
  })

  test('HTML with status 200', async () => {
    faults.add({ fault: { kind: 'body', body: 'html' } })
    const response = await fetch(nestedB)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('text/html')
    expect(await response.text()).toContain('<!DOCTYPE html>')
  })

  test('truncated gzip', async () => {
    faults.add({ fault: { kind: 'truncated_gzip' } })
    const { status, headers, body } = await raw(keyset)
    expect([status, headers['content-encoding']]).toEqual([200, 'gzip'])
    expect(() => gunzipSync(body)).toThrow()
  })

  test('a connection that breaks inside the body', async () => {
    faults.add({ fault: { kind: 'reset' } })
    const { broken, body } = await raw(keyset)
    expect(broken).toBe(true)
    expect(body.length).toBeGreaterThan(0)
    expect((await fetch(keyset)).status).toBe(200)
  })

  test('slow answers come complete; hanging ones not at all, and others go on meanwhile', async () => {
    faults.add({ path: '/events', fault: { kind: 'slow', ms: 400 } })
    const finished: string[] = []
    const slow = getJson(keyset).then(({ events }) => {
      finished.push('slow')
      return events
    })
    await getJson(`${aUrl}/time`).then(() => finished.push('other'))
    expect(await slow).toHaveLength(20)
    expect(finished).toEqual(['other', 'slow'])
    faults.add({ path: '/time', fault: { kind: 'hang' } })
    const hanging = fetch(`${aUrl}/time`, { signal: AbortSignal.timeout(300) })
    expect((await getJson(keyset)).events).toHaveLength(20)
    await expect(hanging).rejects.toThrow()
    expect(await getJson(`${aUrl}/time`)).toBe(NOON / 1_000)
  })

  test('VEN-15 a huge body', async () => {
    faults.add({ fault: { kind: 'huge', bytes: 5_000_000 } })
    expect((await (await fetch(nestedB)).arrayBuffer()).byteLength).toBe(5_000_000)
  })
})

describe('VEN-02 cursors', () => {
  const whole = async () => (await eventsA(aUrl, 10)).map((page) => page.map((event) => event.id))

  test('ignored: the same first page for ever', async () => {
    const [first] = await whole()
    faults.add({ venue: 'a', times: null, fault: { kind: 'cursor', how: 'ignored' } })
    const pages = await eventsA(aUrl, 10, 'closed=false', 5)
    expect(pages.map((page) => page.map((event) => event.id))).toEqual(Array(5).fill(first))
  })

  test('cycle: after three pages back to the second', async () => {
    const pages = await whole()
    faults.add({ venue: 'a', times: null, fault: { kind: 'cursor', how: 'cycle', pages: 3 } })
    const seen = (await eventsA(aUrl, 10, 'closed=false', 8)).map((page) => page.map((event) => event.id))
    expect(seen.slice(0, 4)).toEqual(pages.slice(0, 4))
    expect(seen.slice(4)).toEqual([pages[1], pages[1], pages[1], pages[1]])
  })

  test('skip: one page is missing', async () => {
    const pages = await whole()
    faults.add({ venue: 'a', skip: 1, fault: { kind: 'cursor', how: 'skip' } })
    const seen = (await eventsA(aUrl, 10)).map((page) => page.map((event) => event.id))
    expect(seen).toEqual([...pages.slice(0, 2), ...pages.slice(3)])
  })

  test.each(['a', 'b'] as const)('cut: the listing of venue %s ends early', async (venue) => {
    faults.add({ venue, skip: 1, fault: { kind: 'cursor', how: 'cut' } })
    expect(await (venue === 'a' ? eventsA(aUrl, 10) : eventsB(bUrl, 10))).toHaveLength(2)
    expect((await (venue === 'a' ? eventsA(aUrl, 10) : eventsB(bUrl, 10))).length).toBeGreaterThan(3)
  })

  test('junk: a cursor the venue refuses when it comes back', async () => {
    faults.add({ venue: 'b', fault: { kind: 'cursor', how: 'junk' } })
    const { cursor } = await getJson(nestedB)
    expect((await fetch(`${nestedB}&cursor=${cursor}`)).status).toBe(400)
  })

  test('the page limit is reduced', async () => {
    faults.add({ venue: 'b', times: null, fault: { kind: 'limit', limit: 3 } })
    const pages = await eventsB(bUrl, 200)
    expect(Math.max(...pages.map((page) => page.length))).toBe(3)
    faults.clear()
    expect(pages.flat()).toEqual((await eventsB(bUrl, 200)).flat())
  })
})

describe('time', () => {
  test('VEN-07 freeze: the same content, a fresh Date; thawed, the present', async () => {
    faults.add({ times: null, fault: { kind: 'freeze' } })
    const before = await fetch(keyset)
    const frozen = await before.text()
    clock.set(NOON + 600_000)
    const after = await fetch(keyset)
    expect(await after.text()).toBe(frozen)
    expect(after.headers.get('date')).toBe(new Date(NOON + 600_000).toUTCString())
    faults.clear()
    expect(await (await fetch(keyset)).text()).not.toBe(frozen)
  })

  test('VEN-04 stale: one answer is as old as is asked for', async () => {
    const old = await (await fetch(keyset)).text()
    clock.set(NOON + 3_600_000)
    faults.add({ fault: { kind: 'stale', ms: 3_600_000 } })
    expect(await (await fetch(keyset)).text()).toBe(old)
    expect(await (await fetch(keyset)).text()).not.toBe(old)
  })

  test.each([3_600_000, -3_600_000])(
    'VEN-08 skew of %d ms moves stamps and Date, nothing else',
    async (ms) => {
      const plain = await getJson(nestedB)
      const plainA = await getJson(keyset)
      faults.add({ times: null, fault: { kind: 'skew', ms } })
      const response = await fetch(nestedB)
      expect(response.headers.get('date')).toBe(new Date(NOON + ms).toUTCString())
      const skewed = (await response.json()) as Json
      expect(Date.parse(skewed.events[0].last_updated_ts) - Date.parse(plain.events[0].last_updated_ts)).toBe(
        ms,
      )
      expect(skewed.events[0].markets[0].close_time).toBe(plain.events[0].markets[0].close_time)
      expect(skewed.events[0].markets[0].yes_bid_dollars).toBe(plain.events[0].markets[0].yes_bid_dollars)
      const skewedA = await getJson(keyset)
      expect(Date.parse(skewedA.events[0].updatedAt) - Date.parse(plainA.events[0].updatedAt)).toBe(ms)
    },
  )

  test('VEN-08 skew moves the stamp of an order book', async () => {
    const [token] = JSON.parse(
      nested(await eventsA(aUrl)).find((market) => mid(market) !== null).clobTokenIds,
    )
    const plain = await getJson(`${aUrl}/book?token_id=${token}`)
    faults.add({ path: '/book', fault: { kind: 'skew', ms: 5_000 } })
    const skewed = await getJson(`${aUrl}/book?token_id=${token}`)
    expect(skewed).toEqual({ ...plain, timestamp: String(Number(plain.timestamp) + 5_000) })
  })
})

describe('VEN-03, 05, 06, 11, 13, 14 rows that are wrong', () => {
  const rows = async (venue: 'a' | 'b', row: BadRow, every = 2) => {
    const url = venue === 'a' ? keyset : nestedB
    const before = nested([(await getJson(url)).events])
    faults.add({ venue, fault: { kind: 'rows', row, every } })
    return { before, after: nested([(await getJson(url)).events]) }
  }

  test.each([
    ['a', 'price_high', (market: Json) => market.bestAsk === 1.01],
    ['b', 'price_high', (market: Json) => market.yes_ask_dollars === '1.0100'],
    ['a', 'price_negative', (market: Json) => market.bestBid === -0.01],
    ['b', 'price_negative', (market: Json) => market.yes_bid_dollars === '-0.0100'],
    ['a', 'price_nan', (market: Json) => market.bestBid === 'NaN'],
    ['b', 'price_nan', (market: Json) => market.yes_bid_dollars === 'NaN'],
    ['a', 'price_null', (market: Json) => market.bestBid === null],
    ['b', 'price_null', (market: Json) => market.yes_ask_dollars === null],
    ['a', 'price_tiny', (market: Json) => market.bestBid === 1e-20],
    ['b', 'price_tiny', (market: Json) => market.yes_bid_dollars === '0.00000000000000000001'],
    ['a', 'crossed', (market: Json) => market.bestBid === 0.6 && market.bestAsk === 0.4],
    ['b', 'crossed', (market: Json) => Number(market.yes_bid_dollars) + Number(market.no_bid_dollars) > 1],
    ['a', 'contradicting', (market: Json) => market.outcomePrices === '["0.60", "0.60"]'],
    ['b', 'contradicting', (market: Json) => market.no_bid_dollars === '0.6001'],
    ['b', 'zero_size', (market: Json) => market.yes_bid_size_fp === '0.00'],
    ['a', 'missing_id', (market: Json) => market.id === undefined],
    ['b', 'missing_id', (market: Json) => market.ticker === undefined],
    ['a', 'halted', (market: Json) => market.acceptingOrders === false],
    ['b', 'halted', (market: Json) => market.status === 'inactive'],
    [
      'a',
      'hostile_text',
      (market: Json) => market.question.includes('<script>') && market.question.length > 10_000,
    ],
    ['b', 'hostile_text', (market: Json) => market.title.includes('\u202E')],
    ['a', 'hostile_slug', (market: Json) => market.slug.startsWith('../')],
    ['b', 'hostile_slug', (market: Json) => market.ticker.startsWith('javascript:')],
  ] as const)('venue %s: %s, every second row and no other', async (venue, row, wrong) => {
    const { before, after } = await rows(venue, row)
    expect(after).toHaveLength(before.length)
    expect(after.every((market, i) => i % 2 === 0 || wrong(market))).toBe(true)
    expect(after.filter((_, i) => i % 2 === 0)).toEqual(before.filter((_, i) => i % 2 === 0))
  })

  test('cents where dollars were', async () => {
    const { before, after } = await rows('b', 'unit_switch', 1)
    for (const [i, market] of before.entries())
      expect(Number(after[i].last_price_dollars)).toBeCloseTo(Number(market.last_price_dollars) * 100, 6)
  })

  test('the same market twice, with another price', async () => {
    const { before, after } = await rows('a', 'duplicate', 4)
    expect(after.length).toBe(before.length + Math.floor(before.length / 4))
    const twice = after.filter((market) => market.id === before[3].id)
    expect(twice).toHaveLength(2)
    expect(twice[0].bestBid).not.toBe(twice[1].bestBid)
  })

  test('every kind of bad row applies to every shape of answer', () => {
    const a = { id: '1', question: 'q', outcomes: '[]', bestBid: 0.1 }
    const b = { ticker: 'T', title: 't', yes_bid_dollars: '0.1000' }
    for (const row of BAD_ROWS)
      for (const market of [a, b])
        for (const body of [[market], { markets: [market] }, { events: [{ slug: 's', markets: [market] }] }])
          expect(JSON.stringify(spoilRows(body, row, 1)), `${row}`).not.toBe(JSON.stringify(body))
    for (const odd of [null, 'text', 7, { events: null }, { markets: 1 }])
      expect(spoilRows(odd, 'crossed', 1)).toEqual(odd)
  })
})

test('faults combine: slow, spoiled and without its cursor', async () => {
  faults.add({ venue: 'a', fault: { kind: 'slow', ms: 50 } })
  faults.add({ venue: 'a', fault: { kind: 'rows', row: 'price_high', every: 1 } })
  faults.add({ venue: 'a', fault: { kind: 'cursor', how: 'cut' } })
  const page = await getJson(keyset)
  expect(page.next_cursor).toBeUndefined()
  expect(nested([page.events]).every((market) => market.bestAsk === 1.01)).toBe(true)
})

test('a rule has defaults: any venue, any path, once', () => {
  expect(Rule.parse({ fault: { kind: 'hang' } })).toEqual({
    path: '/',
    skip: 0,
    times: 1,
    fault: { kind: 'hang' },
  })
})
