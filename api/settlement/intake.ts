import type { Address, Hex } from 'viem'
import { UnavailableError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { remember } from '../../ops/remember.ts'
import { HOUR, MINUTE } from '../../ops/units.ts'
import { BrokenRowError } from '../ledger/scripts.ts'
import { batchCall, MAX_BATCH } from './batch.ts'
import { type Decision, decide } from './decide.ts'
import { createPayersInAir, type PayersInAir, payerOf } from './payersInAir.ts'
import type { ChainRefusal, PaymentChain, SettleJob, SettleLedger } from './port.ts'
import { createPutOff } from './putOff.ts'
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
/** A claim for another chain is an operator's fault. */
const OTHER_CHAIN_MS = 10 * MINUTE
const DISTRUST_MS = 1 * HOUR
const MAX_REMEMBERED = 10_000
const MAX_READ = 20_000 //  jobs at once

type Refused = [SettleJob, ChainRefusal]

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
  const putOff = createPutOff(nowMs)
  const failures = new Map<string, number>()
  /** Wallets that said yes in a simulation and no on chain (SIG-04): their next payments cost us no gas. */
  const distrusted = new Map<Address, number>()
  const payers = createPayersInAir(nowMs)
  let waiting = 0 //  what the last look left for the next

  async function end(job: SettleJob, reason: ChainRefusal): Promise<void> {
    const decision = await decide(job, reason, { rpc, chain, ledger, isSpent })
    if (decision === 'later') putOff.add(job.key)
    else {
      forget(job)
      onDecided(job, decision)
    }
  }

  function forget({ key }: SettleJob): void {
    putOff.forget(key)
    failures.delete(key)
  }

  async function verdictOn(job: SettleJob): Promise<Verdict> {
    const from = payerOf(job)
    const verdict = await simulator.simulate(job.payment)
    const failed = failures.get(job.key) ?? 0
    //  a failure among others may be a neighbour's fault, but not that of an empty wallet, nor one that failed alone
    if ((failed > 0 && verdict.refusal === 'insufficient_funds') || failed > ALONE_AFTER_FAILURES)
      payers.doubt(from)
    if (verdict.lone !== null && failed > 0) remember(distrusted, from, nowMs() + DISTRUST_MS, MAX_REMEMBERED)
    return lessTrusting(job, verdict, failed, (distrusted.get(from) ?? 0) > nowMs())
  }

  /** @property beside payments under way, by payer. */
  async function read(
    room: number,
    flying: ReadonlySet<string>,
  ): Promise<{ jobs: SettleJob[]; beside: Map<Address, number> }> {
    putOff.expire()
    const capacity = room * MAX_BATCH
    const jobs = await ledger.pending(Math.min(MAX_READ, flying.size + putOff.size() + waiting + capacity))
    const ready = jobs.filter(({ key, payment }) => {
      if (flying.has(key) || putOff.has(key)) return false
      if (payment.chainId === chainId) return true
      log.error({ chainId: payment.chainId }, 'a claim is for another chain than ours')
      putOff.add(key, OTHER_CHAIN_MS)
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

  /** One job that cannot be decided now must not hold up the others. */
  async function endAll(refused: readonly Refused[]): Promise<void> {
    const ends = await Promise.allSettled(refused.map(([job, reason]) => end(job, reason)))
    for (const [index, outcome] of ends.entries()) {
      if (outcome.status === 'fulfilled') continue
      const { reason } = outcome
      if (!(reason instanceof UnavailableError || reason instanceof BrokenRowError)) throw reason
      putOff.add(refused[index]![0].key)
    }
  }

  return {
    async take(room, flying) {
      const { jobs, beside } = await read(room, flying)
      if (jobs.length > 0) await beforeSimulating()
      const verdicts = await Promise.allSettled(jobs.map(verdictOn))
      const { intake, refused, unavailable } = sortOut(jobs, verdicts, beside, payers)
      await endAll(refused)
      if (unavailable !== null && intake.shared.length + intake.lone.length === 0) throw unavailable
      return intake
    },
    noteSettled(job) {
      forget(job)
      payers.noteSettled(payerOf(job))
    },
    noteFailure: (job) => remember(failures, job.key, (failures.get(job.key) ?? 0) + 1, MAX_REMEMBERED),
    deferred: () => putOff.size() + waiting,
  }
}

/**
 * What a simulation's verdict is worth once the chain has contradicted it. Pure.
 * @param failed how often the payment passed and was not moved.
 * @param isDistrusted its wallet said yes in a simulation and no on chain.
 */
export function lessTrusting(
  job: SettleJob,
  verdict: Verdict,
  failed: number,
  isDistrusted: boolean,
): Verdict {
  if (verdict.refusal !== null) return verdict
  if (verdict.lone !== null) return isDistrusted ? { refusal: 'wallet_not_supported', lone: null } : verdict
  if (failed >= MAX_FAILURES) return { refusal: 'transfer_failed', lone: null }
  return failed < ALONE_AFTER_FAILURES ? verdict : { refusal: null, lone: batchCall([job]) }
}

/** Who leaves, in which lane, and who is refused. @param beside payments under way, by payer: counted on. */
function sortOut(
  jobs: readonly SettleJob[],
  verdicts: readonly PromiseSettledResult<Verdict>[],
  beside: Map<Address, number>,
  payers: Pick<PayersInAir, 'isTooMany'>,
): { intake: Intake; refused: Refused[]; unavailable: unknown } {
  const intake: Intake = { shared: [], lone: [] }
  const refused: Refused[] = []
  let unavailable: unknown = null
  jobs.forEach((job, index) => {
    const verdict = verdicts[index]!
    const payer = payerOf(job)
    if (verdict.status === 'rejected') unavailable = verdict.reason
    else if (verdict.value.refusal !== null) refused.push([job, verdict.value.refusal])
    //  refused, not put off: else one payer with many wallets could fill the read limit with waiting jobs
    else if (payers.isTooMany(payer, beside.get(payer) ?? 0)) refused.push([job, 'transfer_failed'])
    else {
      count(beside, payer)
      if (verdict.value.lone === null) intake.shared.push(job)
      else intake.lone.push({ job, call: verdict.value.lone })
    }
  })
  return { intake, refused, unavailable }
}

function count(counts: Map<Address, number>, payer: Address): void {
  counts.set(payer, (counts.get(payer) ?? 0) + 1)
}
