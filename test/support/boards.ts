import { createHash } from 'node:crypto'
import { Redis } from 'ioredis'
import { GAPS, type GapRow, type GapsBoard, type Leg } from '../../engine/contract/gaps.ts'
import { SNAPSHOT_STREAM, type Snapshot, snapshotKey } from '../../engine/contract/snapshot.ts'

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
