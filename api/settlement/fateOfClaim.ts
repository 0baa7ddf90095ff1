import type { Hex } from 'viem'
import type { AuthorizationFate, Payment, PaymentChain } from './port.ts'

/**
 * What became of a claimed payment. Transactions sent for it are looked up first, newest first: a receipt in a block of
 * the chain is proof even if the node shows few logs or none (CRA-04). Only then is the state asked and are logs
 * searched.
 * @param sinceMs as in PaymentChain.fate.
 */
export async function fateOfClaim(
  chain: Pick<PaymentChain, 'fate' | 'fateIn'>,
  { asset, authorization: { from, nonce } }: Payment,
  txs: readonly Hex[],
  sinceMs: number,
): Promise<AuthorizationFate> {
  for (const tx of txs.toReversed()) {
    const use = await chain.fateIn(asset, from, nonce, tx)
    if (use !== null) return use
  }
  return await chain.fate(asset, from, nonce, sinceMs)
}
