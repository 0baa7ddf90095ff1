import { z } from 'zod'
import { FeedEvent } from '../../engine/contract/feed.ts'
import type { MOVE_WINDOWS } from '../../engine/contract/movers.ts'
import { WireRow } from '../free/venueWire.ts'

/** Two lists of the day fit a page; the week says little that the day does not. */
export const SHOWN_WINDOWS = ['hour', 'day'] as const satisfies (typeof MOVE_WINDOWS)[number][]

const Iso = z.string()
const Venue = z.enum(['a', 'b'])

/** One pair as the free wire shows it. */
export type LiveGap = WireRow

/** One market's swing: which way, and how far as a band in words. */
export const LiveMover = z.object({
  window: z.enum(SHOWN_WINDOWS),
  venue: Venue,
  topic: z.string(),
  direction: z.enum(['up', 'down']),
  band: z.string(), //            `5 to 10 cents`
})
export type LiveMover = z.infer<typeof LiveMover>

/** One event of the alpha feed as it is given away: late, and in bands. */
export const TickerEvent = FeedEvent.pick({ kind: true }).extend({
  at: Iso,
  about: FeedEvent.shape.topic, // the feed's topic: gaps or edges
  topic: z.string(), //            the question
  band: z.string(), //             of the gap; about edges, of the edge after fees
})
export type TickerEvent = z.infer<typeof TickerEvent>

/** A code, its plain words, and how often it occurred. */
export const Counted = z.object({ code: z.string(), words: z.string(), count: z.int() })
export type Counted = z.infer<typeof Counted>

const VenueState = z.object({
  asOf: Iso.nullable(), //         data is complete up to here, market clock; null: not read yet
  fresh: z.boolean(), //           younger than `limitMs`
  markets: z.int().nullable(), //  open markets known
})

/**
 * All that the live page shows, and what `/live.json` and the stream `/live` carry. Free: bands in words, no price, no
 * size, no market id. Instants are market clock. Every list is bounded, all text is cut to a line.
 */
export const LiveBoard = z.object({
  ok: z.literal(true),
  service: z.object({
    mode: z.string(),
    recorded: z.boolean(),
    fromUsdc: z.string(), //       the lowest price
    goods: z.array(z.object({ path: z.string(), title: z.string(), priceUsdc: z.string() })),
  }),
  /** What changes without news: sent with the heartbeat, not by itself. */
  clock: z.object({
    now: Iso,
    speed: z.number(), //          market seconds per real second
    ageMs: z.object({ a: z.int().nullable(), b: z.int().nullable() }),
  }),
  venues: z.object({ limitMs: z.int(), a: VenueState, b: VenueState }),
  selling: z.object({ open: z.boolean(), code: z.string().nullable(), words: z.string() }),
  counts: z.object({
    pairs: z.int(), //             accepted, quoted or not
    quoted: z.int(), //            with a price on both venues
    openGaps: z.int(), //          of the cards counted, those whose gap is open
    cards: z.int(), //             gap cards that qualify, the best GAP_CARDS_MAX at most
    cardsCut: z.boolean(), //      there may be more: the board holds as many as it can
    refused: z.int(), //           proposals refused
  }),
  gaps: z.object({ takenAt: Iso.nullable(), rows: z.array(WireRow) }),
  movers: z.object({ takenAt: Iso.nullable(), rows: z.array(LiveMover) }),
  refused: z.object({
    pairs: z.array(Counted), //    proposals that are no pair, by first reason
    cards: z.array(Counted), //    pairs without a card, by first reason
    lookAlikes: z.array(
      z.object({
        a: z.object({ title: z.string(), url: z.string().nullable() }),
        b: z.object({ title: z.string(), url: z.string().nullable() }),
        why: z.array(z.string()), // in plain words
      }),
    ),
  }),
  ticker: z.object({
    delayMs: z.int(),
    spanMs: z.int(), //            length of the shown span, which ends `delayMs` ago
    counts: z.object({ opened: z.int(), changed: z.int(), closed: z.int() }), // within the span
    events: z.array(TickerEvent), // newest first, a few of each minute
  }),
})
export type LiveBoard = z.infer<typeof LiveBoard>

export type LiveSection = Exclude<keyof LiveBoard, 'ok'>
