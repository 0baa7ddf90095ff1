import { Redis } from 'ioredis'
import { followFeed } from '../../../api/feed/followFeed.ts'
import { type Boards, followBoards } from '../../../api/latest.ts'
import type { Venue } from '../../../ingest/contract/market.ts'
import type { VenuePort } from '../../../ingest/venues/venue.ts'
import { createHttpClient } from '../../../ops/http.ts'
import { connectRedis } from '../../../ops/redis.ts'
import { DEFAULT_PACE, generateWorld } from '../../../ops/sandbox/venues/generator/generate.ts'
import { serveVenues } from '../../../ops/sandbox/venues/serve.ts'
import { SECOND } from '../../../ops/units.ts'
import { CATALOG, venuePorts } from '../../ingest/support/venuePorts.ts'
import { quietLog } from '../../support/ledger.ts'
import { freePort } from '../../support/ports.ts'
import { type Running, runMain } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

const MARKETS = 300 // of each venue
const STEP_MS = 2 * SECOND
const POLL_EVERY_MS = 400
/** Several pages per venue. */
const PAGE_EVENTS = 40

/** A program that runs; another process of it takes its place when it dies. */
export type Seat = { program: string; process: Running; start(): void }

/** Both venues with moving prices, Redis, two ingest and two engine processes, and what an api process holds of it. */
export type DataWorld = {
  store: TestRedis
  redis: Redis
  seats: readonly Seat[]
  boards: Boards
  feed: ReturnType<typeof followFeed>['feed']
  venue: Record<Venue, () => VenuePort>
  /** The venues stand still from now on. @returns when, ms. */
  freeze(): number
  thaw(): void
  close(): Promise<void>
}

export async function startWorld(seed: number): Promise<DataWorld> {
  const store = await startRedis()
  const redis = new Redis(store.url.slice('unix:'.length), { maxRetriesPerRequest: null })
  redis.on('error', () => {}) //  it is killed again and again
  let frozenMs: number | null = null
  const venues = await serveVenues({
    world: generateWorld({ seed, size: MARKETS, pace: { ...DEFAULT_PACE, stepMs: STEP_MS } }),
    clock: { nowMs: () => frozenMs ?? Date.now() },
  })
  for (const venue of ['a', 'b'] as const)
    venues.faults.add({
      venue,
      path: CATALOG[venue],
      times: null,
      fault: { kind: 'limit', limit: PAGE_EVENTS },
    })
  const env = {
    REDIS_URL: store.url,
    CLICKHOUSE_URL: `http://127.0.0.1:${await freePort()}`, //  nobody listens: the archive waits
    VENUE_A_CATALOG_URL: venues.aUrl,
    VENUE_A_BOOK_URL: venues.aUrl,
    VENUE_B_URL: venues.bUrl,
    POLL_EVERY_MS: String(POLL_EVERY_MS),
    OPERATOR_PORT: '0',
    LOG_LEVEL: 'error',
  }
  const seats = ['ingest', 'ingest', 'engine', 'engine'].map((program): Seat => {
    const main = `${program}/main.ts`
    const seat = {
      program,
      process: runMain(main, { env }),
      start() {
        seat.process = runMain(main, { env })
      },
    }
    return seat
  })
  const reader = (name: string) => connectRedis(store.url, { log: quietLog, name, blocking: true })
  const boards = followBoards({ reader: reader('boards'), log: quietLog })
  const feed = followFeed({ reader: reader('feed'), log: quietLog, onEvents() {}, onReset() {} })
  const http = createHttpClient({ timeoutMs: 5 * SECOND, maxBytes: 50_000_000 })
  return {
    store,
    redis,
    seats,
    boards: boards.boards,
    feed: feed.feed,
    venue: venuePorts(http, venues),
    freeze() {
      frozenMs = Date.now()
      return frozenMs
    },
    thaw() {
      frozenMs = null
    },
    async close() {
      for (const { process } of seats) {
        process.child.kill('SIGCONT')
        await process.kill()
      }
      await Promise.all([boards.stop(), feed.stop()])
      redis.disconnect()
      await Promise.all([venues.close(), http.close(), store.stop()])
    },
  }
}
