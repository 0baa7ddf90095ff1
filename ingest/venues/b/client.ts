import type { HttpClient } from '../../../ops/http.ts'
import { PageShapeError } from '../../errors.ts'
import { parseBody } from '../jsonList.ts'
import { createReader, type Limit, type OnClock } from '../reader.ts'
import { nextCursor, readPage } from '../readPage.ts'
import type { VenuePort } from '../venue.ts'
import { mapBookB } from './books.ts'
import { GLANCE_B, readEventB } from './map.ts'
import { SeriesTerms } from './seriesTerms.ts'
import { BooksB } from './wire.ts'

/** Limits without a key are not documented; the advice is to stay under 10 reads per second in all. */
export const LIMIT_B: Limit = { perSecond: 8, burst: 8 }

const EVENTS_PER_PAGE = 200 //           the most the venue allows

export function createVenueB({
  http,
  url,
  limit = LIMIT_B,
  onClock,
  nowMs = () => performance.now(),
}: {
  http: HttpClient
  url: string
  limit?: Limit
  onClock?: OnClock
  nowMs?: () => number
}): VenuePort {
  const read = createReader(http, limit, { onClock })
  const base = url.replace(/\/$/, '')
  const ask = (path: string, signal: AbortSignal) => read({ url: `${base}${path}`, signal }, parseBody)
  const series = new SeriesTerms(ask, { nowMs })
  return {
    venue: 'b',

    /** Fees come from the series list. Without it (not served, not reachable) fees are guessed and flagged. */
    prepare: (marketNowMs, signal) => series.refresh(marketNowMs, signal),

    page: async (cursor, marketNowMs, cache, signal) => {
      const address = new URL(`${base}/events`)
      address.searchParams.set('status', 'open')
      address.searchParams.set('with_nested_markets', 'true')
      address.searchParams.set('limit', String(EVENTS_PER_PAGE))
      if (cursor !== null) address.searchParams.set('cursor', cursor)
      const readEvent = (raw: unknown) => readEventB(raw, (ticker) => series.of(ticker), marketNowMs)
      return read({ url: address.href, signal, space: cache.space }, (body) => {
        const { events, rest } = readPage(body, cache, readEvent, GLANCE_B)
        return { bytes: body.length, events, next: nextCursor(rest, 'cursor') }
      })
    },

    booksPerRead: 100,
    books: async (wanted, seenMs, signal) => {
      const address = new URL(`${base}/markets/orderbooks`)
      for (const { marketId } of wanted) address.searchParams.append('tickers', marketId)
      const answer = BooksB.safeParse(await read({ url: address.href, signal }, parseBody))
      if (!answer.success) throw new PageShapeError('venue b: books are not {orderbooks}')
      const ids = new Set(wanted.map(({ marketId }) => marketId))
      const atMs = seenMs()
      const books = answer.data.orderbooks.map((raw) => mapBookB(raw, ids, atMs))
      const good = books.filter((book) => book !== null)
      return { books: good, dropped: books.length - good.length }
    },
  }
}
