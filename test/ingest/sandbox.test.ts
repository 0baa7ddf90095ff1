import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Venue } from '../../ingest/contract/market.ts'
import {
  latestMarketsKey,
  latestQuotesKey,
  type Sweep,
  WANTED_BOOKS_KEY,
  wantedBook,
} from '../../ingest/contract/stream.ts'
import { createFeed, type PollPorts, type SweepFeed } from '../../ingest/poll/feed.ts'
import { createBookFeed, pollBooks } from '../../ingest/poll/pollBooks.ts'
import { sweepVenue } from '../../ingest/poll/sweepVenue.ts'
import { createHttpClient, type HttpClient } from '../../ops/http.ts'
import type { BadRow, RuleInput } from '../../ops/sandbox/venues/faults/rules.ts'
import { generateWorld } from '../../ops/sandbox/venues/generator/generate.ts'
import { serveVenues, type Venues } from '../../ops/sandbox/venues/serve.ts'
import { type Bench, Latest, openBench } from './support/bench.ts'
import { CATALOG, venuePorts } from './support/venuePorts.ts'

/** Polling from end to end against the sandbox's venue servers and their faults, for both venues alike. */
const SIZE = 600 // several pages on each venue
const START_MS = Date.UTC(2026, 7, 22, 12)
const world = generateWorld({ seed: 11, size: SIZE }) // here A has many prices below one cent on its first page
let nowMs = START_MS
let venues: Venues
let bench: Bench
let http: HttpClient
let ports: PollPorts & { redis: Bench['redis'] }

beforeAll(async () => {
  bench = await openBench()
  http = createHttpClient({ timeoutMs: 1_500, maxBytes: 20_000_000 })
  venues = await serveVenues({ world, clock: { nowMs: () => nowMs } })
})
afterAll(async () => {
  await http.close()
  await venues.close()
  await bench.close()
})
beforeEach(async () => {
  await bench.wipe()
  for (const venue of ['a', 'b'] as const) strike(venue, { kind: 'limit', limit: 40 })
  nowMs = START_MS
  ports = { ...bench.ports('one'), clock: { nowMs: () => nowMs } }
})
afterEach(() => venues.faults.clear())

const never = new AbortController().signal
const sweep = (feed: SweepFeed) => sweepVenue(feed, ports, never)
const lastSweep = async (): Promise<Sweep> => {
  const batch = (await bench.stream()).at(-1)!
  if (batch.kind !== 'sweep') throw new Error('the last entry is no sweep')
  return batch.sweep
}
const strike = (venue: Venue, fault: RuleInput['fault'], rest: Partial<RuleInput> = {}) =>
  venues.faults.add({ venue, path: CATALOG[venue], times: null, ...rest, fault })
const openMarkets = (venue: Venue): string[] =>
  [...world[venue].events(nowMs, null, 'current')]
    .flatMap((event) => event.markets)
    .filter(({ open }) => open)
    .map(({ id }) => id)
    .sort()
const known = async (venue: Venue) => [...(await bench.latest(venue)).keys()].sort()

describe.each(['a', 'b'] as const)('venue %s of the sandbox', (venue) => {
  test('every open market of the world is known after one sweep, nothing else, and it stays so', async () => {
    const feed = createFeed(venuePorts(http, venues)[venue]())
    expect(await sweep(feed)).toBe('complete')
    expect(await known(venue)).toEqual(openMarkets(venue))
    expect((await lastSweep()).pages).toBeGreaterThan(1)
    const placeholders = [...(await bench.latest(venue)).values()].filter(
      (one) => Latest.parse(one).market.placeholder,
    )
    expect(placeholders.length).toBeLessThan(openMarkets(venue).length / 4)
    for (let step = 0; step < 4; step++) {
      nowMs += 5_000
      expect(await sweep(feed)).toBe('complete')
      const published = (await bench.stream()).slice(-20).filter((batch) => batch.kind === 'changes')
      expect(published.length).toBeGreaterThan(0)
      expect(await known(venue)).toEqual(openMarkets(venue))
    }
    //  what was not parsed again equals what a fresh reader sees
    const before = await bench.latest(venue)
    await bench.redis.del(latestMarketsKey(venue), latestQuotesKey(venue))
    await sweep(createFeed(venuePorts(http, venues)[venue]()))
    const figures = (latest: Map<string, unknown>) =>
      [...latest].map(([id, one]) => [id, { ...Latest.parse(one).quote, seenMs: 0, venueMs: 0 }]).sort()
    expect(figures(await bench.latest(venue))).toEqual(figures(before))
  })

  const failures: [RuleInput['fault'], string][] = [
    [{ kind: 'status', status: 429 }, 'page_failed'],
    [{ kind: 'status', status: 500 }, 'page_failed'],
    [{ kind: 'status', status: 403 }, 'page_failed'],
    [{ kind: 'body', body: 'html' }, 'page_shape'],
    [{ kind: 'body', body: 'empty' }, 'page_shape'],
    [{ kind: 'body', body: 'array' }, 'page_shape'],
    [{ kind: 'body', body: 'null' }, 'page_shape'],
    [{ kind: 'truncated_gzip' }, 'page_failed'],
    [{ kind: 'reset' }, 'page_failed'],
    [{ kind: 'huge', bytes: 50_000_000 }, 'page_failed'],
    [{ kind: 'hang' }, 'page_failed'],
    [{ kind: 'cursor', how: 'ignored' }, 'cursor_cycle'],
    [{ kind: 'cursor', how: 'cycle', pages: 2 }, 'cursor_cycle'],
    [{ kind: 'cursor', how: 'junk' }, 'page_failed'],
    [{ kind: 'cursor', how: 'cut' }, 'shrunk'],
    //  in cents: most of B's prices become invalid, while A has many below one cent
    [{ kind: 'rows', row: 'unit_switch', every: 1 }, venue === 'a' ? 'unit_change' : 'mass_refusal'],
    [{ kind: 'rows', row: 'price_negative', every: 1 }, 'mass_refusal'],
    [{ kind: 'rows', row: 'price_high', every: 1 }, 'mass_refusal'],
  ]
  test.each(failures)('VEN-01, 02, 05, 15: %j ends as %s and closes nothing', async (fault, problem) => {
    const feed = createFeed(venuePorts(http, venues)[venue]())
    await sweep(feed)
    const [before, complete] = [await known(venue), await bench.newestSweep(venue)]
    strike(venue, fault)
    expect(await sweep(feed)).toBe(problem)
    expect(await lastSweep()).toMatchObject({ complete: false, problem })
    expect(await known(venue)).toEqual(before)
    expect(await bench.newestSweep(venue)).toEqual(complete)
    venues.faults.clear()
    expect(await sweep(feed)).toBe('complete')
    expect(await known(venue)).toEqual(openMarkets(venue))
  })

  test.each([
    [{ kind: 'status', status: 503 } as const],
    [{ kind: 'reset' } as const],
    [{ kind: 'truncated_gzip' } as const],
  ])('%j on the second page, twice: read at the third try', async (fault) => {
    strike(venue, fault, { skip: 1, times: 2 })
    expect(await sweep(createFeed(venuePorts(http, venues)[venue]()))).toBe('complete')
    expect(await known(venue)).toEqual(openMarkets(venue))
  })

  test('VEN-02: the page limit is reduced: more pages, the same markets', async () => {
    const feed = createFeed(venuePorts(http, venues)[venue]())
    await sweep(feed)
    const { pages } = await lastSweep()
    strike(venue, { kind: 'limit', limit: 16 })
    expect(await sweep(feed)).toBe('complete')
    expect(await known(venue)).toEqual(openMarkets(venue))
    expect((await lastSweep()).pages).toBeGreaterThan(2 * pages)
  })

  test('VEN-07: a frozen venue answers freshly, but changedMs stands', async () => {
    const feed = createFeed(venuePorts(http, venues)[venue]())
    await sweep(feed)
    strike(venue, { kind: 'freeze' })
    await sweep(feed)
    const { changedMs } = await lastSweep()
    for (let step = 0; step < 3; step++) {
      nowMs += 200_000
      expect(await sweep(feed)).toBe('complete')
      expect((await lastSweep()).changedMs).toBe(changedMs)
    }
    venues.faults.clear()
    expect(await sweep(feed)).toBe('complete')
    expect((await lastSweep()).changedMs).toBe(nowMs)
  })

  const rows: [BadRow, Record<string, number> | null][] = [
    ['price_high', { bad_price: 1 }],
    ['price_negative', { bad_price: 1 }],
    ['price_nan', { bad_price: 1 }],
    ['price_null', { bad_price: 1 }],
    ['price_tiny', { price_too_fine: 1 }],
    ['missing_id', { bad_id: 1 }],
    ['unit_switch', { bad_price: 1 }],
    ['halted', { not_tradable: 1 }],
    ['duplicate', { duplicate: 1 }],
    ['crossed', null],
    ['contradicting', { bad_price: 1 }],
    ['zero_size', null],
    ['hostile_text', null],
    ['hostile_slug', venue === 'a' ? null : { bad_id: 1 }],
  ]
  test.each(rows)('VEN-05, 06, 13, 14: every tenth row with %s', async (row, dropped) => {
    const plain = createFeed(venuePorts(http, venues)[venue]())
    await sweep(plain)
    const usual = (await lastSweep()).dropped
    await bench.wipe()
    strike(venue, { kind: 'rows', row, every: 10 })
    expect(await sweep(createFeed(venuePorts(http, venues)[venue]()))).toBe('complete')
    const now = await lastSweep()
    const latest = [...(await bench.latest(venue)).values()].map((one) => Latest.parse(one))
    if (dropped !== null) {
      const [reason] = Object.keys(dropped)
      expect((now.dropped[reason!] ?? 0) - (usual[reason!] ?? 0)).toBeGreaterThan(SIZE / 20)
    }
    const lost = openMarkets(venue).length - now.markets
    expect(lost > SIZE / 20).toBe(dropped !== null && row !== 'duplicate')
    for (const { market } of latest) {
      const { origin } = new URL(market.url)
      expect(origin).toBe(venue === 'a' ? 'https://polymarket.com' : 'https://kalshi.com')
      expect(new URL(market.url).pathname).toMatch(venue === 'a' ? /^\/(event\/|$)/ : /^\/markets(\/|$)/)
    }
  })

  test('books of some markets, best levels as listed', async () => {
    await sweep(createFeed(venuePorts(http, venues)[venue]()))
    const markets = [...(await bench.latest(venue)).values()].map((one) => Latest.parse(one))
    //  a crossed book is dropped, and some listed prices are of a book that is empty by now
    const some = markets
      .filter(({ quote: { bidBps, askBps } }) => bidBps !== null && askBps !== null && bidBps < askBps)
      .slice(0, 150)
    await bench.redis.sadd(WANTED_BOOKS_KEY, ...some.map(({ market }) => wantedBook(market)!))
    const books = createBookFeed(venuePorts(http, venues)[venue]())
    expect(await pollBooks(books, ports, never)).toBe('done')
    const published = (await bench.stream()).flatMap((batch) => (batch.kind === 'books' ? batch.books : []))
    expect(published.length).toBe(some.length)
    let deep = 0
    for (const { quote } of some) {
      const book = published.find(({ marketId }) => marketId === quote.marketId)!
      if (book.bids.length === 0 || book.asks.length === 0) continue
      expect([book.bids[0]?.[0], book.asks[0]?.[0]]).toEqual([quote.bidBps, quote.askBps])
      deep++
    }
    expect(deep).toBeGreaterThan(100)
    //  unchanged books are not published again until their age would be doubted
    await pollBooks(books, ports, never)
    const count = async () =>
      (await bench.stream()).flatMap((batch) => (batch.kind === 'books' ? batch.books : [])).length
    expect(await count()).toBe(some.length)
    venues.faults.add({ venue, times: null, fault: { kind: 'freeze' } })
    nowMs += 14_999
    await pollBooks(books, ports, never)
    const between = await count()
    nowMs += 1
    await pollBooks(books, ports, never)
    expect((await count()) - between).toBeGreaterThan(0)
  })
})

describe('VEN-04, VEN-08: content that goes back', () => {
  test('venue a: a page from a cache a minute old replaces nothing that is newer', async () => {
    const feed = createFeed(venuePorts(http, venues).a())
    nowMs += 120_000
    await sweep(feed)
    const newest = await bench.latest('a')
    strike('a', { kind: 'stale', ms: 60_000 })
    await sweep(feed)
    const after = await bench.latest('a')
    for (const [id, one] of after)
      expect(Latest.parse(one).quote.venueMs ?? 0).toBeGreaterThanOrEqual(
        Latest.parse(newest.get(id)).quote.venueMs ?? 0,
      )
  })
  test('venue a: its whole clock is put back five minutes: nothing is called fresh', async () => {
    const feed = createFeed(venuePorts(http, venues).a())
    await sweep(feed)
    strike('a', { kind: 'skew', ms: -300_000 })
    expect(await sweep(feed)).toBe('went_back')
    venues.faults.clear()
    expect(await sweep(feed)).toBe('complete')
  })
})
