import { UnavailableError } from '../../../ops/errors.ts'
import type { SolanaTransaction } from './wire.ts'

/** All lamports that there are lie below 2^60, where a double is at most this far from the number that was written. */
const MAX_ROUNDED = 64n

/**
 * What one of our accounts gained. `index`: its position among all accounts of the transaction, which never changes.
 */
export type Gain = { to: string; index: number; lamports: bigint; from: string | null }

/**
 * What a transaction brought our accounts, by the balances before and after: it does not matter by which
 * instruction, inner instruction or program it came, nor whether the account was named in a lookup table. Tokens,
 * wrapped SOL among them, lie in accounts of their own and change no balance of ours (RAIL-06).
 */
export function gainsOf(found: SolanaTransaction, receivers: ReadonlySet<string>): Gain[] {
  const { meta } = found
  const keys = accountsOf(found)
  if (keys.length !== meta.preBalances.length || keys.length !== meta.postBalances.length)
    throw new UnavailableError('chain_unavailable', 'getTransaction: balances and accounts do not match')
  refuseImpossible(keys, found)
  const change = (index: number): bigint => exact(meta.postBalances[index]!) - exact(meta.preBalances[index]!)
  const from = onlyPayer(keys, found)
  return keys.flatMap((to, index) => {
    const lamports = receivers.has(to) ? change(index) : 0n
    return lamports > 0n ? [{ to, index, lamports, from }] : []
  })
}

/** Everybody whom a transaction names, in the order of its balances. */
export const accountsOf = ({ meta, transaction }: SolanaTransaction): string[] => [
  ...transaction.message.accountKeys,
  ...(meta.loadedAddresses?.writable ?? []),
  ...(meta.loadedAddresses?.readonly ?? []),
]

/**
 * No transaction names an account twice, and what its accounts have less afterwards is its fee: Solana refuses any other.
 * So an answer in which one balance is not as it was contradicts itself (CHN-04).
 */
function refuseImpossible(keys: readonly string[], { meta }: SolanaTransaction): void {
  if (new Set(keys).size !== keys.length)
    throw new UnavailableError('chain_unavailable', 'getTransaction: an account is named twice')
  const balances = [...meta.preBalances, ...meta.postBalances]
  const inexact = balances.filter((lamports) => !Number.isSafeInteger(lamports)).length
  const spent = sumOf(meta.preBalances) - sumOf(meta.postBalances) - BigInt(meta.fee)
  if ((spent < 0n ? -spent : spent) > BigInt(inexact) * MAX_ROUNDED)
    throw new UnavailableError('chain_unavailable', 'getTransaction: balances and fee do not add up')
}

const sumOf = (balances: readonly number[]): bigint =>
  balances.reduce((sum, lamports) => sum + BigInt(lamports), 0n)

/** A balance of ours that does not fit a double exactly cannot be read from JSON (RAIL-05). */
function exact(lamports: number): bigint {
  if (Number.isSafeInteger(lamports)) return BigInt(lamports)
  throw new UnavailableError('chain_unavailable', 'getTransaction: a balance beyond 2^53')
}

/** The one account that has less than before, the fee of its first signer aside; null when there are several. */
function onlyPayer(keys: readonly string[], { meta }: SolanaTransaction): string | null {
  const payers = keys.filter((_, index) => {
    const before = meta.preBalances[index]! - (index === 0 ? meta.fee : 0)
    return meta.postBalances[index]! < before
  })
  return payers.length === 1 ? payers[0]! : null
}
