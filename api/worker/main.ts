import type { Address } from 'viem'
import { realClock } from '../../ops/clock.ts'
import { loadConfig } from '../../ops/config.ts'
import { createFaultPoint } from '../../ops/faultPoint.ts'
import { type Check, serveOperator } from '../../ops/health.ts'
import { createLog } from '../../ops/log.ts'
import { createMetrics } from '../../ops/metrics.ts'
import { connectRedis } from '../../ops/redis.ts'
import { onShutdown } from '../../ops/shutdown.ts'
import { MINUTE, SECOND } from '../../ops/units.ts'
import { pollCheckouts } from '../checkout/poll.ts'
import { watchIntents } from '../classic/watch.ts'
import { createCardLedger } from '../ledger/cards.ts'
import { createCreditLedger } from '../ledger/credits.ts'
import { openFence } from '../ledger/fence.ts'
import { createFinalityLedger } from '../ledger/finality.ts'
import { createIntentLedger } from '../ledger/intents.ts'
import { createRedisLedger } from '../ledger/redis.ts'
import { createRails } from '../rails/index.ts'
import { createPayments } from '../settlement/payments.ts'
import { loadSigning } from '../signing.ts'
import { createLedgerView } from './books/ledgerView.ts'
import { createBooksWatch } from './books/publishBooks.ts'
import { forgetNames } from './forgetNames.ts'
import { copyJournal } from './journal.ts'
import { reconcile } from './reconcile.ts'
import { repeat } from './repeat.ts'
import { settleWhileLeading } from './settling.ts'
import { watchClassicMoney } from './watchClassicMoney.ts'
import { createFinalityWatch } from './watchFinality.ts'

/** The background of money: settles what is claimed, decides what nobody decided, copies the journal. */
const RECONCILE_EVERY_MS = 2 * SECOND
const JOIN_BOOKS_EVERY_MS = 5 * MINUTE

const config = loadConfig(process.env, 'worker')
const log = createLog('worker', config.LOG_LEVEL)
const metrics = createMetrics('worker')
const answers = loadSigning(config)
const faultPoint = createFaultPoint(config.FAULT_POINT)

const redis = connectRedis(config.LEDGER_REDIS_URL, { log, name: 'worker-ledger' })
const news = connectRedis(config.LEDGER_REDIS_URL, { log, name: 'worker-news', blocking: true })
const fence = await openFence({
  ledger: connectRedis(config.LEDGER_REDIS_URL, { log, name: 'worker-fence' }),
  witness: connectRedis(config.REDIS_URL, { log, name: 'worker-witness' }),
  ...{ guarded: redis, beats: true, log },
})
const ledger = createRedisLedger(redis, news, { answerTtlMs: config.ANSWER_TTL_MS })
const credits = createCreditLedger(redis)
const payments = createPayments({ config, ledger, log, metrics, faultPoint })
const { chain } = payments

const settling =
  config.SETTLEMENT === 'self'
    ? settleWhileLeading({ config, ledger, chain, redis, news, log, metrics })
    : null
const card =
  config.STRIPE_SECRET_KEY_FILE === '' ? null : (await import('../checkout/stripe.ts')).openStripe(config)
const cards = createCardLedger(redis)
const checkouts =
  card === null
    ? null
    : repeat('card checkouts', () => pollCheckouts({ cards, provider: card, answers, log }, Date.now()), {
        restMs: RECONCILE_EVERY_MS,
        log,
      })
const journal = copyJournal({ redis, config, log, metrics })

const passes = metrics.counter('reconciled_total', 'Claims decided or answered without a client', ['outcome'])
const chainId = config.CHAIN_ID
const reconciling = repeat(
  'reconciling',
  async () => {
    const finality = payments.finality(0)
    const ports = { ledger, credits, chain, answers, finality, chainId, log, faultPoint }
    for (const [outcome, count] of Object.entries(await reconcile(ports, Date.now())))
      passes.inc({ outcome }, count)
  },
  { restMs: RECONCILE_EVERY_MS, log },
)

const reorganised = metrics.counter('finality_total', 'Settled claims by what the chain did to them later', [
  'outcome',
])
const finality = createFinalityLedger(redis)
const rails = createRails({ config, clock: realClock, log })
const intents = createIntentLedger(redis)
const watchFinality = createFinalityWatch({
  ...{
    finality,
    chain,
    answers,
    chainId,
    finalBlocks: config.FINAL_BLOCKS,
    log,
  },
})
const watching = repeat(
  'watching finality',
  async () => {
    for (const [outcome, count] of Object.entries(await watchFinality(Date.now())))
      reorganised.inc({ outcome }, count)
  },
  { restMs: RECONCILE_EVERY_MS, log },
)

//  A duty of its own: a rail that does not answer holds up nothing but itself.
const watchingClassic = repeat(
  'watching the money of purchases',
  async () => {
    const ports = { intents, credits, rails: rails.rails, finality, answers, chainId, log }
    for (const [outcome, count] of Object.entries(await watchClassicMoney(ports, Date.now())))
      reorganised.inc({ outcome }, count)
  },
  { restMs: RECONCILE_EVERY_MS, log },
)

const intentCounts = metrics.counter('intents_total', 'Purchase intents by what a look at them did', [
  'outcome',
])
const watchingIntents = repeat(
  'watching intents',
  async () => {
    const ports = { ledger, credits, intents, answers, rails: rails.rails, clock: realClock, log }
    for (const [outcome, count] of Object.entries(await watchIntents(ports)))
      intentCounts.inc({ outcome }, count)
  },
  { restMs: RECONCILE_EVERY_MS, log },
)

let isForgotten = false
const forgetting = repeat(
  'forgetting names',
  async () => {
    if (isForgotten) return
    const rewritten = await forgetNames({ redis, intents, credits, answers })
    if (rewritten > 0) log.info({ rewritten }, 'intents no longer name their buyers')
    isForgotten = true
  },
  { restMs: MINUTE, log },
)

const watchBooks = createBooksWatch({
  ...{ metrics, chain, chainId, ledger: createLedgerView({ redis, ledger, intents, chainId }) },
  asset: config.USDC_ADDRESS.toLowerCase() as Address,
  receivers: [config.RECEIVER_ADDRESS.toLowerCase() as Address],
})
const watchingBooks = repeat('joining the books', () => watchBooks(Date.now()), {
  restMs: JOIN_BOOKS_EVERY_MS,
  log,
})

const checks: Check[] = [
  { name: 'fence', problem: fence.problem },
  { name: 'ledger', problem: () => ledger.problem() },
  { name: 'chain', problem: () => payments.problem() },
  { name: 'settler', problem: () => settling?.problem() ?? null },
  { name: 'reconciler', problem: reconciling.problem },
  { name: 'finality', problem: watching.problem },
  { name: 'intents', problem: watchingIntents.problem },
  { name: 'purchases', problem: watchingClassic.problem },
]
const operator = await serveOperator({ host: config.HOST, port: config.OPERATOR_PORT, metrics, checks })
log.info({ operatorPort: operator.port, settlement: config.SETTLEMENT }, 'working')

onShutdown(log, async () => {
  fence.stop()
  await settling?.stop()
  const duties = [reconciling, watching, watchingClassic, watchingIntents, watchingBooks, forgetting]
  await Promise.all(duties.map((duty) => duty.stop()))
  await checkouts?.stop()
  await journal.stop()
  await payments.close()
  await rails.close()
  await operator.close()
  news.disconnect()
  await redis.quit()
})
