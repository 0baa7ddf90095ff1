import type { Address, Hex } from 'viem'
import { type Clock, steadyClock } from '../../ops/clock.ts'
import { describeError, ServiceError, UnavailableError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import type { Metrics } from '../../ops/metrics.ts'
import { SECOND } from '../../ops/units.ts'
import { batchCall, cutBatches } from './batch.ts'
import { createBell } from './bell.ts'
import { tellContradictions } from './contradictions.ts'
import type { Decision } from './decide.ts'
import { createFlights, type Flights } from './flights.ts'
import { createIntake, type Intake, type Intakes } from './intake.ts'
import { addressOfKey } from './key.ts'
import { land } from './landing.ts'
import { quantityOf } from './nodeReads.ts'
import type { PaymentChain, SettleJob, SettleLedger } from './port.ts'
import { settlerMetrics } from './settlerMetrics.ts'
import { createSimulator } from './simulator.ts'
import { openNodes } from './twoNodes.ts'
import { createWallet } from './wallet.ts'

export type Settler = {
  address: Address
  /** Says that a new job may be there; without it a job is seen within a second. */
  wake(): void
  /** Why settlements do not move, for readiness; null when they do. */
  problem(): string | null
  /** Ends after the signal; rejects when the ledger says that we lead no more, or when an assumption broke. */
  done: Promise<void>
}

/** Made once the node has answered. */
type Parts = { flights: Flights; intake: Intakes }

const IDLE_MS = 1 * SECOND
const POLL_MS = 100 //       while transactions are under way
const GATHER_MS = 250 //     between two departures, so that payments share one
const MAX_BACKOFF_MS = 2 * SECOND
/** Errors waited out besides the retryable ones: a node may change its mind, a broken row is left out next time. */
const WAITED_OUT = ['rpc_refused', 'ledger_broken']

/**
 * Our own settler: one account that submits what buyers have signed. Every quarter of a second, waiting payments leave
 * as one Multicall3 transaction, up to eight under way, so a payment is mined with the next block and recorded from the
 * logs of its receipt.
 *
 * It depends on no state of its own: the ledger says what is pending, the chain says what happened. Killed at any
 * point, the next process (or another leader) reads both and goes on; a payment that is submitted twice moves money
 * once, because the token spends its nonce once.
 */
export function runSettler({
  ledger,
  chain,
  rpcUrl,
  chainId,
  key,
  clock,
  log,
  signal,
  metrics,
}: {
  ledger: SettleLedger
  chain: PaymentChain
  rpcUrl: string
  chainId: number
  key: Hex
  clock: Clock
  log: Log
  signal: AbortSignal
  metrics: Metrics
}): Settler {
  const rpc = openNodes(rpcUrl, { onContradiction: tellContradictions(metrics, log, chainId) })
  const counters = settlerMetrics(metrics)
  const ageOf = ({ createdMs }: SettleJob) => clock.nowMs() - createdMs
  const { nowMs } = steadyClock //  for every wait in here: a clock that is set back must not hold up a payment
  const bell = createBell(signal)
  const address = addressOfKey(key)
  let outage: string | null = null
  let parts: Parts | null = null
  let lastDepartureMs = Number.NEGATIVE_INFINITY

  async function assemble(): Promise<Parts> {
    const found = await quantityOf(rpc, 'eth_chainId', [])
    if (found !== BigInt(chainId))
      throw new UnavailableError('chain_unavailable', `the node serves chain ${found}, not ${chainId}`)
    const wallet = createWallet({ rpc, sender: rpc.sender, key, chainId })
    const flights = createFlights({ rpc, wallet, ledger, log, nowMs, onSent: counters.sent })
    await flights.adopt()
    let gasPrice = 0n
    const simulator = createSimulator({ rpc, sender: { address, gasPrice: () => gasPrice } })
    const onDecided = (job: SettleJob, decision: Decision) => counters.decided(decision, ageOf(job))
    const intake = createIntake({
      rpc,
      chain,
      chainId,
      ledger,
      simulator,
      log,
      nowMs,
      onDecided,
      isSpent: flights.isSpent,
      async beforeSimulating() {
        if (flights.inAir().length === 0) await flights.refresh() //  else this round has read it
        gasPrice = (await flights.fees()).maxFee
      },
    })
    return { flights, intake }
  }

  /** One round: what landed, what is stuck, what can leave. @returns ms until the next. */
  async function round(): Promise<number> {
    if (parts === null) parts = await assemble()
    const { flights, intake } = parts
    if (flights.isRestless()) {
      await flights.refresh()
      await landArrived(parts)
      await flights.nurse()
    }
    const sinceMs = nowMs() - lastDepartureMs
    const gathering = flights.inAir().length > 0 && sinceMs < GATHER_MS
    if (!gathering) await depart(parts)
    if (flights.inAir().length === 0 && !signal.aborted) await flights.lookAtBalance()
    counters.state(flights.inAir().length, flights.balance(), flights.problem()?.code ?? null)
    if (flights.inAir().length > 0) return POLL_MS
    return intake.deferred() > 0 || flights.room() === 0 ? GATHER_MS : IDLE_MS
  }

  async function landArrived({ flights, intake }: Parts): Promise<void> {
    for (const flight of flights.arrived()) {
      const landing = await land(flight, { rpc, ledger, log, nowMs })
      if (landing === null) continue //  those behind it land meanwhile, or wait out their time beside it
      flights.conclude(flight)
      for (const { job, outcome } of landing.settled) {
        intake.noteSettled(job)
        if (outcome !== 'already') counters.decided(outcome === 'taken' ? 'taken' : 'settled', ageOf(job))
      }
      for (const job of landing.failed) intake.noteFailure(job)
      counters.failed(landing.failed.length)
    }
  }

  async function depart({ flights, intake }: Parts): Promise<void> {
    if (flights.room() === 0) return
    const flying = new Set(flights.inAir().flatMap(({ jobs }) => jobs.map((job) => job.key)))
    const ready = await intake.take(flights.room(), flying)
    for (const { call, jobs, lone } of departures(ready, flights.room())) {
      lastDepartureMs = nowMs()
      if (!(await flights.launch(call, jobs, lone))) return
    }
  }

  async function run(): Promise<void> {
    let backoffMs = 0
    while (!signal.aborted) {
      let restMs = IDLE_MS
      try {
        restMs = await round()
        outage = null
        backoffMs = 0
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        if (!error.retryable && !WAITED_OUT.includes(error.code)) throw error
        if (outage === null) log.warn({ reason: describeError(error) }, 'settling waits')
        outage = `settling waits: ${error.code}`
        backoffMs = Math.min(MAX_BACKOFF_MS, Math.max(100, backoffMs * 2))
        restMs = backoffMs
      }
      await bell.rest(restMs, (parts?.flights.inAir().length ?? 0) === 0)
    }
  }

  const done = run().finally(() => rpc.close())
  return {
    address,
    wake: bell.ring,
    problem: () => parts?.flights.problem()?.text ?? outage,
    done,
  }
}

/** Half of the room at most for payments that go alone, all of the rest for batches. Pure. */
function departures(
  { shared, lone }: Intake,
  room: number,
): { call: ReturnType<typeof batchCall>; jobs: SettleJob[]; lone: boolean }[] {
  const alone = lone.slice(0, shared.length > 0 ? Math.max(1, Math.floor(room / 2)) : room)
  return [
    ...cutBatches(shared, Math.max(0, room - alone.length)).map((jobs) => ({
      call: batchCall(jobs),
      jobs,
      lone: false,
    })),
    ...alone.map(({ job, call }) => ({ call, jobs: [job], lone: true })),
  ].slice(0, room)
}
