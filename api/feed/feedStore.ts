import type { Redis } from 'ioredis'
import { z } from 'zod'
import { FEED_STREAM, FeedEvent, feedOpenKey } from '../../engine/contract/feed.ts'
import { parseJsonOrNull } from '../../ops/jsonText.ts'
import { BEFORE_ALL, type StreamId } from './streamId.ts'

/** The engine's own text: only what we rely on is looked at, the rest is passed on. */
const Told = z.looseObject({
  ...FeedEvent.pick({ kind: true, topic: true, atMs: true, snapshotVersion: true }).shape,
  card: z.looseObject({ pairId: z.string() }),
})
export type Told = z.infer<typeof Told>

/** `event` null: cannot be read. */
export type StoredEvent = { id: StreamId; event: Told | null }

/** What is open, as JSON text by pair, the id it belongs to, and where what is retained begins: read in one step. */
export type StoredBase = {
  open: { gaps: Record<string, string>; edges: Record<string, string> }
  headId: StreamId
  trimmed: boolean //       events have been trimmed before
  oldest: StoredEvent[] //  the first page of those that are retained
}

/** Entries per page, a few milliseconds of work: paid reads wait no longer than that for a page. */
const PAGE = 100

type Entry = [id: string, fields: string[]]

export async function readBase(redis: Redis): Promise<StoredBase> {
  const [gaps, edges, info, oldest] = await replies<
    [Record<string, string>, Record<string, string>, unknown[] | null, Entry[]]
  >(
    redis
      .multi()
      .hgetall(feedOpenKey('gaps'))
      .hgetall(feedOpenKey('edges'))
      .xinfo('STREAM', FEED_STREAM)
      .xrange(FEED_STREAM, '-', '+', 'COUNT', PAGE),
  )
  const { headId, trimmed } = headOf(info)
  return { open: { gaps, edges }, headId, trimmed, oldest: oldest.map(readEntry) }
}

/**
 * Some events after `position`, or an empty list; null when the event at `position` is no longer there: it was trimmed,
 * and others with it, or the store has lost it.
 */
export async function readOn(redis: Redis, position: StreamId): Promise<StoredEvent[] | null> {
  const [entries, info] = await replies<[Entry[], unknown[] | null]>(
    redis.multi().xrange(FEED_STREAM, position, '+', 'COUNT', PAGE).xinfo('STREAM', FEED_STREAM),
  )
  if (position === BEFORE_ALL) return headOf(info).trimmed ? null : entries.map(readEntry)
  if (info !== null && entries.length === 0 && headOf(info).empty) return []
  return entries[0]?.[0] === position ? entries.slice(1).map(readEntry) : null
}

/** Waits until there is something after `position`, or `blockMs` have passed. */
export async function waitForMore(redis: Redis, position: StreamId, blockMs: number): Promise<void> {
  await redis.xread('COUNT', 1, 'BLOCK', blockMs, 'STREAMS', FEED_STREAM, position)
}

function readEntry([id, fields]: Entry): StoredEvent {
  const at = fields.indexOf('event')
  const told = Told.safeParse(at < 0 ? null : parseJsonOrNull(fields[at + 1]!))
  return { id, event: told.success ? told.data : null }
}

function headOf(info: unknown[] | null): { headId: StreamId; trimmed: boolean; empty: boolean } {
  if (info === null) return { headId: BEFORE_ALL, trimmed: false, empty: true }
  const value = (name: string) => info[info.indexOf(name) + 1]
  return {
    headId: String(value('last-generated-id')),
    trimmed: value('entries-added') !== value('length'),
    empty: value('length') === 0,
  }
}

/** Replies of a transaction. A stream that does not exist yet has no info: null. */
async function replies<Values extends unknown[]>(transaction: {
  exec(): Promise<[Error | null, unknown][] | null>
}): Promise<Values> {
  const answers = (await transaction.exec()) ?? []
  return answers.map(([error, value]) => {
    if (error === null) return value
    if (error.message.includes('no such key')) return null
    throw error
  }) as Values
}
