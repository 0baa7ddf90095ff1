import { loadConfig } from '../../ops/config.ts'
import { describeError } from '../../ops/errors.ts'
import { createFaultPoint } from '../../ops/faultPoint.ts'
import { type Check, serveOperator } from '../../ops/health.ts'
import { createLog } from '../../ops/log.ts'
import { createMetrics } from '../../ops/metrics.ts'
import { connectRedis } from '../../ops/redis.ts'
import { onShutdown } from '../../ops/shutdown.ts'
import { SECOND } from '../../ops/units.ts'
import { createCreditLedger } from '../ledger/credits.ts'
import { createRedisLedger } from '../ledger/redis.ts'
import { createPayments } from '../settlement/payments.ts'
import { loadSigning } from '../signing.ts'
import { copyJournal } from './journal.ts'
import { reconcile } from './reconcile.ts'
import { settleWhileLeading } from './settling.ts'

/** The background of money: settles what is claimed, decides what nobody decided, copies the journal. */
const RECONCILE_EVERY_MS = 2 * SECOND

const config = loadConfig(process.env, 'worker')
const log = createLog('worker', config.LOG_LEVEL)
const metrics = createMetrics('worker')
const answers = loadSigning(config)
const faultPoint = createFaultPoint(config.FAULT_POINT)

const redis = connectRedis(config.LEDGER_REDIS_URL, { log, name: 'worker-ledger' })
const news = connectRedis(config.LEDGER_REDIS_URL, { log, name: 'worker-news', blocking: true })
const ledger = createRedisLedger(redis, news, { answerTtlMs: config.ANSWER_TTL_MS })
const credits = createCreditLedger(redis)
const payments = createPayments({ config, ledger, log, metrics, faultPoint })
const { chain } = payments

const settling =
  config.SETTLEMENT === 'self'
    ? settleWhileLeading({ config, ledger, chain, redis, news, log, metrics })
    : null
const journal = copyJournal({ redis, config, log, metrics })

const passes = metrics.counter('reconciled_total', 'Claims decided or answered without a client', ['outcome'])
let stopping = false
let lastProblem: string | null = null
const reconciling = (async () => {
  while (!stopping) {
    try {
      const counts = await reconcile(
        { ledger, credits, chain, answers, chainId: config.CHAIN_ID, log, faultPoint },
        Date.now(),
      )
      for (const [outcome, count] of Object.entries(counts)) passes.inc({ outcome }, count)
      lastProblem = null
    } catch (error) {
      lastProblem = describeError(error)
      log.warn({ reason: lastProblem }, 'reconciling waits')
    }
    await new Promise((resolve) => setTimeout(resolve, RECONCILE_EVERY_MS))
  }
})()

const checks: Check[] = [
  { name: 'ledger', problem: () => ledger.problem() },
  { name: 'chain', problem: () => payments.problem() },
  { name: 'settler', problem: () => settling?.problem() ?? null },
  { name: 'reconciler', problem: () => lastProblem },
]
const operator = await serveOperator({ host: config.HOST, port: config.OPERATOR_PORT, metrics, checks })
log.info({ operatorPort: operator.port, settlement: config.SETTLEMENT }, 'working')

onShutdown(log, async () => {
  stopping = true
  await settling?.stop()
  await reconciling
  await journal.stop()
  await payments.close()
  await operator.close()
  news.disconnect()
  await redis.quit()
})
