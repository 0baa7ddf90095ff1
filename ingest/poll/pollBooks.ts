import type { Redis } from 'ioredis'
import { ServiceError } from '../../ops/errors.ts'
import { HttpError, retryAfterOf } from '../../ops/http.ts'
import type { Book } from '../contract/quote.ts'
import { WANTED_BOOKS_AGAIN_MS } from '../contract/stream.ts'
import { SupersededError } from '../errors.ts'
import { LEASE_MS, type Term } from '../publish.ts'
import type { BookPage, VenuePort, WantedBook } from '../venues/venue.ts'
import { askBooks, bookKey, type Refusals } from './askBooks.ts'
import { type Batch, MAX_BYTES } from './batches.ts'
import { coolDown, isCooling, type Standing } from './coolDown.ts'
import type { PollPorts } from './feed.ts'
import { readWanted } from './wanted.ts'

/**
 * For each wanted book what was sent, or that it is refused: dropped once it is no longer wanted, so never more than
 * the wanted set.
 */
export type BookFeed = Standing & {
  readonly port: VenuePort
  sent: Map<string, { levels: string; seenMs: number }>
  refusals: Refusals
}

export const createBookFeed = (port: VenuePort): BookFeed => ({
  port,
  sent: new Map(),
  refusals: new Map(),
  failures: 0,
  notBeforeMs: 0,
  isAskedTo: false,
})

/** One job: reads the wanted books of a venue and publishes those that changed or were last sent long ago. */
export async function pollBooks(
  feed: BookFeed,
  ports: PollPorts & { redis: Redis },
  stop: AbortSignal,
): Promise<'done' | 'idle' | 'busy' | 'cooling' | 'failed' | 'superseded'> {
  if (isCooling(feed)) return 'cooling'
  const { metrics, random = Math.random } = ports
  const { venue, booksPerRead: perRead } = feed.port
  const wanted = (await readWanted(ports.redis))[venue]
  forget(feed, wanted)
  if (wanted.length === 0) return 'idle'
  const term = await ports.publisher.begin(`books:${venue}`, venue)
  if (term === null) return 'busy'
  if (!term.continues) feed.sent.clear() //  another process has told newer ones, or Redis has lost some
  const renewal = setInterval(() => term.renew().catch(() => undefined), LEASE_MS / 3)
  try {
    const ask = (some: WantedBook[]) => readBooks(feed, term, some, ports, stop)
    const nowMs = performance.now()
    const round = await askBooks(wanted, feed.refusals, { perRead, nowMs, random: random(), ask })
    metrics.books.inc({ venue, outcome: 'refused' }, round.refused)
    if (round.nothing) {
      coolDown(feed, null, random())
      return 'failed'
    }
    feed.failures = 0
    return 'done'
  } catch (error) {
    if (error instanceof SupersededError) return 'superseded'
    if (stop.aborted) return 'failed'
    if (!(error instanceof ServiceError)) throw error
    //  a book that is not refreshed meanwhile grows old where it is used
    metrics.pageErrors.inc({ venue, code: error.code })
    coolDown(feed, retryAfterOf(error), random())
    return 'failed'
  } finally {
    clearInterval(renewal)
    await term.release().catch(() => undefined)
  }
}

/**
 * Reads and publishes some books. @returns false when the venue refuses the read: without some of the books it may be
 * answered.
 */
async function readBooks(
  feed: BookFeed,
  term: Term,
  some: WantedBook[],
  { clock, metrics }: PollPorts,
  stop: AbortSignal,
): Promise<boolean> {
  const { venue } = feed.port
  stop.throwIfAborted()
  let page: BookPage
  try {
    page = await feed.port.books(some, () => clock.nowMs(), stop)
  } catch (error) {
    if (stop.aborted || !(error instanceof HttpError) || error.retryable) throw error
    metrics.pageErrors.inc({ venue, code: error.code })
    return false
  }
  const { books, dropped } = page
  const news = books.filter((book) => isNews(feed, book))
  for (const batch of batchBooks(venue, news)) await term.publish(batch)
  for (const book of news) feed.sent.set(book.marketId, { levels: levelsOf(book), seenMs: book.seenMs })
  metrics.books.inc({ venue, outcome: 'published' }, news.length)
  metrics.books.inc({ venue, outcome: 'unchanged' }, books.length - news.length)
  metrics.books.inc({ venue, outcome: 'refused' }, dropped)
  metrics.books.inc({ venue, outcome: 'missing' }, Math.max(0, some.length - books.length - dropped))
  return true
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
  if (feed.refusals.size === 0) return
  const keys = new Set(wanted.map(bookKey))
  for (const key of feed.refusals.keys()) if (!keys.has(key)) feed.refusals.delete(key)
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
