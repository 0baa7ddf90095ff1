import type { Metrics } from '../../ops/metrics.ts'
import { LISTING_STATUSES } from './facilitatorWire.ts'

const CALLS = ['verify', 'settle', 'supported'] as const

const made = new WeakMap<Metrics, FacilitatorMetrics>()
export type FacilitatorMetrics = ReturnType<typeof register>

/** One set a process, shared by all facilitators; `names`: theirs, from the configuration. */
export function facilitatorMetrics(metrics: Metrics, names: readonly string[]): FacilitatorMetrics {
  const known = made.get(metrics) ?? register(metrics, names)
  made.set(metrics, known)
  return known
}

/** Worth an alarm: any `facilitator_alarms_total`, `facilitator_usable` 0, all circuits open, a `rejected` listing. */
function register(metrics: Metrics, names: readonly string[]) {
  return {
    answers: metrics.counter('facilitator_answers_total', 'Answers by facilitator, call and outcome', [
      ...(['facilitator', 'call', 'outcome'] as const),
    ]),
    alarms: metrics.counter('facilitator_alarms_total', 'Answers that contradict what was asked', {
      facilitator: names,
      call: CALLS,
    }),
    listed: metrics.counter('facilitator_listed_total', 'What it did with our entry for its catalogue', {
      facilitator: names,
      status: LISTING_STATUSES,
    }),
    failovers: metrics.counter('facilitator_failovers_total', 'Calls taken to the next facilitator', [
      ...(['facilitator', 'call'] as const),
    ]),
    circuit: metrics.gauge('facilitator_circuit_open', '1: passed over while another one answers', [
      ...(['facilitator', 'call'] as const),
    ]),
    usable: metrics.gauge('facilitator_usable', '0: its /supported lacks our network', ['facilitator']),
    signers: metrics.counter('facilitator_signer_changes_total', 'Changes of the signers it names', {
      facilitator: names,
    }),
  }
}
