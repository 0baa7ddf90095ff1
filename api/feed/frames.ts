import type { FeedEvent } from '../../engine/contract/feed.ts'
import type { FeedStatus } from './status.ts'
import type { StreamId } from './streamId.ts'

export type Topic = FeedEvent['topic']

/**
 * Every message of the feed is one JSON object with a `kind`. The same text is the data of a server-sent event, a
 * WebSocket message and, for events, an element of `events` in the JSON answer.
 */
export type Frame = {
  sse: Uint8Array //  the server-sent event, complete
  text: Uint8Array // the JSON alone: a part of `sse`
}

/** One event of the feed, with its id. */
export type EventFrame = Frame & { id: StreamId; topic: Topic }

/** @param json one line, its `kind` is also the event's name. `id` is what a reader resumes from. */
export function frameOf(kind: string, json: string, id: StreamId | null = null): Frame {
  const head = `${id === null ? '' : `id: ${id}\n`}event: ${kind}\ndata: `
  const sse = Buffer.from(`${head}${json}\n\n`)
  return { sse, text: sse.subarray(head.length, sse.length - 2) }
}

export const eventFrame = (id: StreamId, event: Pick<FeedEvent, 'kind' | 'topic'>): EventFrame => ({
  ...frameOf(event.kind, JSON.stringify({ id, ...event }), id),
  id,
  topic: event.topic,
})

/** What is open at `id`: the beginning of a stream that resumes from nothing. */
export const snapshotFrame = (
  id: StreamId,
  { status, openCardsJson }: { status: FeedStatus; openCardsJson: string },
): Frame =>
  frameOf(
    'snapshot',
    `${JSON.stringify({ id, kind: 'snapshot', ...status }).slice(0, -1)},"openCards":${openCardsJson}}`,
    id,
  )

/** How old the data is: first when a stream resumes, and when a venue's data has become stale or fresh again. */
export const statusFrame = (status: FeedStatus): Frame =>
  frameOf('status', JSON.stringify({ kind: 'status', ...status }))

/** A message that tells how old the data is: a `status` or a `snapshot`. `stale`: the venues that it calls stale. */
export type StatusWord = { frame: Frame; stale: string }

/** Events that a reader has permanently missed. */
export type Gap = {
  afterId: StreamId | null
  oldestId: StreamId | null
  reason: 'trimmed' | 'unknown_id' | 'feed_reset'
}

/** What is said of them. How many they were is never known: they are gone, or were never here. */
export const gapOf = (gap: Gap) => ({ ...gap, missed: 'unknown' as const })

/** A `snapshot` follows. */
export const gapFrame = (gap: Gap): Frame => frameOf('gap', JSON.stringify({ kind: 'gap', ...gapOf(gap) }))

/** The last message to a reader that is too slow: it can resume from the last id it received. */
export const slowFrame = (bounds: { behindMs: number; behindBytes: number }): Frame =>
  frameOf(
    'slow',
    JSON.stringify({ kind: 'slow', ...bounds, next: 'Reconnect and resume from your last event id.' }),
  )

/** The last message of a token: `next` says where to get another one. */
export const refusalFrame = (kind: 'expired' | 'revoked', next: string): Frame =>
  frameOf(kind, JSON.stringify({ kind, next }))

export const HEARTBEAT = Buffer.from(': heartbeat\n\n')

/** How long an EventSource waits before it connects again. */
export const retryLine = (ms: number): string => `retry: ${ms}\n\n`
