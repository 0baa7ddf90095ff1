import { z } from 'zod'
import { GapCard } from './gapCards.ts'

export const FEED_TOPICS = ['gaps', 'edges'] as const

/** Cards open at once under one topic; further ones are told when there is room. */
export const FEED_OPEN_MAX = 2_000

/**
 * What is open under a topic. `gaps`: qualifying cards whose gap is open (its `life` is not null). `edges`:
 * qualifying cards that suggest a trade, and after that until their edge is gone. `changed` is told when the gap (for
 * `edges`: the edge) moved by 0.5 cents or more since it was last told, or `executable` or `suggestedAction` changed.
 * Adding opened, replacing changed and removing closed cards by pair gives what is open; while a venue's data is
 * stale nothing is told.
 *
 * One event of the alpha feed. Poll, stream and history use this one schema. `id` is the entry's id in the
 * retained stream: it orders events and is what `Last-Event-ID` resumes from.
 */
export const FeedEvent = z.object({
  kind: z.enum(['opened', 'changed', 'closed']),
  topic: z.enum(FEED_TOPICS), // what a WebSocket subscribes to
  atMs: z.int(), //                    market clock
  snapshotVersion: z.int(),
  card: GapCard, //                    as of this event; for closed: as it last was
})
export type FeedEvent = z.infer<typeof FeedEvent>

/** Stream of feed events: field `event` = JSON of FeedEvent. Bounded; what is older is in table `feed_events`. */
export const FEED_STREAM = 'engine:feed'
export const FEED_MAX_EVENTS = 20_000

/**
 * What is open under a topic: hash pair → JSON of its GapCard as it was last told. Written in the same step as the
 * events, so hash and last id of the stream read in one transaction are one state: a reader begins with the hash and
 * folds what comes behind that id.
 */
export const feedOpenKey = (topic: FeedEvent['topic']): string => `engine:feed:open:${topic}`
