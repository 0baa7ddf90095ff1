import type { Redis } from 'ioredis'
import { FEED_STREAM, FeedEvent } from '../../engine/contract/feed.ts'
import { parseJsonOrNull } from '../../ops/jsonText.ts'
import { BEFORE_ALL, compareIds } from '../feed/streamId.ts'
import { noteEvent, type Ticker } from './ticker.ts'

/**
 * Most entries read at once, and how far back from the newest the start reads. With one look per second, 500 events a
 * second can be followed.
 */
export const FEED_PAGE = 500

/** Only the fields of an event that are shown: a card is two kilobytes, and others check it. */
const Told = FeedEvent.pick({ kind: true, topic: true, atMs: true }).extend({
  card: FeedEvent.shape.card.pick({ topic: true, gapCents: true, edgeCents: true }),
})

/**
 * Reads what came to the feed since the last look. An entry that cannot be read is passed over. Where the stream ends
 * before what was read, it is another one, of a host whose clock may be behind: it is followed from its end on, since
 * what it holds may have been noted already.
 */
export function followFeed(redis: Redis, ticker: Ticker): { look(): Promise<void> } {
  let position: string | null = null
  const take = ([id, fields]: [string, string[]]) => {
    position = id
    const at = fields.indexOf('event')
    const told = Told.safeParse(at < 0 ? null : parseJsonOrNull(fields[at + 1]!))
    if (told.success) noteEvent(ticker, told.data)
  }
  const newest = (count: number) => redis.xrevrange(FEED_STREAM, '+', '-', 'COUNT', count)
  return {
    async look() {
      const entries: [string, string[]][] =
        position === null
          ? (await newest(FEED_PAGE)).reverse()
          : await redis.xrange(FEED_STREAM, `(${position}`, '+', 'COUNT', FEED_PAGE)
      for (const entry of entries) take(entry)
      if (position === null || entries.length > 0) return
      const endId = (await newest(1))[0]?.[0] ?? BEFORE_ALL
      if (compareIds(endId, position) < 0) position = endId
    },
  }
}
