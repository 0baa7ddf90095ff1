import { z } from 'zod'
import { FEED_RULES, FEED_TOPICS, FeedCard, FeedEvent } from '../../../engine/contract/feed.ts'
import { Mode } from '../../../ops/mode.ts'
import { FEED_PATH, FEED_STREAM_PATH } from '../../entitlements/feedToken.ts'
import type { ProblemCode } from '../../errors.ts'
import { LIMIT_DEFAULT, LIMIT_MAX } from '../../feed/feedQuery.ts'
import { CLOSE_CODES, MESSAGE_MAX_BYTES } from '../../feed/feedSocket.ts'
import { FEED_SCHEMA } from '../../feed/poll.ts'
import { STREAM_ID } from '../../feed/streamId.ts'
import { PRECISION } from '../../goods/market/freshness.ts'
import { Precision } from '../../goods/market/shapes.ts'
import { EXAMPLE_MS, TOLD_CARD } from '../examples/rows.ts'
import { json, type Operation } from '../operation.ts'
import { ProblemBody } from '../problems.ts'

const ID = `${EXAMPLE_MS}-0`
const AT = new Date(EXAMPLE_MS - 1_000).toISOString()
const Iso = z.iso.datetime()
const EventId = z.string().describe('Orders events; resumes from here')

/** How old the data behind the feed is. */
const Status = z.object({
  mode: Mode,
  recorded: z.boolean(),
  snapshotVersion: z.int().nullable(),
  asOf: z
    .object({ a: Iso.nullable(), b: Iso.nullable() })
    .describe('Of the newest snapshot; each card is as of its own toldMs'),
  ageMs: z.object({ a: z.number().nullable(), b: z.number().nullable() }),
  maxAgeMs: z.number(),
  stale: z.boolean().describe('While true, nothing is told: neither that a gap opened nor that one closed'),
  staleVenues: z.array(z.string()),
  matchPrecision: Precision,
})
const Event = FeedEvent.extend({ id: EventId, atMs: z.int().describe('Unix ms, market clock') })
const Cards = z.array(FeedCard)
const OpenCards = z.object({ gaps: Cards.optional(), edges: Cards.optional() })
const Gap = z.object({
  afterId: EventId.nullable(),
  oldestId: EventId.nullable(),
  reason: z.enum(['trimmed', 'unknown_id', 'feed_reset']),
  missed: z.literal('unknown'),
})

/** 200 of a poll. */
const FeedAnswer = Status.extend({
  ok: z.literal(true),
  protocol: z.literal('alpha-feed'),
  schema: z.literal(FEED_SCHEMA),
  generatedAt: Iso.describe('Market clock; ageMs is as of it'),
  nextPollMs: z.int().min(0),
  lastEventId: EventId.describe('Send it as since with the next poll'),
  more: z.boolean().describe('True: poll again at once, from lastEventId'),
  gap: Gap.nullable().describe('Not null: events were missed for good; openCards is what is open now'),
  openCards: OpenCards.nullable().describe(
    'Open cards, each as it was last told; null where the events alone tell it',
  ),
  events: z.array(Event).describe('Oldest first'),
})

/** Every message of a stream, over server-sent events and WebSocket; an error over WebSocket only, before the close. */
const FeedMessage = z.union([
  Event,
  Status.extend({ kind: z.literal('snapshot'), id: EventId, openCards: OpenCards }),
  Status.extend({ kind: z.literal('status') }),
  Gap.extend({ kind: z.literal('gap') }),
  z.object({ kind: z.literal('slow'), behindMs: z.number(), behindBytes: z.number(), next: z.string() }),
  z.object({ kind: z.enum(['expired', 'revoked']), next: z.string() }),
  ProblemBody.extend({ kind: z.literal('error'), retryAfterS: z.int().nullable() }),
])

const topic = {
  in: 'query',
  name: 'topic',
  description: `One topic; omitted: all. ${FEED_RULES.open}`,
  example: 'gaps',
  schema: z.enum(FEED_TOPICS).optional(),
} as const

const REFUSALS: readonly ProblemCode[] = [
  'feed_token_missing',
  'feed_token_unknown',
  'feed_token_expired',
  'feed_token_revoked',
  'malformed_request',
  'too_many_streams',
  'feed_unavailable',
  'busy',
  'ledger_unavailable',
]

/** The alpha feed (spec 4.2), in three ways. */
export const FEED: readonly Operation[] = [
  {
    method: 'GET',
    path: FEED_PATH,
    id: 'alphaFeed',
    tag: 'feeds',
    summary: 'Gap cards as they open, change and close',
    description: `JSON by polling: ask first without since, then with the lastEventId of the last answer; ETag tells that nothing is new. With Accept: text/event-stream the same events as a stream, which Last-Event-ID resumes. ${FEED_RULES.changed}`,
    token: ['feedToken', 'marketplaceToken'],
    parameters: [
      topic,
      {
        in: 'query',
        name: 'since',
        description: 'Event id: only what came after it',
        example: ID,
        schema: z.string().regex(STREAM_ID).optional(),
      },
      {
        in: 'query',
        name: 'limit',
        description: `Events of one answer; omitted: ${LIMIT_DEFAULT}`,
        example: LIMIT_DEFAULT,
        schema: z.int().min(1).max(LIMIT_MAX).optional(),
      },
      { in: 'header', name: 'If-None-Match', description: 'ETag of the last answer', example: `W/"${ID}"` },
      {
        in: 'header',
        name: 'Last-Event-ID',
        description:
          'For a stream: resumes after this event. Takes precedence over lastEventId, and that over since',
        example: ID,
      },
      {
        in: 'query',
        name: 'lastEventId',
        description: 'The same, for readers that cannot set headers',
        example: ID,
        schema: z.string().regex(STREAM_ID).optional(),
      },
    ],
    answers: {
      200: {
        description: 'Events, or a stream of them',
        content: {
          ...json(FeedAnswer, {
            ok: true,
            protocol: 'alpha-feed',
            schema: FEED_SCHEMA,
            mode: 'sandbox',
            recorded: false,
            snapshotVersion: 4_711,
            asOf: { a: AT, b: AT },
            ageMs: { a: 1_000, b: 1_000 },
            maxAgeMs: 90_000,
            stale: false,
            staleVenues: [],
            ...PRECISION,
            generatedAt: new Date(EXAMPLE_MS).toISOString(), // the asOf above, and its age
            nextPollMs: 1_000,
            lastEventId: ID,
            more: false,
            gap: null,
            openCards: null,
            events: [
              {
                id: ID,
                kind: 'opened',
                topic: 'gaps',
                atMs: EXAMPLE_MS,
                snapshotVersion: 4_711,
                card: TOLD_CARD,
              },
            ],
          } satisfies z.infer<typeof FeedAnswer>),
          'text/event-stream': { message: FeedMessage },
        },
      },
      304: { description: 'Nothing is new' },
    },
    problems: [...REFUSALS, 'invalid_parameter'],
  },
  {
    method: 'GET',
    path: FEED_STREAM_PATH,
    id: 'alphaStream',
    tag: 'feeds',
    summary: 'The same feed over WebSocket',
    description: `Send {"op":"subscribe","topics":["gaps"],"lastEventId":"...","token":"..."} as the first message (at most ${MESSAGE_MAX_BYTES} bytes); all but op may be left out, the token also comes as a header of the upgrade. Each message is one JSON object with a kind.`,
    token: ['feedToken', 'marketplaceToken'],
    answers: { 101: { description: 'WebSocket; messages as in x-message-schema of the feed' } },
    problems: [...REFUSALS, 'upgrade_required'],
    extensions: { 'x-websocket-close-codes': CLOSE_CODES },
  },
]
