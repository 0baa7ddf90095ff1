import type { Redis } from 'ioredis'
import { ServiceError } from '../../ops/errors.ts'
import type { Book } from '../contract/quote.ts'
import { WANTED_BOOKS_AGAIN_MS } from '../contract/stream.ts'
import { SupersededError } from '../errors.ts'
import { LEASE_MS } from '../publish.ts'
import type { VenuePort, WantedBook } from '../venues/venue.ts'
import { type Batch, MAX_BYTES } from './batches.ts'
import type { PollPorts } from './feed.ts'
import { readWanted } from './wanted.ts'

/** What was sent of each wanted book: forgotten with the wish, so never more than the wanted set. */
export type BookFeed = {
  readonly port: VenuePort
  sent: Map<string, { levels: string; seenMs: number }>
}

export const createBookFeed = (port: VenuePort): BookFeed => ({ port, sent: new Map() })

/** One job: reads the wanted books of a venue and publishes those that changed or were last sent long ago. */
export async function pollBooks(
  feed: BookFeed,
  ports: PollPorts & { redis: Redis },
  stop: AbortSignal,
): Promise<'done' | 'idle' | 'busy' | 'failed' | 'superseded'> {
  const { port } = feed
  const { venue } = port
  const wanted = (await readWanted(ports.redis))[venue]
  forget(feed, wanted)
  if (wanted.length === 0) return 'idle'
  const term = await ports.publisher.begin(`books:${venue}`, venue)
  if (term === null) return 'busy'
  const renewal = setInterval(() => term.renew().catch(() => undefined), LEASE_MS / 3)
  try {
    for (let from = 0; from < wanted.length && !stop.aborted; from += port.booksPerRead) {
      const some = wanted.slice(from, from + port.booksPerRead)
      const { books, dropped } = await port.books(some, () => ports.clock.nowMs(), stop)
      const news = books.filter((book) => isNews(feed, book))
      for (const batch of batchBooks(venue, news)) await term.publish(batch)
      for (const book of news) feed.sent.set(book.marketId, { levels: levelsOf(book), seenMs: book.seenMs })
      ports.metrics.books.inc({ venue, outcome: 'published' }, news.length)
      ports.metrics.books.inc({ venue, outcome: 'unchanged' }, books.length - news.length)
      ports.metrics.books.inc({ venue, outcome: 'refused' }, dropped)
      ports.metrics.books.inc(
        { venue, outcome: 'missing' },
        Math.max(0, some.length - books.length - dropped),
      )
    }
    return 'done'
  } catch (error) {
    if (error instanceof SupersededError) return 'superseded'
    if (stop.aborted) return 'failed'
    if (!(error instanceof ServiceError)) throw error
    //  the next round comes soon; a book that is not refreshed grows old where it is used
    ports.metrics.pageErrors.inc({ venue, code: error.code })
    return 'failed'
  } finally {
    clearInterval(renewal)
    await term.release().catch(() => undefined)
  }
}

const levelsOf = (book: Book): string => JSON.stringify([book.bids, book.asks])

function isNews(feed: BookFeed, book: Book): boolean {
  const sent = feed.sent.get(book.marketId)
  if (sent === undefined || sent.levels !== levelsOf(book)) return true
  return book.seenMs - sent.seenMs >= WANTED_BOOKS_AGAIN_MS || book.seenMs < sent.seenMs
}

function forget(feed: BookFeed, wanted: WantedBook[]): void {
  const ids = new Set(wanted.map(({ marketId }) => marketId))
  for (const marketId of feed.sent.keys()) if (!ids.has(marketId)) feed.sent.delete(marketId)
}

function batchBooks(venue: string, books: Book[]): Batch[] {
  const batches: Batch[] = []
  let parts: string[] = []
  let bytes = 0
  const close = () => {
    if (parts.length > 0)
      batches.push({
        head: `{"kind":"books","venue":"${venue}","books":[${parts.join()}]}`,
        tail: '',
        rows: [],
        remove: [],
      })
    parts = []
    bytes = 0
  }
  for (const book of books) {
    const json = JSON.stringify(book)
    if (bytes + json.length > MAX_BYTES) close()
    parts.push(json)
    bytes += json.length
  }
  close()
  return batches
}
