import { z } from 'zod'
import { GapCard } from './gapCards.ts'

export const FEED_TOPICS = ['gaps', 'edges'] as const

/** Most cards open at once under one topic; further ones are announced when there is room. */
export const FEED_OPEN_MAX = 2_000

/** A smaller move of a figure is noise. */
export const TELLS_CENTS = 0.5

/**
 * A gap card as the feed announces it, in the engine's own terms: prices in bps of a dollar (1 = 0.0001), instants in
 * Unix ms. Figures move between two announcements; `toldMs` is the instant of those a reader holds.
 */
export const FeedCard = GapCard.extend({
  schema: z.literal('feedCard.v1'),
  toldMs: z.int().describe('Unix ms, market clock: every figure and flag of this card is as of this instant'),
}).describe(
  'Bps: basis points of a dollar (1 = 0.0001). Cents: US cents per contract. Usd: US dollars. Ms: Unix ms or, of age and closesApart, milliseconds; market clock. Sizes and contracts: contracts; volume24h: venue A in USD, venue B in contracts, two decimals. a, b: as each venue words its market',
)
export type FeedCard = z.infer<typeof FeedCard>

/** The rules of the feed, in words that buyers and analysts read. */
export const FEED_RULES = {
  open: 'Under topic gaps: cards whose gap is open (life is not null). Under edges: cards that suggest a trade, and afterwards, on watch, as long as their edge is above 0.',
  changed: `A card is announced again when its gap, net, edge, buy or sell price has moved by ${TELLS_CENTS} cents or more since its last announcement, or when its risk flags, executable, suggestedAction, the buying venue, or the sizes that pay have changed. Until then the figures a reader holds are as of toldMs.`,
} as const

/**
 * One event of the alpha feed. Poll, stream and history use this one schema. `id` is the entry's id in the retained
 * stream: it orders events and is what `Last-Event-ID` resumes from.
 *
 * FEED_RULES say what is open and when it is announced again. Adding opened, replacing changed and removing closed
 * cards by pair gives what is open; while a venue's data is stale nothing is announced.
 */
export const FeedEvent = z.object({
  kind: z.enum(['opened', 'changed', 'closed']),
  topic: z.enum(FEED_TOPICS), // what a WebSocket subscribes to
  atMs: z.int(), //                    market clock
  snapshotVersion: z.int(),
  card: FeedCard, //                   as of this event; for closed: as last announced
})
export type FeedEvent = z.infer<typeof FeedEvent>

/** Stream of feed events: field `event` = JSON of FeedEvent. Bounded; what is older is in table `feed_events`. */
export const FEED_STREAM = 'engine:feed'
export const FEED_MAX_EVENTS = 20_000

/**
 * What is open under a topic: a hash pair → JSON of its FeedCard as last announced. Written in the same step as the
 * events, so the hash and the last id of the stream, read in one transaction, are one state: a reader begins with the
 * hash and folds the events after that id.
 */
export const feedOpenKey = (topic: FeedEvent['topic']): string => `engine:feed:open:${topic}`
