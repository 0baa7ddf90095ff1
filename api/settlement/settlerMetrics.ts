import type { Metrics } from '../../ops/metrics.ts'
import { SECOND } from '../../ops/units.ts'
import type { Decision } from './decide.ts'
import type { SendProblem } from './gas.ts'

const PROBLEMS: SendProblem['code'][] = ['no_gas', 'gas_too_dear', 'send_rejected', 'node_unsure']

const made = new WeakMap<Metrics, SettlerMetrics>()
export type SettlerMetrics = ReturnType<typeof register>

/** One set per process: a second term of the same process goes on counting. */
export function settlerMetrics(metrics: Metrics): SettlerMetrics {
  const known = made.get(metrics) ?? register(metrics)
  made.set(metrics, known)
  return known
}

/** What is worth an alarm: `settler_problem` above 0, `settler_gas_wei` low, `settler_failed_total` rising. */
function register(metrics: Metrics) {
  const transactions = metrics.counter('settler_transactions_total', 'Transactions signed, by kind', ['kind'])
  const payments = metrics.counter('settler_payments_total', 'Payments ended, by outcome', ['outcome'])
  const failures = metrics.counter('settler_failed_total', 'Payments that a mined transaction did not move')
  const seconds = metrics.histogram(
    'settler_settle_seconds',
    'From the claim to the written settlement',
    [0.25, 0.5, 1, 1.5, 2, 2.5, 3, 4, 6, 10, 20, 60, 300],
  )
  const flying = metrics.gauge('settler_transactions_in_flight', 'Signed and not yet mined')
  const gas = metrics.gauge('settler_gas_wei', 'Balance of the settler account when last read')
  const problem = metrics.gauge('settler_problem', '1: nothing can be sent, for this reason', ['problem'])
  /** Reset before and after a term: the state then is another leader's to report. */
  const rest = () => {
    flying.set(0)
    gas.remove()
    for (const name of PROBLEMS) problem.set({ problem: name }, 0)
  }
  rest()
  return {
    rest,
    sent: (kind: 'batch' | 'lone' | 'bump') => transactions.inc({ kind }),
    decided(decision: Decision, tookMs: number) {
      payments.inc({ outcome: decision })
      if (decision === 'settled') seconds.observe(tookMs / SECOND)
    },
    failed: (count: number) => {
      if (count > 0) failures.inc(count)
    },
    state(inFlight: number, balance: bigint, code: SendProblem['code'] | null) {
      flying.set(inFlight)
      gas.set(Number(balance))
      for (const name of PROBLEMS) problem.set({ problem: name }, name === code ? 1 : 0)
    },
  }
}
