import type { Redis } from 'ioredis'
import type { Market } from '../../../ingest/contract/market.ts'
import type { Quote } from '../../../ingest/contract/quote.ts'
import {
  type Batch,
  Latest,
  latestKey,
  QUOTE_STREAM,
  SWEEP_KEY,
  type Sweep,
} from '../../../ingest/contract/stream.ts'

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
  for (const entry of listed) steps.hset(latestKey(venue), entry.market.marketId, JSON.stringify(entry))
  for (const quote of quotes) {
    const text = await redis.hget(latestKey(venue), quote.marketId)
    if (text !== null)
      steps.hset(
        latestKey(venue),
        quote.marketId,
        JSON.stringify({ ...Latest.parse(JSON.parse(text)), quote }),
      )
  }
  if (closed.length > 0) steps.hdel(latestKey(venue), ...closed)
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
