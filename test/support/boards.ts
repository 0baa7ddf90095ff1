import { createHash } from 'node:crypto'
import { Redis } from 'ioredis'
import type { BookRow } from '../../engine/contract/book.ts'
import type { EdgeRow } from '../../engine/contract/edges.ts'
import type { GapCard } from '../../engine/contract/gapCards.ts'
import { GAPS, type GapRow, type GapsBoard, type Leg } from '../../engine/contract/gaps.ts'
import type { MoverRow } from '../../engine/contract/movers.ts'
import type { NetRow } from '../../engine/contract/nets.ts'
import { SNAPSHOT_STREAM, type Snapshot, snapshotKey } from '../../engine/contract/snapshot.ts'
import type { TopicRow } from '../../engine/contract/topics.ts'

export const someLeg = (change: Partial<Leg> = {}): Leg => ({
  marketId: 'M1',
  title: 'Will the Fed cut rates in December 2026?',
  slug: 'fed-december-2026',
  url: 'https://polymarket.com/event/fed-december-2026',
  bidBps: 4_300,
  askBps: 4_400,
  bidSize: 100,
  askSize: 100,
  midBps: 4_350,
  volume24h: 1_000,
  closeMs: null,
  venueMs: null,
  seenMs: Date.now(),
  ...change,
})

export const someGap = (change: Partial<GapRow> = {}): GapRow => ({
  pairId: 'a:M1|b:KXFED-26DEC-C25',
  topic: 'Fed cuts rates in December 2026',
  category: 'Economics',
  verdict: 'identity',
  reasons: ['title'],
  gapCents: 7,
  netCents: 5,
  cheaperVenue: 'a',
  closesApartMs: 0,
  executable: true,
  a: someLeg(),
  b: someLeg({
    marketId: 'KXFED-26DEC-C25',
    slug: null,
    url: 'https://kalshi.com/markets/kxfed',
    bidBps: 5_000,
    askBps: 5_100,
    midBps: 5_050,
  }),
  ...change,
})

export function someSnapshot(rows: GapRow[], change: Partial<Snapshot> = {}): Snapshot<GapsBoard> {
  const body: GapsBoard = { rows, markets: { a: 1, b: 1 }, pairs: rows.length, refused: {} }
  const nowMs = Date.now()
  return {
    name: GAPS,
    version: 1,
    fence: 1,
    publishedMs: nowMs,
    asOfMs: { a: nowMs, b: nowMs },
    hash: createHash('sha256').update(JSON.stringify(body)).digest('hex'),
    ...change,
    body,
  }
}

/** Writes a snapshot as the engine does: value and stream entry. */
export async function publishSnapshot(redisUrl: string, snapshot: Snapshot): Promise<void> {
  const redis = new Redis(redisUrl.replace(/^unix:/, ''))
  await redis
    .multi()
    .set(snapshotKey(snapshot.name), JSON.stringify(snapshot))
    .xadd(SNAPSHOT_STREAM, '*', 'name', snapshot.name, 'version', snapshot.version)
    .exec()
  redis.disconnect()
}

/** The envelope of any board, fresh at `nowMs`. */
export const snapshotOf = <Body>(
  name: string,
  body: Body,
  nowMs = Date.now(),
  change: Partial<Snapshot> = {},
): Snapshot<Body> => ({
  name,
  version: 1,
  fence: 1,
  publishedMs: nowMs,
  asOfMs: { a: nowMs, b: nowMs },
  hash: createHash('sha256').update(JSON.stringify(body)).digest('hex'),
  ...change,
  body,
})

export function someNet(change: Partial<NetRow> = {}): NetRow {
  const { netCents: _, ...gap } = someGap()
  return {
    ...gap,
    netCents: 6,
    buyVenue: 'a',
    sellVenue: 'b',
    buySide: 'yes',
    sellSide: 'yes',
    buyBps: 4_400,
    sellBps: 5_000,
    ...change,
  }
}

export const someEdge = (change: Partial<EdgeRow> = {}): EdgeRow => ({
  ...someNet(),
  edgeCents: 3.27,
  feeCents: { a: 0.98, b: 1.75 },
  feeTableVersion: '2026-11-01',
  feesGuessed: false,
  bySize: [
    {
      usd: 10,
      filled: true,
      contracts: 22,
      averageBuyBps: 4_400,
      averageSellBps: 5_000,
      feesUsd: 0.61,
      profitUsd: 0.71,
      edgeCents: 3.23,
    },
  ],
  depthSeenMs: Date.now(),
  lockUpDays: 20,
  annualisedPct: 130,
  riskFlags: ['settles_differently'],
  suggestedAction: 'buy_a_sell_b',
  ...change,
})

export const someCard = (change: Partial<GapCard> = {}): GapCard => ({
  ...someEdge(),
  schema: 'botFuel.v2',
  cardId: 'a:M1|b:KXFED-26DEC-C25@1790000000000',
  gapCents: 7,
  life: { openedMs: 1_790_000_000_000, ageMs: 120_000, peakCents: 8, everExecutable: true },
  ...change,
})

export const someMover = (change: Partial<MoverRow> = {}): MoverRow => ({
  venue: 'a',
  marketId: 'M1',
  topic: 'Fed cuts rates in December 2026',
  url: 'https://polymarket.com/event/fed-december-2026',
  changeCents: -4.5,
  yesBps: 4_350,
  lastBps: 4_400,
  volume24h: 1_000,
  volumeUnit: 'usd',
  closeMs: null,
  venueMs: Date.now(),
  seenMs: Date.now(),
  ...change,
})

export const someBookRow = (change: Partial<BookRow> = {}): BookRow => ({
  venue: 'a',
  marketId: 'M1',
  topic: 'Fed cuts rates in December 2026',
  url: 'https://polymarket.com/event/fed-december-2026',
  bidBps: 4_300,
  askBps: 4_400,
  bidSize: 100,
  askSize: 80,
  volume24h: 1_000,
  volumeUnit: 'usd',
  venueMs: Date.now(),
  seenMs: Date.now(),
  ...change,
})

export const someTopic = (change: Partial<TopicRow> = {}): TopicRow => ({
  venue: 'a',
  marketId: 'M1',
  topic: 'Fed cuts rates in December 2026',
  pairId: null,
  ...change,
})
