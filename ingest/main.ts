import { randomUUID } from 'node:crypto'
import { isAhead, marketClock, parseMarketClock } from '../ops/clock.ts'
import { type Config, loadConfig } from '../ops/config.ts'
import { describeError } from '../ops/errors.ts'
import { type Check, serveOperator } from '../ops/health.ts'
import { collectYoungAlone, keepHeapTight, keepYoungSmall } from '../ops/heap.ts'
import { createHttpClient, type HttpClient } from '../ops/http.ts'
import { createLog } from '../ops/log.ts'
import { createMetrics } from '../ops/metrics.ts'
import { connectRedis } from '../ops/redis.ts'
import { onShutdown } from '../ops/shutdown.ts'
import { watchStoreClocks } from '../ops/storeClock.ts'
import { SECOND } from '../ops/units.ts'
import { keepArchive } from './archive/keepArchive.ts'
import type { Venue } from './contract/market.ts'
import { SWEEP_KEY, Sweep } from './contract/stream.ts'
import { createIngestMetrics } from './metrics.ts'
import { startSchedule } from './poll/schedule.ts'
import { createPublisher } from './publish.ts'
import { createVenueA, LIMITS_A } from './venues/a/client.ts'
import { createVenueB, LIMIT_B } from './venues/b/client.ts'
import type { VenuePort } from './venues/venue.ts'

const MIB = 1024 * 1024
/** We keep some numbers of each market, and read hundreds of megabytes a sweep. */
const GARBAGE_PERCENT = 60
/** Our own venue servers allow more than the real ones. */
const SANDBOX_LIMIT = { perSecond: 500, burst: 500 }

keepYoungSmall()
keepHeapTight(GARBAGE_PERCENT)
collectYoungAlone()
const config = loadConfig(process.env, 'ingest')
const log = createLog('ingest', config.LOG_LEVEL)
const metrics = createMetrics('ingest')
const ingestMetrics = createIngestMetrics(metrics)
const anchor = parseMarketClock(config.MARKET_CLOCK)
const clock = marketClock(anchor)
//  what is published is long: calls that are gathered first would be copied once more
const redis = connectRedis(config.REDIS_URL, { log, name: 'ingest', enableAutoPipelining: false })
const http = createHttpClient({
  timeoutMs: config.VENUE_TIMEOUT_MS,
  maxBytes: config.VENUE_PAGE_MAX_BYTES,
  gzip: config.VENUES === 'live',
})

const schedule = await startSchedule(createVenues(config, http), {
  redisUrl: config.REDIS_URL,
  redis,
  everyMs: config.POLL_EVERY_MS,
  clock,
  log,
  metrics: ingestMetrics,
  publisher: createPublisher(redis, {
    owner: randomUUID(),
    maxBatches: config.QUOTE_STREAM_MAX_BATCHES,
    maxBytes: config.QUOTE_STREAM_MAX_MIB * MIB,
  }),
})
const archive = keepArchive(config, log, ingestMetrics)
const unwatchClock = watchStoreClocks(metrics, { pipeline: redis })
const operator = await serveOperator({
  host: config.HOST,
  port: config.OPERATOR_PORT,
  metrics,
  checks: [redisCheck(), sweepCheck('a'), sweepCheck('b'), { name: 'migrations', problem: archive.problem }],
  queues: schedule.queues,
})
log.info({ operatorPort: operator.port, everyMs: config.POLL_EVERY_MS }, 'ingest is up')

onShutdown(log, schedule.close, {
  tidyUp: async () => {
    unwatchClock()
    await archive.close() //  a block on its way to a ClickHouse that does not answer is repeated by the next process
    await operator.close()
    await http.close()
    redis.disconnect()
  },
})

function createVenues(slice: Config, client: HttpClient): VenuePort[] {
  const live = slice.VENUES === 'live'
  //  where markets have a clock of their own, a venue's Date follows that one and says nothing about ours
  const onClock = (venue: Venue) =>
    anchor === null ? (aheadMs: number) => ingestMetrics.clockAhead.set({ venue }, aheadMs) : undefined
  return [
    createVenueA({
      http: client,
      catalogUrl: slice.VENUE_A_CATALOG_URL,
      bookUrl: slice.VENUE_A_BOOK_URL,
      limits: live ? LIMITS_A : { catalog: SANDBOX_LIMIT, books: SANDBOX_LIMIT },
      onClock: onClock('a'),
    }),
    createVenueB({
      http: client,
      url: slice.VENUE_B_URL,
      limit: live ? LIMIT_B : SANDBOX_LIMIT,
      onClock: onClock('b'),
    }),
  ]
}

function redisCheck(): Check {
  return {
    name: 'redis',
    problem: () =>
      redis.ping().then(
        () => null,
        (error) => `REDIS_URL does not answer: ${describeError(error)}`,
      ),
  }
}

/** Holds whichever process swept: what counts is in Redis. */
function sweepCheck(venue: Venue): Check {
  return {
    name: `sweep-${venue}`,
    problem: async () => {
      const json = await redis.hget(SWEEP_KEY, venue).catch(() => null)
      if (json === null) return 'no complete sweep yet'
      const nowMs = clock.nowMs()
      const { startedMs } = Sweep.parse(JSON.parse(json))
      if (isAhead(startedMs, nowMs))
        return 'the newest complete sweep is stamped later than it is here: a clock is wrong'
      const ageMs = nowMs - startedMs
      if (ageMs <= config.MARKET_MAX_AGE_MS) return null
      return `newest complete sweep is ${Math.round(ageMs / SECOND)} s old`
    },
  }
}
