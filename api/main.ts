import { matchPrecision } from '../engine/contract/matchPrecision.ts'
import { BASE_CHAIN_ID } from '../ops/base.ts'
import { earlierOf, laterOf, marketClock, parseMarketClock, realClock, steadyClock } from '../ops/clock.ts'
import { loadConfig } from '../ops/config.ts'
import { parseDnsServers } from '../ops/dnsServers.ts'
import { createFaultPoint } from '../ops/faultPoint.ts'
import { serveOperator } from '../ops/health.ts'
import { keepHeapTightBesideAnswers } from '../ops/heap.ts'
import { createLog } from '../ops/log.ts'
import { createMetrics } from '../ops/metrics.ts'
import { nodesOf } from '../ops/nodes.ts'
import { connectRedis } from '../ops/redis.ts'
import { GRACE_MS, onShutdown } from '../ops/shutdown.ts'
import { watchStoreClocks } from '../ops/storeClock.ts'
import { callerBehind, parseTrustedProxies } from '../ops/trustedProxies.ts'
import { CATALOG } from './catalog/catalog.ts'
import { checkoutRoutes } from './checkout/routes.ts'
import { openClassic } from './classic/index.ts'
import { communityRoutes } from './community/routes.ts'
import { VERIFY_PATH, verifyByBody, verifyById } from './discovery/verifyRoutes.ts'
import { createFeedAccess } from './entitlements/feedToken.ts'
import { guessesOf } from './entitlements/guesses.ts'
import { createPasses } from './entitlements/passes.ts'
import { openFeed } from './feed/index.ts'
import { openFreeSamples } from './free/index.ts'
import type { GoodPorts } from './goods/good.ts'
import { GOODS } from './goods/index.ts'
import { openUtility } from './goods/utility/open.ts'
import { historyRoute } from './history/index.ts'
import { createBodyRoom } from './http/bodyRoom.ts'
import { limitedSocket } from './http/limited.ts'
import { rateLimitsOf } from './http/limits.ts'
import { createRateLimit } from './http/rateLimit.ts'
import { createRouter, type Route } from './http/router.ts'
import { serveHttp } from './http/server.ts'
import { followBoards } from './latest.ts'
import { createCardLedger } from './ledger/cards.ts'
import { createCreditLedger } from './ledger/credits.ts'
import { openFence } from './ledger/fence.ts'
import { createIntentLedger } from './ledger/intents.ts'
import { createRedisLedger } from './ledger/redis.ts'
import { createSettlerState } from './ledger/settlerState.ts'
import { openLive } from './live/index.ts'
import { mcpRoute } from './mcp/index.ts'
import { measured } from './measured.ts'
import { openPages } from './pages/index.ts'
import { withRefusalPages } from './pages/refusals.ts'
import { createPaymentIds } from './payment/extensions/paymentIds.ts'
import { createGate } from './payment/gate.ts'
import { createRails } from './rails/index.ts'
import { readinessChecks } from './readiness.ts'
import { receiptPages } from './receipts/page/index.ts'
import { torCallPermit } from './redeem/torCallPermit.ts'
import { torUnlock } from './redeem/torUnlock.ts'
import { createBlockClock } from './settlement/blockClock.ts'
import { createPayments } from './settlement/payments.ts'
import { loadSigning } from './signing.ts'
import { openSurfaceAudit } from './storefront/audit/openAudit.ts'
import type { Facts } from './storefront/facts.ts'
import { openStorefront } from './storefront/index.ts'
import { ownershipProofs } from './storefront/ownershipProofs.ts'
import { settlerRecord } from './storefront/settlerRecord.ts'
import { createWaits, endable } from './waits.ts'

/** One api process: boards in memory, the ledger, the gate, the server. Several share one port. */
keepHeapTightBesideAnswers()
const config = loadConfig(process.env, 'api')
const log = createLog('api', config.LOG_LEVEL)
const metrics = createMetrics('api')
const answers = loadSigning(config)
const faultPoint = createFaultPoint(config.FAULT_POINT)
const anchor = parseMarketClock(config.MARKET_CLOCK)

// --- the ledger, closed until the fence says that it is ours
const ledgerRedis = connectRedis(config.LEDGER_REDIS_URL, { log, name: 'api-ledger' })
const ledgerNews = connectRedis(config.LEDGER_REDIS_URL, { log, name: 'api-ledger-news', blocking: true })
const boardReader = connectRedis(config.REDIS_URL, { log, name: 'api-boards', blocking: true })
const fence = await openFence({
  ledger: connectRedis(config.LEDGER_REDIS_URL, { log, name: 'api-fence' }),
  witness: connectRedis(config.REDIS_URL, { log, name: 'api-witness' }),
  guarded: ledgerRedis,
  secret: answers.secret,
  log,
})
const ledger = createRedisLedger(ledgerRedis, ledgerNews, { answerTtlMs: config.ANSWER_TTL_MS })
const intents = createIntentLedger(ledgerRedis)
const cards = createCardLedger(ledgerRedis)

//  A host whose clock is behind would take old data for new (I17), and a refusal for older than the block that explains it.
const clock = laterOf(realClock, fence)

// --- what goods are made of
const follower = followBoards({ reader: boardReader, log })
const utility = await openUtility({
  resolvers: parseDnsServers(config.DNS_RESOLVERS) ?? [],
  threads: config.UTILITY_THREADS,
  clock: realClock,
})
const goods: GoodPorts = {
  boards: follower.boards,
  marketClock: marketClock(anchor, clock),
  marketMaxAgeMs: config.MARKET_MAX_AGE_MS,
  recorded: config.RECORDED === '1',
  ...utility.ports,
}

// --- what pays for them
const payments = createPayments({ config, ledger, log, metrics, clock, faultPoint })
const rails = createRails({ config, clock, log, metrics })
const waits = createWaits()
//  Blocks are dated by others: an intent that a clock ahead of theirs has opened would refuse what is paid for it as older.
const intentClock = createBlockClock({
  clock: earlierOf(realClock, fence),
  later: clock,
  head: () => payments.chain.head('latest'),
  log,
})
const stopLooking = intentClock.follow()
const ports = {
  ...endable(waits, {
    ledger,
    settlement: payments.settlement,
    finality: payments.finality(config.SETTLE_WAIT_MS),
  }),
  goods,
  answers,
  clock,
  paymentClock: laterOf(realClock, intentClock.newestBlock), //  the chain judges the windows of payments (VAL-10)
  intentClock,
  chainId: config.CHAIN_ID,
  settleWaitMs: config.SETTLE_WAIT_MS,
  answerTtlMs: config.ANSWER_TTL_MS,
  faultPoint,
  chain: payments.chain,
  passes: createPasses(ledger),
  credits: createCreditLedger(ledgerRedis, { answerTtlMs: config.ANSWER_TTL_MS }),
  paymentIds: createPaymentIds(ledgerRedis, { answerTtlMs: config.ANSWER_TTL_MS }),
  classify: payments.classify,
}
const terms = { ...payments.token, ...answers }
//  the provider's client adds 0.2 s to a start, so it is only loaded if cards are accepted
const card =
  config.STRIPE_SECRET_KEY_FILE === '' ? null : (await import('./checkout/stripe.ts')).openCard(config)

// --- rate limits
const rates = rateLimitsOf(config.FREE_RATE_PER_S)
const reading = createRateLimit(rates.free, realClock)
const unpaid = createRateLimit(rates.unpaid, realClock)
const checking = createRateLimit(rates.checks, realClock)
const proxies = parseTrustedProxies(config.TRUSTED_PROXIES) ?? []

// --- facts that documents and pages are derived from
const facts: Facts = {
  publicUrl: config.publicUrl,
  mode: config.MODE,
  recorded: goods.recorded,
  testWallet: config.MODE === 'sandbox' && config.CHAIN_ID === BASE_CHAIN_ID,
  goods: GOODS,
  catalog: CATALOG,
  terms,
  receiptKeys: answers.receiptKeys,
  rails,
  settler: settlerRecord(config),
  marketMaxAgeMs: config.MARKET_MAX_AGE_MS,
  answerTtlMs: config.ANSWER_TTL_MS,
  rates: Object.values(rates),
  openingSale: config.OPENING_SALE === '1',
  cardCheckout: config.STRIPE_SECRET_KEY_FILE !== '',
  matchPrecision,
  securityContact: config.SECURITY_CONTACT || null,
  ownershipProofs: ownershipProofs(config),
}
const surfaces = openSurfaceAudit(facts, { clock: realClock, log })

// --- what is free, or open to holders of a token
const sampleRedis = connectRedis(config.REDIS_URL, { log, name: 'api-samples' })
const free = openFreeSamples({
  redis: sampleRedis,
  ledgerRedis,
  goods,
  sold: GOODS,
  mode: config.MODE,
  surfaces,
  log,
  clock: fence,
})
const live = openLive({
  redis: sampleRedis,
  goods,
  sold: GOODS,
  mode: config.MODE,
  speed: anchor?.speed ?? 1,
  log,
})
const feed = openFeed({
  reader: connectRedis(config.REDIS_URL, { log, name: 'api-feed', blocking: true }),
  access: createFeedAccess(ledger),
  steady: steadyClock,
  market: { ...goods, mode: config.MODE },
  metrics,
  log,
})
const sandboxWallet = facts.testWallet
  ? (await import('./pages/sandboxWallet.ts')).openSandboxWallet({
      facts,
      rpcUrl: nodesOf(config.BASE_RPC_URL)[0]!,
      clock: realClock,
    })
  : null

// --- routes: a tool call and some pages read this table themselves, at request time
const oracle = { ...answers, ledger }
const servedPaths = () => routes.map(({ path }) => path)
const routes: Route[] = [
  ...GOODS.map(
    (good): Route => ({
      method: 'GET',
      path: good.path,
      limit: unpaid,
      handler: createGate(good, terms, ports),
    }),
  ),
  mcpRoute({
    facts,
    origins: config.MCP_ORIGINS,
    log,
    serve: (request) => handler(request),
    isServed: (path) => servedPaths().includes(path),
    rate: createRateLimit(rates.mcp, realClock),
  }),
  ...free.routes,
  ...feed.routes,
  ...live.routes,
  ...openPages({ facts, held: live.held, paths: servedPaths }),
  ...(sandboxWallet === null ? [] : [sandboxWallet.route]),
  historyRoute({
    redis: sampleRedis,
    steady: steadyClock,
    paths: servedPaths,
    publicUrl: facts.publicUrl,
  }),
  { ...torCallPermit(ledger, config.MODE), limit: checking },
  ...checkoutRoutes(card, { ...ports, cards, log }),
  ...communityRoutes({
    redis: ledgerRedis,
    ledger,
    cards,
    clock: realClock,
    secret: answers.secret,
    mode: config.MODE,
  }),
  { ...torUnlock(ledger, config.MODE), limit: checking },
  ...openClassic({
    ...ports,
    clock: intentClock,
    guesses: guessesOf(clock), //  by which it is shared with `ports`
    intents,
    rails: rails.rails,
    openingSale: facts.openingSale,
  }),
  ...openStorefront(facts, {
    clock: realClock,
    steady: steadyClock,
    openingSaleSlots: intents.slots,
    questions: checking,
  }),
  ...receiptPages(oracle, servedPaths),
  { method: 'GET', path: VERIFY_PATH, limit: checking, handler: verifyById(oracle) },
  { method: 'POST', path: VERIFY_PATH, limit: checking, handler: verifyByBody(oracle) },
]
const router = createRouter(routes, reading)
const handler = measured(withRefusalPages(router, servedPaths), routes, metrics)

// --- start, and stop
const checks = [
  { name: 'fence', problem: fence.problem },
  ...readinessChecks({
    ledger,
    goods,
    chain: payments,
    settler: config.SETTLEMENT === 'self' ? createSettlerState(ledgerRedis) : null,
  }),
]
const unwatchClocks = watchStoreClocks(metrics, { ledger: ledgerRedis, pipeline: sampleRedis })
const operator = await serveOperator({ host: config.HOST, port: config.OPERATOR_PORT, metrics, checks })
const server = await serveHttp({
  host: config.HOST,
  port: config.PORT,
  handler,
  sockets: feed.sockets.map((socket) => limitedSocket(reading, socket)),
  findCaller: proxies.length === 0 ? null : (peer, forwardedFor) => callerBehind(proxies, peer, forwardedFor),
  bodyRoom: createBodyRoom({ metrics }),
  log,
})
log.info({ port: server.port, operatorPort: operator.port, goods: GOODS.length }, 'selling')
log.debug({ routes: routes.map(({ method, path }) => `${method} ${path}`) }, 'routes')

onShutdown(
  log,
  () => {
    setTimeout(waits.end, GRACE_MS / 2)
    return server.close((GRACE_MS * 3) / 4) //  immediately: no new requests are accepted
  },
  { tidyUp },
)

/** Nobody waits for us any more. A facilitator that was asked and does not answer need not be waited for. */
async function tidyUp(): Promise<void> {
  await fence.stop() // until now requests under way might still claim
  stopLooking()
  unwatchClocks()
  await live.stop()
  await free.stop()
  await feed.stop()
  sampleRedis.disconnect()
  await follower.stop()
  await utility.close()
  await sandboxWallet?.close()
  await payments.close()
  await rails.close()
  await operator.close()
  ledgerNews.disconnect()
  await ledgerRedis.quit()
}
