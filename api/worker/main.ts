import { setTimeout as sleep } from 'node:timers/promises'
import { earlierOf, laterOf, realClock } from '../../ops/clock.ts'
import { loadConfig } from '../../ops/config.ts'
import { UnavailableError } from '../../ops/errors.ts'
import { createFaultPoint } from '../../ops/faultPoint.ts'
import { type Check, serveOperator } from '../../ops/health.ts'
import { createLog } from '../../ops/log.ts'
import { createMetrics } from '../../ops/metrics.ts'
import { connectRedis } from '../../ops/redis.ts'
import { GRACE_MS, onShutdown } from '../../ops/shutdown.ts'
import { watchStoreClocks } from '../../ops/storeClock.ts'
import { MINUTE, SECOND } from '../../ops/units.ts'
import { pollCheckouts } from '../checkout/poll.ts'
import { WATCHED, watchIntents } from '../classic/watch.ts'
import { createCardLedger } from '../ledger/cards.ts'
import { createCreditLedger } from '../ledger/credits.ts'
import { openFence } from '../ledger/fence.ts'
import { createFinalityLedger } from '../ledger/finality.ts'
import { createIntentLedger } from '../ledger/intents.ts'
import { createRedisLedger } from '../ledger/redis.ts'
import { createRails } from '../rails/index.ts'
import { createBlockClock } from '../settlement/blockClock.ts'
import { createPayments } from '../settlement/payments.ts'
import { loadSigning } from '../signing.ts'
import { ANSWERED, answerClaims } from './answerClaims.ts'
import { openBooks } from './books/openBooks.ts'
import { gateWithClassic } from './classicGate.ts'
import { createDuties } from './duties.ts'
import { forgetNames } from './forgetNames.ts'
import { copyJournal } from './journal.ts'
import { createOpenClaimsWatch } from './openClaims.ts'
import { RECONCILED, reconcile } from './reconcile.ts'
import { settleWhileLeading } from './settling.ts'
import { createRowsWatch } from './sweepRows.ts'
import { CLASSIC_OUTCOMES, type ClassicOutcome, watchClassicMoney } from './watchClassicMoney.ts'
import { createFinalityWatch, FINALITY_OUTCOMES } from './watchFinality.ts'
import { createMemoryWatch } from './watchMemory.ts'
import { createReceiptKeysWatch } from './watchReceiptKeys.ts'

/** The background of money: settles what is claimed, decides what nobody decided, copies the journal. */
const RECONCILE_EVERY_MS = 2 * SECOND
const JOIN_BOOKS_EVERY_MS = 5 * MINUTE
const OPEN_CLAIMS_EVERY_MS = 30 * SECOND
const SWEEP_EVERY_MS = 10 * SECOND
const MEMORY_EVERY_MS = 5 * SECOND

const config = loadConfig(process.env, 'worker')
const log = createLog('worker', config.LOG_LEVEL)
const metrics = createMetrics('worker')
const answers = loadSigning(config)
const faultPoint = createFaultPoint(config.FAULT_POINT)

const redis = connectRedis(config.LEDGER_REDIS_URL, { log, name: 'worker-ledger' })
const news = connectRedis(config.LEDGER_REDIS_URL, { log, name: 'worker-news', blocking: true })
const pipeline = connectRedis(config.REDIS_URL, { log, name: 'worker-witness' })
const books = openBooks({ config, redis, news, log, metrics })
const fence = await openFence({
  ledger: connectRedis(config.LEDGER_REDIS_URL, { log, name: 'worker-fence' }),
  witness: pipeline,
  guarded: redis,
  secret: answers.secret,
  join: books.join,
  log,
})
/**
 * What the duties compare was dated by the ledger; by another clock it would end too early or too late.
 * @throws while the ledger is fenced off: it may not have been asked for its time yet.
 */
const ledgerNowMs = (): number => {
  const problem = fence.problem()
  if (problem !== null) throw new UnavailableError('ledger_unavailable', problem)
  return fence.nowMs()
}
const ledger = createRedisLedger(redis, news, {
  answerTtlMs: config.ANSWER_TTL_MS,
  onBroken: (claim, list) => log.error({ claim, list }, 'a claim waits until an operator repairs its row'),
})
const credits = createCreditLedger(redis, { answerTtlMs: config.ANSWER_TTL_MS })
const clock = laterOf(realClock, fence)
const payments = createPayments({ config, ledger, log, metrics, clock, faultPoint })
const { chain } = payments
//  as intents are opened: a clock that is ahead ends none
const intentClock = createBlockClock({
  clock: earlierOf(realClock, fence),
  later: clock,
  head: () => chain.head('latest'),
  log,
})

const settling =
  config.SETTLEMENT === 'self'
    ? settleWhileLeading({ config, ledger, chain, redis, news, clock: fence, log, metrics })
    : null
const card =
  config.STRIPE_SECRET_KEY_FILE === '' ? null : (await import('../checkout/stripe.ts')).openStripe(config)
const cards = createCardLedger(redis)
const journal = copyJournal({ redis, config, log, metrics })
const chainId = config.CHAIN_ID
const rails = createRails({ config, clock: realClock, log, metrics })
const intents = createIntentLedger(redis)
const finality = createFinalityLedger(redis)
const duties = createDuties({ log, metrics })

if (card !== null)
  duties.add('checkouts', RECONCILE_EVERY_MS, () =>
    pollCheckouts({ cards, provider: card, answers, clock: { nowMs: ledgerNowMs }, log }, ledgerNowMs()),
  )

const passes = metrics.counter('reconciled_total', 'Claims decided or answered without a client', {
  outcome: [...RECONCILED, ...ANSWERED],
})
duties.add('reconciler', RECONCILE_EVERY_MS, async () => {
  const onOutcome = (outcome: string) => passes.inc({ outcome })
  await reconcile({ ledger, chain, chainId, log, faultPoint, onOutcome }, ledgerNowMs())
})

//  A duty of its own: a node that does not answer must not delay the answers of paid sales.
duties.add('answers', RECONCILE_EVERY_MS, async () => {
  const finality = gateWithClassic(payments.finalityOfPass(), { intents, answers, rails: rails.rails })
  const ports = { ledger, credits, answers, finality, log, faultPoint }
  for (const [outcome, count] of Object.entries(await answerClaims(ports, ledgerNowMs())))
    passes.inc({ outcome }, count)
})

const watchOpenClaims = createOpenClaimsWatch({ ledger, cards, metrics })
duties.add('open claims', OPEN_CLAIMS_EVERY_MS, () => watchOpenClaims(ledgerNowMs()))

const reorganised = metrics.counter('finality_total', 'Settled claims by what the chain did to them later', {
  outcome: [...new Set([...FINALITY_OUTCOMES, ...CLASSIC_OUTCOMES])],
})
duties.add('rows', SWEEP_EVERY_MS, createRowsWatch({ redis, metrics }))
duties.add('memory', MEMORY_EVERY_MS, createMemoryWatch({ ledger: redis, pipeline, metrics }))
duties.add('receipt keys', MINUTE, createReceiptKeysWatch({ redis, signing: answers, metrics, log }))

const watchFinality = createFinalityWatch({
  finality,
  chain,
  answers,
  chainId,
  finalBlocks: config.FINAL_BLOCKS,
  log,
  onOutcome: (outcome, times) => reorganised.inc({ outcome }, times),
})
duties.add('finality', RECONCILE_EVERY_MS, async () => void (await watchFinality(ledgerNowMs())))

//  A duty of its own: a rail that does not answer holds up nothing but itself.
duties.add('purchases', RECONCILE_EVERY_MS, async () => {
  const onOutcome = (outcome: ClassicOutcome) => reorganised.inc({ outcome })
  const ports = { intents, credits, rails: rails.rails, finality, answers, chainId, log, onOutcome }
  await watchClassicMoney(ports, ledgerNowMs())
})

const intentCounts = metrics.counter('intents_total', 'Purchase intents by what a look at them did', {
  outcome: WATCHED,
})
duties.add('intents', RECONCILE_EVERY_MS, async () => {
  //  first, so that a clock ahead of the chain ends no purchase; a chain that is away holds up no other rail
  await intentClock.look().catch(() => {})
  const onOutcome = (outcome: string, times: number) => intentCounts.inc({ outcome }, times)
  await watchIntents({
    ledger,
    credits,
    intents,
    answers,
    rails: rails.rails,
    clock: intentClock,
    log,
    onOutcome,
  })
})

let isForgotten = false
duties.add('names', MINUTE, async () => {
  if (isForgotten) return
  const rewritten = await forgetNames({ redis, intents, credits, answers })
  if (rewritten > 0) log.info({ rewritten }, 'intents no longer name their buyers')
  isForgotten = true
})

for (const { rail, look } of books.watches)
  duties.add(`books_${rail}`, JOIN_BOOKS_EVERY_MS, () => look(ledgerNowMs()))

const checks: Check[] = [
  { name: 'fence', problem: fence.problem },
  { name: 'ledger', problem: () => ledger.problem() },
  { name: 'chain', problem: () => payments.problem() },
  { name: 'settler', problem: () => settling?.problem() ?? null },
  ...duties.checks(),
]
const unwatchClocks = watchStoreClocks(metrics, { ledger: redis, pipeline })
const operator = await serveOperator({ host: config.HOST, port: config.OPERATOR_PORT, metrics, checks })
log.info({ operatorPort: operator.port, settlement: config.SETTLEMENT }, 'working')

//  Any step of a pass may be the last one (I4, I5): a pass that hangs at a slow node gets only part of the grace time.
let isIdle = false
onShutdown(
  log,
  async () => {
    isIdle = await Promise.race([stopWork(), sleep((GRACE_MS * 3) / 4, false)])
    if (!isIdle) log.warn({}, 'a pass under way is left as it stands')
  },
  {
    tidyUp: async () => {
      unwatchClocks()
      if (isIdle) await fence.stop() //  only then is the mark of an orderly end true
      await payments.close()
      await rails.close()
      await books.close()
      await operator.close()
      news.disconnect()
      await redis.quit()
    },
  },
)

async function stopWork(): Promise<true> {
  books.stop()
  await settling?.stop()
  await duties.stop()
  await journal.stop()
  return true
}
