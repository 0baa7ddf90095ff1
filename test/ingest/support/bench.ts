import { Redis } from 'ioredis'
import { z } from 'zod'
import { Market, type Venue } from '../../../ingest/contract/market.ts'
import { Quote } from '../../../ingest/contract/quote.ts'
import {
  Batch,
  latestMarketsKey,
  latestQuotesKey,
  QUOTE_STREAM,
  SWEEP_KEY,
  type Sweep,
} from '../../../ingest/contract/stream.ts'
import { createIngestMetrics } from '../../../ingest/metrics.ts'
import type { PollPorts } from '../../../ingest/poll/feed.ts'
import { createPublisher, type LeaseKeeper, type Publisher } from '../../../ingest/publish.ts'
import { createLog } from '../../../ops/log.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

/** Newest state of one market. */
export const Latest = z.object({ market: Market, quote: Quote })

export type PublisherOptions = { maxBatches?: number; maxBytes?: number; leaseMs?: number; restMs?: number }

export type Bench = {
  server: TestRedis
  redis: Redis
  ports(owner: string, options?: PublisherOptions): PollPorts & { redis: Redis }
  publisher(owner: string, options?: PublisherOptions): Publisher & LeaseKeeper
  /** Everything in the stream, checked against the contract. */
  stream(): Promise<Batch[]>
  /** Newest state of both hashes, `{market, quote}`; null where one of them has nothing. */
  latest(venue: Venue): Promise<Map<string, unknown>>
  newestSweep(venue: Venue): Promise<Sweep | null>
  wipe(): Promise<unknown>
  close(): Promise<void>
}

/** A Redis of its own and what polling needs around it. */
export async function openBench(): Promise<Bench> {
  const server = await startRedis()
  const redis = new Redis(server.url.slice('unix:'.length), { enableAutoPipelining: true })
  const publisher: Bench['publisher'] = (owner, options = {}) =>
    createPublisher(redis, { owner, maxBatches: 1_000, maxBytes: 1024 ** 3, ...options })
  return {
    server,
    redis,
    publisher,
    ports: (owner, options) => ({
      redis,
      clock: { nowMs: () => Date.now() },
      publisher: publisher(owner, options),
      metrics: createIngestMetrics(createMetrics('test')),
      log: createLog('test', 'silent'),
      everyMs: 0, // no pause between pages
      random: () => 0, // nor after a failed sweep
    }),
    stream: async () => {
      const entries = await redis.xrange(QUOTE_STREAM, '-', '+')
      return entries.map(([, [field, json]]) => {
        if (field !== 'batch') throw new Error(`unexpected field ${field}`)
        return Batch.parse(JSON.parse(json!))
      })
    },
    latest: async (venue) => {
      const markets = await redis.hgetall(latestMarketsKey(venue))
      const quotes = await redis.hgetall(latestQuotesKey(venue))
      return new Map(
        Object.keys({ ...markets, ...quotes }).map((id) => {
          const [market, quote] = [markets[id], quotes[id]].map(
            (json) => JSON.parse(json ?? 'null') as unknown,
          )
          return [id, { market, quote }]
        }),
      )
    },
    newestSweep: async (venue) => JSON.parse((await redis.hget(SWEEP_KEY, venue)) ?? 'null') as Sweep | null,
    wipe: () => redis.flushall(),
    close: async () => {
      redis.disconnect()
      await server.stop()
    },
  }
}

/** What a reader of the stream holds after all of it: the state that `latest` must equal at any position. */
export function replayStream(
  batches: Batch[],
  venue: Venue,
): Map<string, { market: unknown; quote: unknown }> {
  const state = new Map<string, { market: unknown; quote: unknown }>()
  for (const batch of batches) {
    if (batch.kind !== 'changes' || batch.venue !== venue) continue
    for (const market of batch.markets)
      state.set(market.marketId, { market, quote: state.get(market.marketId)?.quote ?? null })
    for (const quote of batch.quotes)
      state.set(quote.marketId, { market: state.get(quote.marketId)?.market ?? null, quote })
    for (const marketId of batch.closed) state.delete(marketId)
  }
  return state
}
