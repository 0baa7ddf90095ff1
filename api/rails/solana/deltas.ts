import { UnavailableError } from '../../../ops/errors.ts'
import type { SolanaTransaction } from './wire.ts'

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
  const { meta, transaction } = found
  const keys = [
    ...transaction.message.accountKeys,
    ...(meta.loadedAddresses?.writable ?? []),
    ...(meta.loadedAddresses?.readonly ?? []),
  ]
  if (keys.length !== meta.preBalances.length || keys.length !== meta.postBalances.length)
    throw new UnavailableError('chain_unavailable', 'getTransaction: balances and accounts do not match')
  const change = (index: number): bigint => exact(meta.postBalances[index]!) - exact(meta.preBalances[index]!)
  const from = onlyPayer(keys, found)
  return keys.flatMap((to, index) => {
    const lamports = receivers.has(to) ? change(index) : 0n
    return lamports > 0n ? [{ to, index, lamports, from }] : []
  })
}

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
