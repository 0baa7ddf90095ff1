import type { Redis } from 'ioredis'
import type { World } from '../../../engine/stages/world.ts'
import type { Market } from '../../../ingest/contract/market.ts'
import type { Quote } from '../../../ingest/contract/quote.ts'
import {
  type Batch,
  latestMarketsKey,
  latestQuotesKey,
  QUOTE_STREAM,
  SWEEP_KEY,
  type Sweep,
} from '../../../ingest/contract/stream.ts'

/** Loads the current state of a market into a world that `pairLoaded` completes. */
export function loadListed(world: World, { market, quote }: { market: Market; quote: Quote }): void {
  world.loadMarket(market)
  world.loadQuote(quote)
}

/** Writes the quote stream as its contract says: entry and newest state in one transaction. */
export async function sendChanges(
  redis: Redis,
  venue: 'a' | 'b',
  {
    listed = [],
    quotes = [],
    closed = [],
  }: { listed?: { market: Market; quote: Quote }[]; quotes?: Quote[]; closed?: string[] },
): Promise<void> {
  const batch: Batch = {
    kind: 'changes',
    venue,
    markets: listed.map(({ market }) => market),
    quotes: [...listed.map(({ quote }) => quote), ...quotes],
    closed,
  }
  const steps = redis.multi().xadd(QUOTE_STREAM, '*', 'batch', JSON.stringify(batch))
  for (const { market } of listed)
    steps.hset(latestMarketsKey(venue), market.marketId, JSON.stringify(market))
  for (const quote of batch.quotes) steps.hset(latestQuotesKey(venue), quote.marketId, JSON.stringify(quote))
  for (const key of [latestMarketsKey(venue), latestQuotesKey(venue)])
    if (closed.length > 0) steps.hdel(key, ...closed)
  await steps.exec()
}

export async function sendSweep(
  redis: Redis,
  venue: 'a' | 'b',
  startedMs: number,
  rest: Partial<Sweep> = {},
): Promise<void> {
  const sweep: Sweep = {
    venue,
    sweepId: startedMs,
    startedMs,
    finishedMs: startedMs,
    changedMs: startedMs,
    complete: true,
    markets: 1,
    pages: 1,
    dropped: {},
    ...rest,
  }
  const steps = redis
    .multi()
    .xadd(QUOTE_STREAM, '*', 'batch', JSON.stringify({ kind: 'sweep', venue, sweep } satisfies Batch))
  if (sweep.complete) steps.hset(SWEEP_KEY, venue, JSON.stringify(sweep))
  await steps.exec()
}
