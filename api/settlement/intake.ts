import type { Address, Hex } from 'viem'
import { UnavailableError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { remember } from '../../ops/remember.ts'
import { HOUR, MINUTE, SECOND } from '../../ops/units.ts'
import { BrokenRowError } from '../ledger/scripts.ts'
import { batchCall, MAX_BATCH } from './batch.ts'
import { type Decision, decide } from './decide.ts'
import { createPayersInAir, payerOf } from './payersInAir.ts'
import type { ChainRefusal, PaymentChain, SettleJob, SettleLedger } from './port.ts'
import type { Rpc } from './rpc.ts'
import type { LoneCall, Verdict } from './simulate.ts'
import type { Simulator } from './simulator.ts'

/** What can leave now: key-signed payments that may share a transaction, and wallet payments that may not. */
export type Intake = { shared: SettleJob[]; lone: { job: SettleJob; call: LoneCall }[] }

export type Intakes = {
  /**
   * Reads what waits, simulates it, ends what would not go through.
   * @param room transactions that may leave now. @param flying keys that are under way.
   */
  take(room: number, flying: ReadonlySet<string>): Promise<Intake>
  noteSettled(job: SettleJob): void
  /** Its transaction was mined and did not move it. */
  noteFailure(job: SettleJob): void
  /** How many jobs wait for a later look. */
  deferred(): number
}

/**
 * Failures on chain in spite of a good simulation: a neighbour may be to blame (it may have burnt the gas of the
 * batch), so from the second on a payment goes alone, and only then we believe the chain.
 */
const ALONE_AFTER_FAILURES = 2
const MAX_FAILURES = 4
/**
 * A job that cannot be decided now is looked at again after one second, then twice as long each time, up to the latter.
 */
const LATER_MS = 1 * SECOND
const LATEST_MS = 8 * SECOND
const DISTRUST_MS = 1 * HOUR
const MAX_REMEMBERED = 10_000
const MAX_READ = 20_000 //  jobs at once

export function createIntake({
  rpc,
  chain,
  chainId,
  ledger,
  simulator,
  log,
  nowMs,
  isSpent,
  beforeSimulating,
  onDecided,
}: {
  rpc: Rpc
  chain: PaymentChain
  chainId: number
  ledger: SettleLedger
  simulator: Simulator
  log: Log
  nowMs(): number
  isSpent(tx: Hex): boolean
  /** Called when there are jobs to simulate: time to read gas price and head. */
  beforeSimulating(): Promise<void>
  onDecided(job: SettleJob, decision: Decision): void
}): Intakes {
  const laterUntil = new Map<string, number>()
  const waits = new Map<string, number>() //  how long it was put off the last time
  const failures = new Map<string, number>()
  /** Wallets that said yes in a simulation and no on chain (SIG-04): their next payments cost us no gas. */
  const distrusted = new Map<Address, number>()
  const payers = createPayersInAir(nowMs)
  let waiting = 0 //  what the last look left for the next

  async function end(job: SettleJob, reason: ChainRefusal): Promise<void> {
    const decision = await decide(job, reason, { rpc, chain, ledger, isSpent })
    if (decision === 'later') putOff(job)
    else {
      forget(job)
      onDecided(job, decision)
    }
  }

  function putOff({ key }: SettleJob): void {
    const waitMs = Math.min(LATEST_MS, 2 * (waits.get(key) ?? LATER_MS / 2))
    remember(waits, key, waitMs, MAX_REMEMBERED)
    remember(laterUntil, key, nowMs() + waitMs, MAX_REMEMBERED)
  }

  function forget({ key }: SettleJob): void {
    laterUntil.delete(key)
    waits.delete(key)
    failures.delete(key)
  }

  async function verdictOn(job: SettleJob): Promise<Verdict> {
    const from = payerOf(job)
    const verdict = await simulator.simulate(job.payment)
    const failed = failures.get(job.key) ?? 0
    //  a failure among others may be a neighbour's fault, but not that of an empty wallet, nor one that failed alone
    if ((failed > 0 && verdict.refusal === 'insufficient_funds') || failed > ALONE_AFTER_FAILURES)
      payers.doubt(from)
    if (verdict.refusal !== null) return verdict
    if (verdict.lone !== null) {
      if (failed > 0) remember(distrusted, from, nowMs() + DISTRUST_MS, MAX_REMEMBERED)
      const trusted = (distrusted.get(from) ?? 0) <= nowMs()
      return trusted ? verdict : { refusal: 'wallet_not_supported', lone: null }
    }
    if (failed >= MAX_FAILURES) return { refusal: 'transfer_failed', lone: null }
    return failed < ALONE_AFTER_FAILURES ? verdict : { refusal: null, lone: batchCall([job]) }
  }

  /** @property beside payments under way, by payer. */
  async function read(
    room: number,
    flying: ReadonlySet<string>,
  ): Promise<{ jobs: SettleJob[]; beside: Map<Address, number> }> {
    const now = nowMs()
    for (const [key, untilMs] of laterUntil) if (untilMs <= now) laterUntil.delete(key)
    const capacity = room * MAX_BATCH
    const jobs = await ledger.pending(Math.min(MAX_READ, flying.size + laterUntil.size + waiting + capacity))
    const ready = jobs.filter(({ key, payment }) => {
      if (flying.has(key) || laterUntil.has(key)) return false
      if (payment.chainId === chainId) return true
      log.error({ chainId: payment.chainId }, 'a claim is for another chain than ours')
      remember(laterUntil, key, now + 10 * MINUTE, MAX_REMEMBERED)
      return false
    })
    //  Wallet payments go alone, so simulating more than there is room for would be wasted.
    let lone = 0
    const underWay = jobs.filter(({ key }) => flying.has(key))
    const taken = payers
      .withRoom(ready, underWay)
      .filter(({ payment }) => payment.signer === 'ecdsa' || lone++ < room)
      .slice(0, capacity)
    waiting = ready.length - taken.length
    const beside = new Map<Address, number>()
    for (const job of underWay) count(beside, payerOf(job))
    return { jobs: taken, beside }
  }

  return {
    async take(room, flying) {
      const { jobs, beside } = await read(room, flying)
      if (jobs.length > 0) await beforeSimulating()
      const verdicts = await Promise.allSettled(jobs.map(verdictOn))
      const intake: Intake = { shared: [], lone: [] }
      const refused: [SettleJob, ChainRefusal][] = []
      let unavailable: unknown = null
      jobs.forEach((job, index) => {
        const verdict = verdicts[index]!
        if (verdict.status === 'rejected') unavailable = verdict.reason
        else if (verdict.value.refusal !== null) refused.push([job, verdict.value.refusal])
        //  refused, not put off: else one payer with many wallets could fill the read limit with waiting jobs
        else if (payers.isTooMany(payerOf(job), beside.get(payerOf(job)) ?? 0))
          refused.push([job, 'transfer_failed'])
        else {
          count(beside, payerOf(job))
          if (verdict.value.lone === null) intake.shared.push(job)
          else intake.lone.push({ job, call: verdict.value.lone })
        }
      })
      //  One job that cannot be decided now must not hold up the others.
      const ends = await Promise.allSettled(refused.map(([job, reason]) => end(job, reason)))
      for (const [index, outcome] of ends.entries()) {
        if (outcome.status === 'fulfilled') continue
        const { reason } = outcome
        if (!(reason instanceof UnavailableError || reason instanceof BrokenRowError)) throw reason
        putOff(refused[index]![0])
      }
      if (unavailable !== null && intake.shared.length + intake.lone.length === 0) throw unavailable
      return intake
    },
    noteSettled(job) {
      forget(job)
      payers.noteSettled(payerOf(job))
    },
    noteFailure: (job) => remember(failures, job.key, (failures.get(job.key) ?? 0) + 1, MAX_REMEMBERED),
    deferred: () => laterUntil.size + waiting,
  }
}

function count(counts: Map<Address, number>, payer: Address): void {
  counts.set(payer, (counts.get(payer) ?? 0) + 1)
}
