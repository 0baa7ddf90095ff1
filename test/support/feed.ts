import type { Redis } from 'ioredis'
import { createFeedAccess, MARKETPLACE_SKU } from '../../api/entitlements/feedToken.ts'
import type { FeedAccess } from '../../api/feed/access.ts'
import { openFeed } from '../../api/feed/index.ts'
import { createRouter } from '../../api/http/router.ts'
import { serveHttp } from '../../api/http/server.ts'
import type { Boards } from '../../api/latest.ts'
import type { Ledger } from '../../api/ledger/ledger.ts'
import { FEED_STREAM, type FeedCard, type FeedEvent, feedOpenKey } from '../../engine/contract/feed.ts'
import { type Clock, realClock } from '../../ops/clock.ts'
import { createMetrics } from '../../ops/metrics.ts'
import { connectRedis } from '../../ops/redis.ts'
import { snapshotOf, someCard } from './boards.ts'
import { quietLog } from './ledger.ts'
import { until } from './process.ts'

export const toldCard = (change: Partial<FeedCard> = {}): FeedCard => ({
  ...someCard(),
  schema: 'feedCard.v1',
  toldMs: 1_790_000_000_000,
  ...change,
})

export const someEvent = (change: Partial<FeedEvent> = {}, pairId = 'a:M1|b:K1'): FeedEvent => ({
  kind: 'opened',
  topic: 'gaps',
  atMs: 1_790_000_000_000,
  snapshotVersion: 1,
  card: toldCard({ pairId, cardId: `${pairId}@1790000000000` }),
  ...change,
})

/** Publishes events as the engine does: stream and open cards in one step. @returns their ids. */
export async function tell(redis: Redis, events: readonly FeedEvent[]): Promise<string[]> {
  const step = redis.multi()
  for (const event of events) {
    const { kind, topic, card } = event
    if (kind === 'closed') step.hdel(feedOpenKey(topic), card.pairId)
    else step.hset(feedOpenKey(topic), card.pairId, JSON.stringify(card))
    step.xadd(FEED_STREAM, '*', 'event', JSON.stringify(event))
  }
  const replies = (await step.exec()) ?? []
  return replies.filter((_, at) => at % 2 === 1).map(([, id]) => String(id))
}

const TOKENS = 'test:feed-tokens'

/**
 * Adds a token to the hash of tokens and their expiry. One that begins with `month` is for the 30-day feed; one that begins with
 * `revoked` ends because its payment is gone.
 */
export const sellToken = (redis: Redis, token: string, expiresMs: number): Promise<number> =>
  redis.hset(TOKENS, token, expiresMs)
export const revokeToken = (redis: Redis, token: string): Promise<number> => redis.hdel(TOKENS, token)

const accessOver = (redis: Redis, clock: Clock): FeedAccess & { asked: number } => ({
  asked: 0,
  async check(token) {
    this.asked++
    const expiresMs = await redis.hget(TOKENS, token)
    const sku = token.startsWith('month') ? MARKETPLACE_SKU : 'SKU_AG_ALPHA_7D'
    if (expiresMs === null) return null
    return { expiresMs: Number(expiresMs), nowMs: clock.nowMs(), sku, isRevoked: token.startsWith('revoked') }
  },
})

export const TOKEN = 'feed_of-the-tests'
export const FEED = '/api/v1/alpha-feed'

/** Ids of everything that is retained, oldest first. */
export const retainedIds = async (redis: Redis): Promise<string[]> =>
  (await redis.xrange(FEED_STREAM, '-', '+')).map(([id]) => id)

/** Pairs that are open under a topic according to the engine. */
export const openPairs = async (redis: Redis, topic: FeedEvent['topic']): Promise<string[]> =>
  (await redis.hkeys(feedOpenKey(topic))).sort()

export type FeedProcess = Awaited<ReturnType<typeof startFeed>>

/**
 * The feed part of an api process, on real Redis and real HTTP.
 * @param clock the feed's steady clock and that of the token store; a test may move it by hand.
 * @param ledger if given, tokens are those that it has sold; otherwise those of `sellToken`.
 */
export async function startFeed(redisUrl: string, clock: Clock = realClock, ledger?: Ledger) {
  const redis = connectRedis(redisUrl, { log: quietLog, name: 'test-feed-tokens' })
  const access = { ...accessOver(redis, clock), ...(ledger && createFeedAccess(ledger)) }
  const metrics = createMetrics('test')
  const board = {
    gapCards: { snapshot: snapshotOf('gapCards', { cards: [], unqualified: {} }), search: null },
  }
  const market = {
    boards: board as Boards,
    marketClock: { nowMs: () => Date.now() },
    marketMaxAgeMs: 3_600_000,
    recorded: false,
    mode: 'sandbox',
  }
  const feed = openFeed({
    reader: connectRedis(redisUrl, { log: quietLog, name: 'test-feed', blocking: true }),
    access,
    steady: clock,
    market,
    metrics,
    log: quietLog,
  })
  const server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    handler: createRouter(feed.routes),
    sockets: feed.sockets,
    log: quietLog,
  })
  let stopped = false
  const base = `http://127.0.0.1:${server.port}`
  await until('the feed is read in', feed.ready)
  return {
    port: server.port,
    base,
    access,
    market,
    streams: feed.streams,
    /** Number of streams that the feed ended for this reason. */
    async sentAway(why: string): Promise<number> {
      const { values } = await metrics.registry.getSingleMetric('feed_sent_away_total')!.get()
      return values.find(({ labels }) => labels.why === why)?.value ?? 0
    },
    get: (query = '', headers: Record<string, string> = {}) =>
      fetch(`${base}${FEED}${query}`, { headers: { 'x-service-feed-token': TOKEN, ...headers } }),
    async stop() {
      if (stopped) return
      stopped = true
      await server.close()
      await feed.stop()
      redis.disconnect()
    },
  }
}
