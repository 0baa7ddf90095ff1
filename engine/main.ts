import { marketClock, parseMarketClock } from '../ops/clock.ts'
import { loadConfig } from '../ops/config.ts'
import { describeError } from '../ops/errors.ts'
import { serveOperator } from '../ops/health.ts'
import {
  collectAtRest,
  collectByLimits,
  collectYoungAlone,
  keepHeapTight,
  letHelpersGiveWay,
} from '../ops/heap.ts'
import { type Leadership, lead as takeLead } from '../ops/lead.ts'
import { createLog } from '../ops/log.ts'
import { createMetrics } from '../ops/metrics.ts'
import { connectRedis } from '../ops/redis.ts'
import { onShutdown } from '../ops/shutdown.ts'
import { watchStoreClocks } from '../ops/storeClock.ts'
import { SECOND } from '../ops/units.ts'
import { engineMetrics } from './engineMetrics.ts'
import { keepHistory } from './history/keepHistory.ts'
import { followQuotes } from './stages/followQuotes.ts'
import { LEASE } from './stages/keys.ts'
import { listingBoards, refusalsStage } from './stages/marketBoards.ts'
import { pairStage } from './stages/pairStage.ts'
import { lastAsOf, Publisher } from './stages/publisher.ts'
import { gapsBoard } from './stages/refreshGaps.ts'
import { tellFaults } from './stages/tellFaults.ts'
import { writeWantedBooks } from './stages/wantedBooks.ts'

/** Interval of the boards that look at every market. */
const LISTINGS_EVERY_MS = 2 * SECOND
const WANTED_EVERY_MS = 2 * SECOND
//  A leader that is gone is missed for this long. The lease should outlast the longest work between two pauses: first
//  publications are sliced; with 100,000 markets per venue, the longest step is taking all of them into one look.
const LEASE_MS = 5 * SECOND

keepHeapTight()
collectByLimits()
collectYoungAlone()
letHelpersGiveWay()
const config = loadConfig(process.env, 'engine')
const log = createLog('engine', config.LOG_LEVEL)
const metrics = createMetrics('engine')
const figures = engineMetrics(metrics)
const clock = marketClock(parseMarketClock(config.MARKET_CLOCK))
//  what is published is long: calls that are gathered first would be copied once more
const redis = connectRedis(config.REDIS_URL, { log, name: 'engine', enableAutoPipelining: false })
const blocking = connectRedis(config.REDIS_URL, { log, name: 'engine-stream', blocking: true })

const gaps = gapsBoard()
const [cards, nets, edges] = pairStage({ redis, clock, log })
const listings = listingBoards()
//  to add a snapshot, add one more board here, see README.md
const groups = [
  { boards: [gaps], everyMs: 0 },
  { boards: [cards, nets, edges], everyMs: 0 },
  { boards: listings.busy, everyMs: LISTINGS_EVERY_MS },
  { boards: [listings.topics], everyMs: LISTINGS_EVERY_MS, aside: true },
  { boards: [refusalsStage()], everyMs: LISTINGS_EVERY_MS },
]

//  A stand-by takes part in the election only when warm: it must be able to publish at once.
let lead: Leadership | null = null
const publisher = new Publisher({
  redis,
  clock,
  lead: { fence: () => lead?.fence() ?? null },
  isCurrent: () => follower.isCurrent(),
  groups,
  freshness: {
    maxAgeMs: config.MARKET_MAX_AGE_MS,
    frozenAfterMs: config.VENUE_FROZEN_AFTER_MS,
    recorded: config.RECORDED === '1',
  },
  before: await lastAsOf(redis, gaps.name),
  log,
  onPublished({ name, bytes, tookMs, lagMs }) {
    figures.published.inc({ board: name })
    figures.publishedBytes.set({ board: name }, bytes)
    figures.publishTook.observe({ board: name }, tookMs)
    if (lagMs !== null) figures.publishLag.observe({ board: name }, lagMs)
  },
  onRefused: () => figures.staleFence.inc(),
})
const follower = followQuotes({
  redis,
  blocking,
  clock,
  log,
  onWarm(world) {
    figures.warmStarts.inc()
    publisher.warm(world)
    lead ??= takeLead(redis, {
      name: LEASE,
      log,
      leaseMs: LEASE_MS,
      onChange: (fence) => {
        if (fence !== null) publisher.lead()
      },
    })
  },
  onChanges: (changes, newestMs) => publisher.note(changes, newestMs),
  onBadBatch: () => figures.badBatches.inc(),
  onFault: tellFaults(log, figures.pairingFaults),
  onRest() {
    publisher.rest()
    collectAtRest()
  },
})

const history = keepHistory({ config, log, metrics })
const wanting = setInterval(() => {
  if (lead?.fence() == null) return
  writeWantedBooks(redis, { gaps: gaps.top, edges: edges.top }, follower.world()).catch((error) =>
    log.warn({ reason: describeError(error) }, 'wanted books not written'),
  )
}, WANTED_EVERY_MS)
const unwatchClock = watchStoreClocks(metrics, { pipeline: redis })
const looking = setInterval(() => figures.look(follower.world(), lead?.fence() != null), 1 * SECOND)

const operator = await serveOperator({
  host: config.HOST,
  port: config.OPERATOR_PORT,
  metrics,
  checks: [
    { name: 'redis', problem: () => redis.ping().then(() => null, describeError) },
    { name: 'quotes', problem: () => follower.problem() },
  ],
})
log.info({ operatorPort: operator.port }, 'engine started')

onShutdown(
  log,
  async () => {
    clearInterval(wanting)
    clearInterval(looking)
    unwatchClock()
    await follower.stop()
    await publisher.stop()
    await lead?.stop()
  },
  {
    tidyUp: async () => {
      await history.stop() //  a block on its way to a ClickHouse that does not answer is repeated by the next process
      await operator.close()
      redis.disconnect()
    },
  },
)
