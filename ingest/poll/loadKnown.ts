import type { Redis } from 'ioredis'
import { parseJsonOrNull } from '../../ops/jsonText.ts'
import type { Venue } from '../contract/market.ts'
import { Quote } from '../contract/quote.ts'
import { latestMarketsKey, latestQuotesKey, SWEEP_KEY, Sweep } from '../contract/stream.ts'
import { digest } from '../venues/text.ts'
import { Known, type KnownMarket, quoteFigures, yesBps } from './known.ts'

/** Equal to nothing: what Redis does not hold, or another version wrote, is published again or removed. */
const UNKNOWN: KnownMarket = {
  figures: Number.NaN,
  text: Number.NaN,
  market: Number.NaN,
  quote: Number.NaN,
  yesBps: null,
  venueMs: null,
}

/** Newest state of a venue as it was last published, by whichever process, and its newest complete sweep. */
export async function loadKnown(redis: Redis, venue: Venue): Promise<{ known: Known; newest: Sweep | null }> {
  await redis.unlink(`ingest:latest:${venue}`) //  one hash held both until November 2026; nobody reads it any more
  const known = new Known()
  //  sweep 0: counts as gone unless the next complete sweep shows it
  for await (const [marketId, json] of entriesOf(redis, latestMarketsKey(venue)))
    known.set(marketId, { ...UNKNOWN, market: digest(json) }, 0)
  for await (const [marketId, json] of entriesOf(redis, latestQuotesKey(venue))) {
    const slot = known.find(marketId)
    const market = slot === undefined ? Number.NaN : known.marketOf(slot)
    known.set(marketId, { ...UNKNOWN, market, ...recallQuote(json) }, 0)
  }
  const sweep = await redis.hget(SWEEP_KEY, venue)
  const newest = Sweep.safeParse(parseJsonOrNull(sweep ?? ''))
  return { known, newest: newest.success ? newest.data : null }
}

async function* entriesOf(redis: Redis, key: string): AsyncGenerator<[field: string, value: string]> {
  let cursor = '0'
  do {
    const [next, flat] = await redis.hscan(key, cursor, 'COUNT', 500)
    for (let at = 0; at + 1 < flat.length; at += 2) yield [flat[at]!, flat[at + 1]!]
    cursor = next
  } while (cursor !== '0')
}

function recallQuote(json: string): Partial<KnownMarket> {
  const { success, data } = Quote.safeParse(parseJsonOrNull(json))
  if (!success) return {}
  return { quote: digest(quoteFigures(data)), yesBps: yesBps(data), venueMs: data.venueMs }
}
