import type { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { Ledger } from '../../api/ledger/ledger.ts'
import type { Clock } from '../../ops/clock.ts'
import { connectRedis } from '../../ops/redis.ts'
import { FEED, type FeedProcess, sellToken, startFeed, TOKEN } from './feed.ts'
import { readSocket, readSse, type SocketReader, type SseReader } from './feedReaders.ts'
import { quietLog } from './ledger.ts'
import { startRedis, type TestRedis } from './redis.ts'

/** A Redis server for a file of tests; each begins with one good token only. What a test opens is closed after it. */
export function feedWorld() {
  const ends: (() => unknown)[] = []
  const world = {
    server: null as unknown as TestRedis,
    redis: null as unknown as Redis,
    /** Runs after the test. */
    later: (end: () => unknown) => ends.push(end),
    async start(clock?: Clock, ledger?: Ledger): Promise<FeedProcess> {
      const feed = await startFeed(world.server.url, clock, ledger)
      ends.push(feed.stop)
      return feed
    },
    async open(feed: FeedProcess, headers: Record<string, string> = {}, query = ''): Promise<SseReader> {
      const reader = await readSse(`${feed.base}${FEED}${query}`, {
        'x-service-feed-token': TOKEN,
        ...headers,
      })
      ends.push(reader.close)
      return reader
    },
    /** Remembers what the engine has stored so far; `putBack` makes the store one that lost what came since. */
    async keep(): Promise<{ putBack(): Promise<void> }> {
      const { redis } = world
      const keys = await redis.keys('engine:*')
      const kept = await Promise.all(keys.map(async (key) => ({ key, value: await redis.dumpBuffer(key) })))
      return {
        async putBack() {
          for (const { key, value } of kept) await redis.restore(key, 0, value!, 'REPLACE')
        },
      }
    },
    /** A WebSocket that has subscribed to nothing yet. */
    async socket({ port }: FeedProcess, headers: Record<string, string> = {}): Promise<SocketReader> {
      const reader = await readSocket(port, headers)
      ends.push(reader.close)
      return reader
    },
  }
  beforeAll(async () => {
    world.server = await startRedis()
    //  what a test tells waits behind the work of the feed, which runs in this process: on a busy machine for seconds
    world.redis = connectRedis(world.server.url, {
      log: quietLog,
      name: 'test-feed-engine',
      commandTimeoutMs: 60_000,
    })
  })
  beforeEach(async () => {
    await world.redis.flushall()
    await sellToken(world.redis, TOKEN, Date.now() + 3_600_000)
  })
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })
  afterAll(async () => {
    world.redis.disconnect()
    await world.server.stop()
  })
  return world
}
