import type { Address, Hex } from 'viem'
import { UnavailableError } from '../../ops/errors.ts'
import { MINUTE } from '../../ops/units.ts'
import type { Claim, ClaimKey } from '../ledger/ledger.ts'
import type { PaymentChain, Settled } from './port.ts'

/** What of a settled claim says where its money should be. */
export type Located = Pick<Claim, 'key' | 'asset' | 'payer' | 'payTo' | 'amountMicroUsdc'> & {
  settled: Settled
}

/** Whether the claim's money came over this chain, so that this chain can be asked about it. */
export const isOnChain = (key: ClaimKey, chainId: number): boolean =>
  key.startsWith(`auth:${chainId}:`) || key.startsWith(`tx:${chainId}:`)

/**
 * Where the money of a settled claim is now: in the same block, in another one after a reorganisation, by another
 * transaction with the same authorization, or nowhere (null). @throws UnavailableError
 */
export async function locate(chain: PaymentChain, claim: Located): Promise<Settled | null> {
  const asset = claim.asset.toLowerCase() as Address
  const to = claim.payTo.toLowerCase()
  const { tx, blockMs } = claim.settled
  const [kind, , , from = '', nonce = ''] = claim.key.split(':')
  if (kind === 'auth') {
    const ask = [asset, from as Address, nonce as Hex] as const
    const found = (await chain.fateIn(...ask, tx)) ?? (await chain.fate(...ask, blockMs - MINUTE))
    //  It was used where it was settled, or later: a search that finds no use has missed it.
    if (found.kind === 'earlier') throw new UnavailableError('chain_unavailable', 'no log shows the use')
    if (found.kind !== 'used' || found.to !== to || found.value !== claim.amountMicroUsdc) return null
    return settledOf(found)
  }
  const transfers = await chain.transfers(asset, tx)
  if (transfers === null || transfers === 'reverted') return null
  const [before, ...rest] = transfers.filter(
    (one) => one.from === claim.payer && one.to === to && one.value === claim.amountMicroUsdc,
  )
  const same = [before, ...rest].find((one) => one?.logIndex === claim.settled.logIndex) ?? before
  return same === undefined ? null : settledOf(same)
}

const settledOf = ({ tx, logIndex, blockNumber, blockMs }: Settled): Settled => ({
  ...{ tx, logIndex, blockNumber, blockMs },
})
