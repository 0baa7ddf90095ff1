import { describe, expect, test } from 'vitest'
import { PageShapeError } from '../../../ingest/errors.ts'
import { EventCache } from '../../../ingest/poll/eventCache.ts'
import { createVenueA } from '../../../ingest/venues/a/client.ts'
import { createVenueB } from '../../../ingest/venues/b/client.ts'
import { type HttpClient, HttpError, type HttpRead } from '../../../ops/http.ts'
import { HOUR, MINUTE } from '../../../ops/units.ts'

const FAST = { perSecond: 10_000, burst: 10_000 }
const never = new AbortController().signal

/** Both venues, at a host that gives `answer` to every request; `at` is the clock of B. */
function venuesAt(answer: unknown, at = { ms: 0 }) {
  const reads: HttpRead[] = []
  const http = {
    readBytes: async (read: HttpRead) => {
      reads.push(read)
      if (answer instanceof Error) throw answer
      return Buffer.from(JSON.stringify(answer))
    },
  } as unknown as HttpClient
  const a = createVenueA({
    http,
    catalogUrl: 'http://a/',
    bookUrl: 'http://a-books/',
    limits: { catalog: FAST, books: FAST },
  })
  const b = createVenueB({ http, url: 'http://b/', limit: FAST, nowMs: () => at.ms })
  const asked = () => reads.map(({ url, post }) => (post === undefined ? [url] : [url, post]))
  return { a, b, asked }
}

describe('wire.md: what each venue is asked', () => {
  test('pages: 200 events that are open, with their markets; the next by the cursor of the last', async () => {
    const { a, b, asked } = venuesAt({ events: [], next_cursor: 'N+1', cursor: 'N+1' })
    for (const venue of [a, b]) {
      const { next } = await venue.page(null, 0, new EventCache(), never)
      expect(next).toBe('N+1')
      await venue.page(next, 0, new EventCache(), never)
    }
    expect(asked()).toEqual([
      ['http://a/events/keyset?closed=false&limit=200'],
      ['http://a/events/keyset?closed=false&limit=200&after_cursor=N%2B1'],
      ['http://b/events?status=open&with_nested_markets=true&limit=200'],
      ['http://b/events?status=open&with_nested_markets=true&limit=200&cursor=N%2B1'],
    ])
  })

  test('books: many in one read, by token or ticker', async () => {
    const wanted = [
      { marketId: 'M-1', token: '11' },
      { marketId: 'M-2', token: '22' },
    ]
    const atA = venuesAt([])
    expect(await atA.a.books(wanted, () => 0, never)).toEqual({ books: [], dropped: 0 })
    expect(atA.asked()).toEqual([['http://a-books/books', [{ token_id: '11' }, { token_id: '22' }]]])
    const atB = venuesAt({ orderbooks: [] })
    expect(await atB.b.books(wanted, () => 0, never)).toEqual({ books: [], dropped: 0 })
    expect(atB.asked()).toEqual([['http://b/markets/orderbooks?tickers=M-1&tickers=M-2']])
  })

  test('VEN-01: an answer of another shape is said to be one', async () => {
    const { a, b } = venuesAt('something else')
    for (const venue of [a, b])
      await expect(
        venue.books([], () => 0, never),
        venue.venue,
      ).rejects.toBeInstanceOf(PageShapeError)
  })
})

describe('B: fees come from its list of series', () => {
  test('asked once an hour; unchanged bytes mean something else only when it changed', async () => {
    const series = [{ ticker: 'S', fee_type: 'quadratic', fee_multiplier: 1 }]
    const at = { ms: 0 }
    const { b, asked } = venuesAt({ series }, at)
    const lists = () => asked().filter(([url]) => url === 'http://b/series')
    expect(await b.prepare(0, never)).toBe(true)
    at.ms = HOUR - 1
    expect(await b.prepare(0, never)).toBe(false)
    expect(lists()).toHaveLength(1)
    at.ms = HOUR
    expect(await b.prepare(0, never)).toBe(false)
    series.push({ ticker: 'T', fee_type: 'flat', fee_multiplier: 1 })
    at.ms = 2 * HOUR
    expect(await b.prepare(0, never)).toBe(true)
    expect(lists()).toHaveLength(3)
  })

  test('one that cannot be had changes nothing, and is asked for again after five minutes', async () => {
    const at = { ms: 0 }
    const gone = new HttpError('http_status', 'b: gone', { retryable: false, status: 404 })
    const { b, asked } = venuesAt(gone, at)
    for (const ms of [0, 5 * MINUTE - 1, 5 * MINUTE]) {
      at.ms = ms
      expect(await b.prepare(0, never)).toBe(false)
    }
    expect(asked()).toHaveLength(2)
  })
})
