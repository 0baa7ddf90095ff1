import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import { keptJson } from '../keptJson.ts'
import { Transaction, transfer } from './transaction.ts'

const SLOT_MS = 400
const MAX_TRANSACTIONS = 10_000 //  the oldest are forgotten beyond

/** Newest last. */
const State = z.object({ firstMs: z.number(), transactions: z.array(Transaction) })

export type Cluster = {
  slot(): number
  /** An ordinary transfer in the newest slot. @returns its signature. */
  pay(to: string, lamports: number, from?: string): Promise<string>
  /** Takes any transaction as it is: tests shape their own. */
  add(transaction: Transaction): Promise<string>
  /** A fork drops it: gone, unless it is finalised. */
  drop(signature: string): Promise<void>
  find(signature: string, finalizedOnly: boolean): Transaction | null
  /** Those that name the account, newest first. */
  naming(address: string, finalizedOnly: boolean): Transaction[]
}

/**
 * A stand-in for a Solana cluster: nobody signs, nobody votes, a transaction is final a moment after it was
 * made. Only what is read of a cluster is real: the shapes, and what the commitments mean.
 */
export async function openCluster({
  path,
  clock,
  finalMs,
}: {
  path: string | null //  file of its state; null: nothing is kept
  clock: Clock
  finalMs: number //      from a transaction to its finality; the real cluster needs about 13 s
}): Promise<Cluster> {
  const kept = keptJson(path, State)
  const state = (await kept.load()) ?? { firstMs: clock.nowMs(), transactions: [] }
  const slot = () => Math.floor((clock.nowMs() - state.firstMs) / SLOT_MS)
  const isFinal = (one: Transaction) => one.slot <= slot() - Math.ceil(finalMs / SLOT_MS)
  const signatureOf = (one: Transaction) => one.transaction.signatures[0]!
  const visible = (finalizedOnly: boolean) =>
    state.transactions.filter((one) => !finalizedOnly || isFinal(one))

  async function add(transaction: Transaction): Promise<string> {
    state.transactions.push(transaction)
    state.transactions.splice(0, state.transactions.length - MAX_TRANSACTIONS)
    await kept.save(state)
    return signatureOf(transaction)
  }
  return {
    slot,
    add,
    pay: (to, lamports, from) =>
      add(transfer({ to, lamports, nowMs: clock.nowMs(), slot: slot(), ...(from ? { from } : {}) })),
    async drop(signature) {
      state.transactions = state.transactions.filter((one) => signatureOf(one) !== signature || isFinal(one))
      await kept.save(state)
    },
    find: (signature, finalizedOnly) =>
      visible(finalizedOnly).find((one) => signatureOf(one) === signature) ?? null,
    naming: (address, finalizedOnly) =>
      visible(finalizedOnly)
        .filter(({ transaction, meta }) =>
          [
            ...transaction.message.accountKeys,
            ...meta.loadedAddresses.writable,
            ...meta.loadedAddresses.readonly,
          ].includes(address),
        )
        .reverse(),
  }
}
