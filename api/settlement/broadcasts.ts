import type { Hex } from 'viem'
import { BrokenRowError } from '../ledger/scripts.ts'
import { createNonceBook } from './nonces.ts'
import type { SettleJob, SettleLedger } from './port.ts'
import type { SignedTx } from './wallet.ts'

/** What a transaction carries: the payments, and the account nonce that it spends. */
export type Carried = { jobs: readonly SettleJob[]; nonce: number }

/** Writes a signed transaction down, before any node sees it. */
export type WriteDown = (carried: Carried, signed: SignedTx) => Promise<void>

/** What this process has signed: written into the rows of its payments, and remembered with its nonce. */
export function createBroadcasts(ledger: Pick<SettleLedger, 'recordBroadcast'>): {
  first: WriteDown
  /** Skips broken rows: a transaction is out already, and one broken row must not hold it up. */
  again: WriteDown
  /** Proven: its nonce is mined, so this transaction is either mined itself or never will be. */
  isSpent(tx: Hex, mined: number): boolean
} {
  const book = createNonceBook()

  async function record({ jobs, nonce }: Carried, { tx }: SignedTx, which: 'first' | 'again'): Promise<void> {
    book.note(tx, nonce)
    await ledger.recordBroadcast(
      jobs.map(({ key }) => key),
      tx,
      which,
    )
  }

  return {
    first: (carried, signed) => record(carried, signed, 'first'),
    async again(carried, signed) {
      const { jobs, nonce } = carried
      try {
        await record(carried, signed, 'again')
      } catch (error) {
        passOver(error)
        await Promise.all(jobs.map((job) => record({ jobs: [job], nonce }, signed, 'again').catch(passOver)))
      }
    },
    isSpent: book.isSpent,
  }
}

function passOver(error: unknown): void {
  if (!(error instanceof BrokenRowError)) throw error
}
