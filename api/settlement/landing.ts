import type { Log } from '../../ops/log.ts'
import { SECOND } from '../../ops/units.ts'
import { BrokenRowError } from '../ledger/scripts.ts'
import type { Flight } from './flights.ts'
import { type BlockHead, receiptOf, sealedBlock, type TxReceipt } from './nodeReads.ts'
import type { Settled, SettleJob, SettleLedger } from './port.ts'
import type { Rpc } from './rpc.ts'
import { type AuthorizationUse, authorizationUses } from './tokenLogs.ts'

/**
 * What a mined flight did for its jobs. A `failed` job stays pending and is looked at anew; so does one whose row is
 * broken, and every job when another transaction took the nonce, which is nobody's failure.
 */
export type Landing = {
  settled: { job: SettleJob; outcome: 'recorded' | 'already' | 'taken' }[]
  failed: SettleJob[]
}

/** For this long a missing receipt may just mean that the node lags behind another one. */
const MISSING_MS = 10 * SECOND

/**
 * Reads the receipt of a flight whose nonce is mined and writes down what it settled. Safe to repeat: it throws
 * half-way when the ledger is away, and the flight is looked at again.
 * @returns null when the receipt is not there yet.
 */
export async function land(
  flight: Flight,
  { rpc, ledger, log, nowMs }: { rpc: Rpc; ledger: SettleLedger; log: Log; nowMs(): number },
): Promise<Landing | null> {
  const found = await findReceipt(rpc, flight)
  if (found === null) {
    flight.missingSinceMs ??= nowMs()
    if (nowMs() - flight.missingSinceMs < MISSING_MS) return null
    //  Somebody else uses our key, or a former process replaced it: each job is asked about by itself.
    log.error({ nonce: flight.nonce }, 'a nonce was spent by a transaction that is not ours')
    return { settled: [], failed: [] }
  }
  flight.missingSinceMs = null
  const { receipt, block } = found
  const settled: { job: SettleJob; settled: Settled }[] = []
  const failed: SettleJob[] = []
  for (const [job, logIndex] of matchJobs(flight.jobs, receipt)) {
    if (logIndex === null) failed.push(job)
    else
      settled.push({
        job,
        settled: { tx: receipt.tx, logIndex, blockNumber: block.number, blockMs: block.timeMs },
      })
  }
  const recorded = await Promise.all(
    settled.map(async ({ job, settled }) => {
      try {
        return [{ job, outcome: await ledger.recordSettled(job.key, settled) }]
      } catch (error) {
        if (!(error instanceof BrokenRowError)) throw error
        log.error({ tx: receipt.tx }, 'a payment has moved, and its row is broken')
        return []
      }
    }),
  )
  return { settled: recorded.flat(), failed }
}

/** Newest version first: the higher fee is the likelier one. Only sealed blocks count (CHN-01). */
async function findReceipt(
  rpc: Rpc,
  { versions }: Flight,
): Promise<{ receipt: TxReceipt; block: BlockHead } | null> {
  for (const { tx } of versions.toReversed()) {
    const receipt = await receiptOf(rpc, tx)
    const block = receipt === null ? null : await sealedBlock(rpc, receipt)
    if (receipt !== null && block !== null) return { receipt, block }
  }
  return null
}

/** Index of the Transfer that paid each job, or null. Pure. */
export function matchJobs(
  jobs: readonly SettleJob[],
  { logs, succeeded }: Pick<TxReceipt, 'logs' | 'succeeded'>,
): (readonly [SettleJob, number | null])[] {
  const uses = new Map<string, AuthorizationUse>()
  const asset = jobs[0]?.payment.asset
  if (succeeded && asset !== undefined)
    for (const use of authorizationUses(logs, asset)) uses.set(use.from + use.nonce, use)
  return jobs.map((job) => {
    const { from, to, value, nonce } = job.payment.authorization
    const transfer = uses.get(from + nonce)?.transfer ?? null
    const pays = transfer !== null && transfer.to === to && transfer.value === value
    return [job, pays ? transfer.logIndex : null] as const
  })
}
