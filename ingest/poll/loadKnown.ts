import type { Redis } from 'ioredis'
import type { Venue } from '../contract/market.ts'
import { Latest, latestKey, SWEEP_KEY, Sweep } from '../contract/stream.ts'
import { digest } from '../venues/text.ts'
import { Known, type KnownMarket, quoteFigures, yesBps } from './known.ts'

/** Newest state of a venue as it was last published, by whichever process, and its newest complete sweep. */
export async function loadKnown(redis: Redis, venue: Venue): Promise<{ known: Known; newest: Sweep | null }> {
  const known = new Known()
  let cursor = '0'
  do {
    const [next, pairs] = await redis.hscan(latestKey(venue), cursor, 'COUNT', 500)
    for (let at = 0; at + 1 < pairs.length; at += 2) {
      //  sweep 0: gone, unless the next complete sweep shows it
      known.set(pairs[at]!, recall(pairs[at + 1]!), 0)
    }
    cursor = next
  } while (cursor !== '0')
  const sweep = await redis.hget(SWEEP_KEY, venue)
  const newest = Sweep.safeParse(parseJson(sweep ?? ''))
  return { known, newest: newest.success ? newest.data : null }
}

function recall(json: string): KnownMarket {
  const raw = parseJson(json)
  const latest = Latest.safeParse(raw)
  const entry = { figures: Number.NaN, text: Number.NaN }
  //  written by another version: equal to nothing, so it is published again or removed
  if (!latest.success) return { ...entry, market: Number.NaN, quote: Number.NaN, yesBps: null, venueMs: null }
  const { quote } = latest.data
  return {
    ...entry,
    //  of the text as it was published, not of what the schema makes of it
    market: digest(JSON.stringify((raw as { market: unknown }).market)),
    quote: digest(quoteFigures(quote)),
    yesBps: yesBps(quote),
    venueMs: quote.venueMs,
  }
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}
