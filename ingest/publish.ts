import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'
import { redisScript } from '../ops/redisScript.ts'
import { MINUTE, SECOND } from '../ops/units.ts'
import type { Venue } from './contract/market.ts'
import { latestMarketsKey, latestQuotesKey, QUOTE_STREAM, SWEEP_KEY, type Sweep } from './contract/stream.ts'
import { SupersededError } from './errors.ts'
import type { Batch } from './poll/batches.ts'

/** What one worker at a time reads of a venue, and publishes. */
export type Feed = `sweep:${Venue}` | `books:${Venue}`

/** How long a killed worker's lease lasts. A timer renews it well before, while a job runs. */
export const LEASE_MS = 15 * SECOND

/** And how long the one of a worker that rests between two terms. It is renewed far more often (poll/turns.ts). */
export const REST_MS = 5 * SECOND

/** Counting the stream's memory takes Redis a millisecond for some thousand entries. */
const MEASURE_EVERY_MS = 1 * MINUTE

export const leaseKey = (feed: Feed): string => `ingest:lease:${feed}`

export type Term = {
  readonly term: number //    rises by one per feed; of a sweep: its sweepId
  /** Redis was found as this process had left it: nobody has published on this feed since, and nothing is lost. */
  readonly continues: boolean
  /** @throws SupersededError when a newer term has begun, or Redis has lost what this term had published. */
  publish(batch: Batch): Promise<void>
  publishSweep(sweep: Sweep): Promise<void>
  renew(): Promise<boolean>
  /** Ends the term and keeps the feed from others for another one, of this process, that begins soon. */
  rest(): Promise<void>
  release(): Promise<void>
}

export type Publisher = {
  /** Begins a term. @returns null while another worker holds the feed. */
  begin(feed: Feed, venue: Venue): Promise<Term | null>
}

/** What a process does about its feeds between two terms. */
export type LeaseKeeper = {
  /** Keeps a feed between two terms. @returns whether it is ours still, and whether another process asks for it. */
  keep(feed: Feed): Promise<'ours' | 'asked for' | 'lost'>
  leave(feed: Feed): Promise<void>
  /** @param asks a holder that keeps another feed as well may give us this one. @returns whether nobody else holds it. */
  isFree(feed: Feed, asks: boolean): Promise<boolean>
}

/** Answer of `begin` in lease.lua. */
type Begun = [term: number, owner?: string, termBefore?: number, seqBefore?: number]

const lease = redisScript(readFileSync(new URL('./lease.lua', import.meta.url), 'utf8'))
const publish = redisScript(readFileSync(new URL('./publish.lua', import.meta.url), 'utf8'))

/**
 * Writes the quote stream. One call changes stream, newest state and sweep together, so that position and
 * state always belong to each other, and only for the newest term of the feed (VEN-04, VEN-16, VEN-18).
 *
 * Bound of the stream: `maxBatches` entries, or as many as have `maxBytes`, which is looked at now and then. The archiver
 * trims what ClickHouse has (archive/archive.ts), so the bound is reached only when ClickHouse is away for very long. Then
 * the oldest entries are dropped, the archive notes the hole in `stream_gaps`, and selling goes on.
 * @param owner names this process; no two processes share one.
 */
export function createPublisher(
  redis: Redis,
  {
    owner,
    maxBatches,
    maxBytes,
    leaseMs = LEASE_MS,
    restMs = REST_MS,
  }: { owner: string; maxBatches: number; maxBytes: number; leaseMs?: number; restMs?: number },
): Publisher & LeaseKeeper {
  let most = maxBatches
  let measuredMs = Number.NEGATIVE_INFINITY
  const measure = async () => {
    if (performance.now() - measuredMs < MEASURE_EVERY_MS) return
    measuredMs = performance.now()
    const entries = await redis.xlen(QUOTE_STREAM)
    const bytes = Number((await redis.memory('USAGE', QUOTE_STREAM, 'SAMPLES', 0)) ?? 0)
    most = bytes > maxBytes ? Math.max(1, Math.floor((entries * maxBytes) / bytes)) : maxBatches
  }
  const left = new Map<Feed, { term: number; seq: number }>() // the newest batch known to be published
  const termOf = (feed: Feed) => left.get(feed)?.term ?? 0
  return {
    keep: async (feed) => {
      const answer = await lease(redis, [leaseKey(feed)], ['renew', owner, restMs, termOf(feed)])
      return answer === 0 ? 'lost' : answer === 2 ? 'asked for' : 'ours'
    },
    leave: async (feed) => {
      await lease(redis, [leaseKey(feed)], ['release', owner, restMs, termOf(feed)])
    },
    isFree: async (feed, asks) =>
      (await lease(redis, [leaseKey(feed)], ['look', owner, leaseMs, asks ? 1 : 0])) === 1,
    begin: async (feed, venue) => {
      const key = leaseKey(feed)
      const [term, ...before] = (await lease(redis, [key], ['begin', owner, leaseMs])) as Begun
      if (term === 0) return null
      const mine = left.get(feed)
      const continues = mine !== undefined && before.join() === [owner, mine.term, mine.seq].join()
      left.set(feed, { term, seq: 0 })
      await measure()
      const keys = [key, QUOTE_STREAM, latestMarketsKey(venue), latestQuotesKey(venue), SWEEP_KEY]
      let seq = 0
      const send = async ({ head, tail, rows, remove }: Batch, field = '', value = '') => {
        seq++
        const args: (string | number)[] = [term, seq, most, head, tail, rows.length, field, value, owner]
        for (const { marketId, market, quote } of rows) args.push(marketId, market, quote)
        args.push(...remove)
        const outcome = await publish(redis, keys, args)
        if (outcome === -1) throw new SupersededError(`${feed}: term ${term} is over`)
        left.set(feed, { term, seq })
      }
      return {
        term,
        continues,
        publish: (batch) => send(batch),
        publishSweep: (sweep) => {
          const json = JSON.stringify(sweep)
          const head = `{"kind":"sweep","venue":"${venue}","sweep":${json}}`
          return send({ head, tail: '', rows: [], remove: [] }, sweep.complete ? venue : '', json)
        },
        renew: async () => (await lease(redis, [key], ['renew', owner, leaseMs, term])) !== 0,
        rest: async () => {
          await lease(redis, [key], ['renew', owner, restMs, term])
        },
        release: async () => {
          await lease(redis, [key], ['release', owner, leaseMs, term])
        },
      }
    },
  }
}
