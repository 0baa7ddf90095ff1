import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Venue } from '../../ingest/contract/market.ts'
import type { Book } from '../../ingest/contract/quote.ts'
import {
  QUOTE_STREAM,
  WANTED_BOOKS_AGAIN_MS,
  WANTED_BOOKS_KEY,
  WANTED_BOOKS_MAX,
} from '../../ingest/contract/stream.ts'
import { MAX_BYTES } from '../../ingest/poll/batches.ts'
import { createFeed } from '../../ingest/poll/feed.ts'
import { type BookFeed, createBookFeed, pollBooks } from '../../ingest/poll/pollBooks.ts'
import { sweepVenue } from '../../ingest/poll/sweepVenue.ts'
import { readWanted } from '../../ingest/poll/wanted.ts'
import { leaseKey } from '../../ingest/publish.ts'
import { createVenueA } from '../../ingest/venues/a/client.ts'
import { createVenueB } from '../../ingest/venues/b/client.ts'
import type { VenuePort } from '../../ingest/venues/venue.ts'
import { createHttpClient, type HttpClient, HttpError } from '../../ops/http.ts'
import { sleep } from '../support/process.ts'
import { type Answer, serveAnswers } from './support/answers.ts'
import { type Bench, openBench } from './support/bench.ts'

const FAST = { perSecond: 10_000, burst: 10_000 }
let bench: Bench
let http: HttpClient
let server: Awaited<ReturnType<typeof serveAnswers>>
let ports: ReturnType<Bench['ports']>
let asked: string[][] //  what each read of books asked for
let bad: Set<string> //   ids for which the venue refuses a whole read …
let refusal: Answer //    … in these words
let failing: Answer | null
let listed: number //     reads of anything but books

beforeAll(async () => {
  bench = await openBench()
  http = createHttpClient({ timeoutMs: 1_000, maxBytes: 4_000_000 })
  server = await serveAnswers((path, url, body) => {
    if (path !== '/books' && path !== '/markets/orderbooks') {
      listed++
      return failing ?? { status: 404 }
    }
    const ids =
      path === '/books'
        ? (JSON.parse(body) as { token_id: string }[]).map(({ token_id }) => token_id)
        : url.searchParams.getAll('tickers')
    asked.push(ids)
    if (failing !== null) return failing
    if (ids.some((id) => bad.has(id))) return refusal
    if (path === '/books')
      return {
        json: ids.map((id) => ({
          asset_id: id,
          timestamp: '1778997825875',
          asks: [],
          bids: [{ price: '0.4', size: '5' }],
        })),
      }
    const orderbook_fp = { yes_dollars: [['0.4000', '7.00']], no_dollars: [] }
    return { json: { orderbooks: ids.map((ticker) => ({ ticker, orderbook_fp })) } }
  })
})
afterAll(async () => {
  await http.close()
  await server.close()
  await bench.close()
})
beforeEach(async () => {
  await bench.wipe()
  ports = bench.ports('one')
  asked = []
  bad = new Set()
  refusal = { status: 400, json: { error: 'invalid token id' } }
  failing = null
})

const venueA = () =>
  createVenueA({
    http,
    catalogUrl: server.url,
    bookUrl: server.url,
    limits: { catalog: FAST, books: FAST },
  })
const venueB = () => createVenueB({ http, url: server.url, limit: FAST })
const PORTS: Record<Venue, () => VenuePort> = { a: venueA, b: venueB }

const never = new AbortController().signal
const poll = (feed: BookFeed) => pollBooks(feed, ports, never)
/** Makes `count` books wanted. @returns their ids, as their venue is asked for them. */
const want = async (venue: Venue, count: number): Promise<string[]> => {
  const ids = Array.from({ length: count }, (_, at) => (venue === 'a' ? `${at}` : `T-${at}`))
  await bench.redis.sadd(WANTED_BOOKS_KEY, ...ids.map((id) => (venue === 'a' ? `a:m${id}|${id}` : `b:${id}`)))
  return ids
}
const published = async (): Promise<string[]> =>
  (await bench.stream())
    .flatMap((batch) => (batch.kind === 'books' ? batch.books : []))
    .map(({ marketId }) => marketId.replace(/^m/, ''))
    .sort()
const counted = async (outcome: string): Promise<number> =>
  (await ports.metrics.books.get()).values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0

test('of the wanted set only members of its form are asked for', async () => {
  await bench.redis.sadd(
    WANTED_BOOKS_KEY,
    'a:m1|1',
    'b:T-1',
    'a:m2',
    'b:T-2|2',
    'c:m3|3',
    'a:m 4|4',
    'a:|5',
    'x',
  )
  expect(await readWanted(bench.redis)).toEqual({
    a: [{ marketId: 'm1', token: '1' }],
    b: [{ marketId: 'T-1', token: '' }],
  })
})

test.each<Venue>(['a', 'b'])('no more than WANTED_BOOKS_MAX of the books of venue %s', async (venue) => {
  await want(venue, WANTED_BOOKS_MAX)
  expect((await readWanted(bench.redis))[venue]).toHaveLength(WANTED_BOOKS_MAX)
  await want(venue, WANTED_BOOKS_MAX + 1)
  expect((await readWanted(bench.redis))[venue]).toHaveLength(WANTED_BOOKS_MAX)
})

describe('a book is told when a side of it moved, and after a while that it still stands', () => {
  const first: Book = {
    venue: 'b',
    marketId: 'T-0',
    venueMs: null,
    seenMs: 1_000_000,
    bids: [[4_000, 7]],
    asks: [[4_200, 9]],
  }
  test.each<[string, Partial<Book>, number]>([
    ['nothing', { seenMs: first.seenMs + WANTED_BOOKS_AGAIN_MS - 1 }, 1],
    ['its time is over', { seenMs: first.seenMs + WANTED_BOOKS_AGAIN_MS }, 2],
    ['our clock was put back', { seenMs: first.seenMs - 1 }, 2],
    ['a bid', { bids: [[4_100, 7]] }, 2],
    ['what is bid for', { bids: [[4_000, 7.01]] }, 2],
    ['an ask', { asks: [[4_100, 9]] }, 2],
    ['what is asked for', { asks: [[4_200, 8.99]] }, 2],
    [
      'a level behind the best',
      {
        asks: [
          [4_200, 9],
          [4_300, 1],
        ],
      },
      2,
    ],
  ])('%s', async (_, moved, told) => {
    await want('b', 1)
    let now = first
    const feed = createBookFeed({ ...venueB(), books: async () => ({ books: [now], dropped: 0 }) })
    await poll(feed)
    now = { ...first, ...moved }
    await poll(feed)
    expect(await published()).toHaveLength(told)
  })

  test('one that was not wanted for a while is new when it is wanted again', async () => {
    await want('b', 2)
    let books = [first]
    const feed = createBookFeed({ ...venueB(), books: async () => ({ books, dropped: 0 }) })
    await poll(feed)
    await bench.redis.srem(WANTED_BOOKS_KEY, 'b:T-0')
    books = []
    await poll(feed)
    await want('b', 1)
    books = [first]
    await poll(feed)
    expect(await published()).toEqual(['T-0', 'T-0'])
  })

  test('many deep ones: entries of about a megabyte at most', async () => {
    await want('b', 1)
    const side = (from: number) =>
      Array.from({ length: 200 }, (_, at): [number, number] => [from + at, 1_234_567.89])
    const books = Array.from({ length: 200 }, (_, at) => ({
      ...first,
      marketId: `T-${at}`,
      bids: side(1_000).reverse(),
      asks: side(2_000),
    }))
    await poll(createBookFeed({ ...venueB(), books: async () => ({ books, dropped: 0 }) }))
    const sizes = (await bench.redis.xrange(QUOTE_STREAM, '-', '+')).map(([, fields]) => fields[1]!.length)
    const each = JSON.stringify(books.at(-1)).length
    expect(sizes).toHaveLength(2)
    expect(sizes[0]).toBeGreaterThan(MAX_BYTES - each)
    expect(sizes[0]).toBeLessThanOrEqual(MAX_BYTES + 100 + 200) //  the head, and a comma between two
    expect(await published()).toHaveLength(200)
  })
})

describe('what another process has told since, or Redis has lost, is not taken for told', () => {
  const book = (bid: number): Book => ({
    venue: 'b',
    marketId: 'T-0',
    venueMs: null,
    seenMs: 1_000_000,
    bids: [[bid, 7]],
    asks: [],
  })
  const bids = async () =>
    (await bench.stream())
      .flatMap((batch) => (batch.kind === 'books' ? batch.books : []))
      .map((told) => told.bids[0]![0])
  let now: Book
  const start = () => createBookFeed({ ...venueB(), books: async () => ({ books: [now], dropped: 0 }) })

  test('VEN-18 a book that is again as we told it, after another process told it otherwise', async () => {
    await want('b', 1)
    const [ours, theirs] = [start(), start()]
    now = book(4_000)
    await poll(ours)
    now = book(5_000)
    await pollBooks(theirs, bench.ports('two'), never)
    now = book(4_000)
    await poll(ours)
    expect(await bids()).toEqual([4_000, 5_000, 4_000])
  })

  test('DATA-03 a book that Redis lost', async () => {
    await want('b', 1)
    const feed = start()
    now = book(4_000)
    await poll(feed)
    await bench.redis.del(QUOTE_STREAM, leaseKey('books:b'))
    await poll(feed)
    expect(await bids()).toEqual([4_000])
  })

  test('neither: it is told once', async () => {
    await want('b', 1)
    const feed = start()
    now = book(4_000)
    for (let round = 0; round < 3; round++) await poll(feed)
    expect(await bids()).toEqual([4_000])
  })
})

describe('VEN-01, wire 1.7 and 2.7: books are not asked for while a venue wants a rest', () => {
  test.each(['a', 'b'] as const)(
    'venue %s: Retry-After is obeyed to its end, over the rounds',
    async (venue) => {
      await want(venue, 2)
      failing = { status: 429, headers: { 'retry-after': '60' } }
      const feed = createBookFeed(PORTS[venue]())
      expect(await poll(feed)).toBe('failed')
      failing = null
      for (let round = 0; round < 4; round++) expect(await poll(feed)).toBe('cooling')
      expect(asked).toHaveLength(1)
      expect(feed.notBeforeMs - performance.now()).toBeGreaterThan(55_000)
      expect(feed.notBeforeMs - performance.now()).toBeLessThanOrEqual(60_000)
    },
  )

  const tooMany = (retryAfterMs: number | null = null) =>
    new HttpError('http_rate_limited', 'x: status 429', { retryable: true, status: 429, retryAfterMs })
  const failingPort = (error: () => Error | null): VenuePort => ({
    ...venueA(),
    books: async () => {
      const thrown = error()
      if (thrown !== null) throw thrown
      return { books: [], dropped: 0 }
    },
  })

  test.each([
    [1, null, 500],
    [2, null, 1_000],
    [6, null, 16_000],
    [7, null, 30_000], //    64 times as long is above the cap
    [8, null, 30_000],
    [1, 90_000, 90_000], //  the venue asks for more …
    [7, 2_000, 30_000], //   … or for less than the pause has become
    [1, 600_000, 600_000],
    [1, 600_001, 600_000], // no venue is waited for longer …
    [1, 86_400_000, 600_000],
  ])(
    'failure %i in a row, asked for %s ms: a pause of up to %i ms',
    async (failures, retryAfterMs, expected) => {
      await want('a', 2)
      ports.random = () => 0.999_999
      const feed = createBookFeed(failingPort(() => tooMany(retryAfterMs)))
      let nowMs = 0
      for (let round = 0; round < failures; round++) {
        feed.notBeforeMs = 0
        nowMs = performance.now()
        expect(await poll(feed)).toBe('failed')
      }
      expect(feed.notBeforeMs - nowMs).toBeGreaterThanOrEqual(expected)
      expect(feed.notBeforeMs - nowMs).toBeLessThan(expected + 1_000)
      //  only then another process would be told the same, and the feed is not left to it
      expect(feed.isAskedTo).toBe(retryAfterMs !== null)
    },
  )

  test('the pause ends when it is over, and after a round that went well the next failure is the first', async () => {
    await want('a', 2)
    ports.random = () => 0.999_999
    let error: Error | null = tooMany()
    const feed = createBookFeed(failingPort(() => error))
    for (let round = 0; round < 3; round++) {
      feed.notBeforeMs = 0
      await poll(feed)
    }
    error = null
    feed.notBeforeMs = performance.now() + 150
    expect(await poll(feed)).toBe('cooling')
    await sleep(160)
    expect(await poll(feed)).toBe('done')
    error = tooMany()
    expect(await poll(feed)).toBe('failed')
    expect(feed.notBeforeMs - performance.now()).toBeLessThanOrEqual(500)
  })

  test('stopping is no failure', async () => {
    await want('a', 2)
    ports.random = () => 0.999_999
    const feed = createBookFeed(failingPort(() => tooMany()))
    expect(await pollBooks(feed, ports, AbortSignal.abort())).toBe('failed')
    expect([feed.failures, feed.notBeforeMs]).toEqual([0, 0])
  })
})

describe('a pause that a host asks for holds all that is read of it', () => {
  test('venue b: the sweep is told, the books are not asked for', async () => {
    await want('b', 2)
    const port = venueB()
    failing = { status: 429, headers: { 'retry-after': '60' } }
    await sweepVenue(createFeed(port), ports, never)
    failing = null
    const feed = createBookFeed(port)
    expect(await poll(feed)).toBe('failed')
    expect(await poll(feed)).toBe('cooling')
    expect(asked).toEqual([])
    expect(feed.notBeforeMs - performance.now()).toBeGreaterThan(55_000)
  })
  test('venue b: the books are told, the sweep is not begun', async () => {
    await want('b', 2)
    const port = venueB()
    await port.prepare(0, never) //  the series list is there already
    failing = { status: 503, headers: { 'retry-after': '60' } }
    await poll(createBookFeed(port))
    failing = null
    listed = 0
    const feed = createFeed(port)
    const beganMs = performance.now()
    expect(await sweepVenue(feed, ports, never)).toBe('page_failed')
    expect(performance.now() - beganMs).toBeLessThan(1_000)
    expect(await sweepVenue(feed, ports, never)).toBe('cooling')
    expect(listed).toBe(0)
    expect(feed.notBeforeMs - performance.now()).toBeGreaterThan(55_000)
  })
  test('venue a: catalogue and books are two hosts', async () => {
    await want('a', 2)
    const port = venueA()
    failing = { status: 429, headers: { 'retry-after': '60' } }
    await sweepVenue(createFeed(port), ports, never)
    failing = null
    expect(await poll(createBookFeed(port))).toBe('done')
    expect(asked).toHaveLength(1)
  })
})

describe('VEN-01, wire 1.7: a read that is refused does not starve the others', () => {
  test.each(['a', 'b'] as const)('venue %s: all but the bad one of 250 in the first round', async (venue) => {
    const ids = await want(venue, 250)
    bad.add(ids[17]!)
    const feed = createBookFeed(PORTS[venue]())
    expect(await poll(feed)).toBe('done')
    expect(await published()).toEqual(ids.filter((id) => !bad.has(id)).sort())
    expect(asked.length).toBeLessThanOrEqual(3 + 14)
    expect(await counted('refused')).toBe(1)
    //  and from then on it is not asked for
    asked = []
    expect(await poll(feed)).toBe('done')
    expect(asked.map(({ length }) => length)).toEqual([100, 100, 49])
    expect(asked.flat().filter((id) => bad.has(id))).toEqual([])
    expect(await counted('refused')).toBe(2)
  })

  test.each<[string, Answer]>([
    ['400', { status: 400, json: { error: 'invalid token id' } }],
    ['404', { status: 404, json: { error: 'No orderbook exists for the requested token id' } }],
    ['413', { status: 413, body: '' }],
    ['422', { status: 422, json: {} }],
    ['a book larger than a page may be', { body: ' '.repeat(4_000_001) }],
  ])('%s is a refusal', async (_, given) => {
    const ids = await want('a', 5)
    bad.add('3')
    refusal = given
    expect(await poll(createBookFeed(venueA()))).toBe('done')
    expect(await published()).toEqual(ids.filter((id) => id !== '3'))
  })

  test('a refused book that is no longer wanted is forgotten, and asked for when it is wanted again', async () => {
    await want('a', 5)
    bad.add('3')
    const feed = createBookFeed(venueA())
    await poll(feed)
    await bench.redis.srem(WANTED_BOOKS_KEY, 'a:m3|3')
    await poll(feed)
    bad.clear()
    await bench.redis.sadd(WANTED_BOOKS_KEY, 'a:m3|3')
    await poll(feed)
    expect(await published()).toContain('3')
  })

  test('a venue that refuses everything has failed: it gets a rest, and no book is held against', async () => {
    const ids = await want('a', 250)
    for (const id of ids) bad.add(id)
    refusal = { status: 403, body: 'go away' }
    ports.random = () => 0.999_999
    const feed = createBookFeed(venueA())
    expect(await poll(feed)).toBe('failed')
    expect(asked.length).toBeLessThanOrEqual(3 + 16)
    expect(await counted('refused')).toBe(250)
    expect(await poll(feed)).toBe('cooling')
    bad.clear()
    feed.notBeforeMs = 0
    expect(await poll(feed)).toBe('done')
    expect(await published()).toEqual(ids.sort())
  })

  test('reads that fail otherwise end the round: nothing is split', async () => {
    await want('a', 250)
    failing = { status: 429, headers: { 'retry-after': '60' } }
    expect(await poll(createBookFeed(venueA()))).toBe('failed')
    expect(asked).toHaveLength(1)
  })
})
