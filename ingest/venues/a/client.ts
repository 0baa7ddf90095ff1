import type { HttpClient } from '../../../ops/http.ts'
import { PageShapeError } from '../../errors.ts'
import { parseBody } from '../jsonList.ts'
import { createReader, type Limit, type OnClock } from '../reader.ts'
import { nextCursor, readPage } from '../readPage.ts'
import type { VenuePort } from '../venue.ts'
import { mapBookA } from './books.ts'
import { GLANCE_A, readEventA } from './map.ts'

/**
 * Documented, per IP in sliding windows of 10 s: /events 500, batch books 500. We use less than half, so
 * that a restart or a second reader of the same address does not push us over.
 */
export const LIMITS_A: { catalog: Limit; books: Limit } = {
  catalog: { perSecond: 20, burst: 20 },
  books: { perSecond: 20, burst: 20 },
}

/** Up to 500 events fit a page; 200 keep one page, its parse and its batches short. */
const EVENTS_PER_PAGE = 200

export function createVenueA({
  http,
  catalogUrl,
  bookUrl,
  limits = LIMITS_A,
  onClock,
}: {
  http: HttpClient
  catalogUrl: string
  bookUrl: string
  limits?: { catalog: Limit; books: Limit }
  onClock?: OnClock //  of the catalogue's host
}): VenuePort {
  const readCatalog = createReader(http, limits.catalog, { onClock })
  const readBooks = createReader(http, limits.books)
  return {
    venue: 'a',
    prepare: async () => false,

    page: async (cursor, _nowMs, cache, signal) => {
      const url = new URL(`${catalogUrl.replace(/\/$/, '')}/events/keyset`)
      url.searchParams.set('closed', 'false')
      url.searchParams.set('limit', String(EVENTS_PER_PAGE))
      if (cursor !== null) url.searchParams.set('after_cursor', cursor)
      return readCatalog({ url: url.href, signal, space: cache.space }, (body) => {
        const { events, rest } = readPage(body, cache, readEventA, GLANCE_A)
        return { bytes: body.length, events, next: nextCursor(rest, 'next_cursor') }
      })
    },

    booksPerRead: 100, //  500 are allowed; books can be deep
    books: async (wanted, seenMs, signal) => {
      const idOf = new Map(wanted.map(({ token, marketId }) => [token, marketId]))
      const url = `${bookUrl.replace(/\/$/, '')}/books`
      const post = wanted.map(({ token }) => ({ token_id: token }))
      const answer = await readBooks({ url, post, signal }, parseBody)
      if (!Array.isArray(answer)) throw new PageShapeError('venue a: books are not a list')
      const atMs = seenMs()
      const books = answer.map((raw) => mapBookA(raw, (token) => idOf.get(token) ?? null, atMs))
      const good = books.filter((book) => book !== null)
      return { books: good, dropped: books.length - good.length }
    },
  }
}
