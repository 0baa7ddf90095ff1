import type { BookRow } from '../../../engine/contract/book.ts'
import {
  FEED_STREAM,
  FEED_TOPICS,
  type FeedCard,
  FeedEvent,
  feedOpenKey,
} from '../../../engine/contract/feed.ts'
import type { Leg } from '../../../engine/contract/gaps.ts'
import { gapsBoard } from '../../../engine/stages/refreshGaps.ts'
import { warmStart } from '../../../engine/stages/warmStart.ts'
import type { World } from '../../../engine/stages/world.ts'
import type { Venue } from '../../../ingest/contract/market.ts'
import type { Quote } from '../../../ingest/contract/quote.ts'
import { latestMarketsKey, latestQuotesKey } from '../../../ingest/contract/stream.ts'
import { createIngestMetrics } from '../../../ingest/metrics.ts'
import { createFeed } from '../../../ingest/poll/feed.ts'
import { Known } from '../../../ingest/poll/known.ts'
import { sweepVenue } from '../../../ingest/poll/sweepVenue.ts'
import type { Term } from '../../../ingest/publish.ts'
import { realClock } from '../../../ops/clock.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { quietLog } from '../../support/ledger.ts'
import { until } from '../../support/process.ts'
import type { DataWorld } from './world.ts'

const VENUES = ['a', 'b'] as const
const CHECKED = ['gaps', 'nets', 'edges', 'gapCards', 'book'] as const
/** A stand-by has to notice that its leader is gone, and both read everything again. */
const SETTLED_WITHIN_MS = 60_000

type Texts = Map<string, string>

/**
 * While the venues stand still: waits until boards describe them as they are, and compares: what Redis holds of every
 * market with what a fresh reader of the venues sees, each board with what a fresh engine computes from Redis, and the
 * feed with the cards that are open.
 * @param sinceMs when the venues came to stand still.
 * @returns what differs, in words.
 */
export async function differences(world: DataWorld, sinceMs: number): Promise<string[]> {
  const { redis, boards } = world
  const isSettled = () =>
    CHECKED.every((name) => VENUES.every((venue) => (boards[name]?.snapshot.asOfMs[venue] ?? 0) > sinceMs))
  try {
    await until('boards of venues that stand still', isSettled, SETTLED_WITHIN_MS)
  } catch (error) {
    const ages = CHECKED.map((name) => [name, boards[name]?.snapshot.asOfMs])
    return [`${(error as Error).message}: ${JSON.stringify(ages)}, since ${sinceMs}`]
  }
  const wrong: string[] = []
  for (const venue of VENUES)
    wrong.push(...differ(`markets of ${venue}`, await shown(world, venue), await stored(world, venue)))
  const fresh = await warmStart(redis, realClock, quietLog)
  wrong.push(...differ('gaps', gapsOf(fresh), boardTexts(world)), ...wrongLegs(world, fresh))
  return [...wrong, ...(await wrongFeed(world))]
}

/** What a reader of the venue sees who knows nothing, by market. */
async function shown({ redis, venue }: DataWorld, name: Venue): Promise<Texts> {
  const rows: Texts = new Map()
  const term: Term = {
    term: 1,
    continues: true,
    publish: async (batch) => {
      for (const { marketId, market, quote } of batch.rows) rows.set(marketId, textOf(market, quote))
    },
    publishSweep: async () => {},
    renew: async () => true,
    rest: async () => {},
    release: async () => {},
  }
  const ports = {
    redis,
    clock: realClock,
    publisher: { begin: async () => term },
    metrics: createIngestMetrics(createMetrics('test')),
    log: quietLog,
    everyMs: 0,
  }
  const feed = { ...createFeed(venue[name]()), known: new Known() }
  const outcome = await sweepVenue(feed, ports, new AbortController().signal)
  if (outcome !== 'complete') throw new Error(`venue ${name} cannot be read: ${outcome}`)
  return rows
}

async function stored({ redis }: DataWorld, venue: Venue): Promise<Texts> {
  const [markets, quotes] = await Promise.all([
    redis.hgetall(latestMarketsKey(venue)),
    redis.hgetall(latestQuotesKey(venue)),
  ])
  const ids = Object.keys({ ...markets, ...quotes })
  return new Map(ids.map((id) => [id, textOf(markets[id] ?? 'null', quotes[id] ?? 'null')]))
}

/** Two readers see the same at different times. */
const textOf = (market: string, quote: string): string =>
  market + JSON.stringify({ ...(JSON.parse(quote) as Quote), seenMs: 0, venueMs: 0 })

type Prices = Pick<Leg, 'bidBps' | 'askBps' | 'bidSize' | 'askSize' | 'volume24h'>
const pricesOf = ({ bidBps, askBps, bidSize, askSize, volume24h }: Prices): string =>
  JSON.stringify([bidBps, askBps, bidSize, askSize, volume24h])

function gapsOf(fresh: World): Texts {
  const board = gapsBoard()
  board.warm(fresh)
  const nowMs = realClock.nowMs()
  board.body(fresh, { nowMs, asOfMs: { a: nowMs, b: nowMs }, fresh: { a: true, b: true } })
  return new Map(
    [...board.top()].map(({ pair, gapCents, a, b }) => [
      pair.pairId,
      `${gapCents} ${pricesOf(a.quote)} ${pricesOf(b.quote)}`,
    ]),
  )
}

const boardTexts = ({ boards }: DataWorld): Texts =>
  new Map(
    [...boards.gaps!.snapshot.body.rows].map(({ pairId, gapCents, a, b }) => [
      pairId,
      `${gapCents} ${pricesOf(a)} ${pricesOf(b)}`,
    ]),
  )

/** Rows of other boards whose prices are not those of their markets. */
function wrongLegs({ boards }: DataWorld, fresh: World): string[] {
  const wrong: string[] = []
  const look = (board: string, venue: Venue, row: Prices & { marketId: string }) => {
    const quote = fresh.listing(venue, row.marketId)?.quote
    if (quote === undefined || pricesOf(quote) !== pricesOf(row))
      wrong.push(`${board}: ${venue}:${row.marketId} ${pricesOf(row)}, and not ${JSON.stringify(quote)}`)
  }
  for (const row of boards.nets!.snapshot.body.rows)
    for (const venue of VENUES) look('nets', venue, row[venue])
  //  sides that contradict each other are not shown there
  const isShown = ({ bidBps, askBps }: BookRow) => bidBps !== null && askBps !== null
  for (const venue of VENUES)
    for (const row of boards.book!.snapshot.body[venue]) if (isShown(row)) look('book', venue, row)
  return wrong
}

/** The events of the feed, and the open cards of each topic. */
async function readFeed(redis: DataWorld['redis']) {
  const read = redis.multi().xrange(FEED_STREAM, '-', '+')
  for (const topic of FEED_TOPICS) read.hgetall(feedOpenKey(topic))
  const [events, ...open] = ((await read.exec()) ?? []).map(([, reply]) => reply) as [
    [string, string[]][],
    ...Record<string, string>[],
  ]
  return { events, open }
}

/**
 * The open cards, as folded from all events, as stored, and as an api process holds them that never ended. Flags of a
 * card may change while the venues stand still: compared is what all three have at one moment.
 */
async function wrongFeed({ redis, feed }: DataWorld): Promise<string[]> {
  const { events, open } = await until('the feed has been read', async () => {
    const now = await readFeed(redis)
    return feed()?.log.lastId === (now.events.at(-1)?.[0] ?? '0-0') ? now : null
  })
  return FEED_TOPICS.flatMap((topic, at) => {
    const folded: Texts = new Map()
    for (const [, fields] of events) {
      const event = FeedEvent.parse(JSON.parse(fields[1]!))
      if (event.topic !== topic) continue
      if (event.kind === 'closed') folded.delete(event.card.pairId)
      else folded.set(event.card.pairId, event.card.cardId)
    }
    const idsOf = (cards: Iterable<[string, string]>): Texts =>
      new Map([...cards].map(([pairId, text]) => [pairId, (JSON.parse(text) as FeedCard).cardId]))
    const kept = idsOf(Object.entries(open[at]!))
    return [
      ...differ(`${topic} that are open, and their events`, kept, folded),
      ...differ(`${topic} that are open, and those of the api`, kept, idsOf(feed()!.open[topic])),
    ]
  })
}

const SHOWN = 2

function differ(what: string, expected: Texts, found: Texts): string[] {
  const keys = new Set([...expected.keys(), ...found.keys()])
  const wrong = [...keys].filter((key) => expected.get(key) !== found.get(key))
  if (wrong.length === 0) return []
  const some = wrong.slice(0, SHOWN).map((key) => `${key}: ${found.get(key)} instead of ${expected.get(key)}`)
  return [`${what}: ${wrong.length} of ${keys.size} differ. ${some.join(' · ')}`]
}
