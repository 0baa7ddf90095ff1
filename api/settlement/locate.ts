import type { Address, Hex } from 'viem'
import { UnavailableError } from '../../ops/errors.ts'
import type { Claim, ClaimKey } from '../ledger/ledger.ts'
import type { ChainView, PaymentChain, Settled } from './port.ts'

/** What of a settled claim says where its money should be. */
export type Located = Pick<Claim, 'key' | 'asset' | 'payer' | 'payTo' | 'amountMicroUsdc'> & {
  settled: Settled
}

export type LocateChain = Pick<PaymentChain, 'fate' | 'fateIn' | 'transfers'> & Pick<ChainView, 'head'>

/** Whether the claim's money came over this chain, so that this chain can be asked about it. */
export const isOnChain = (key: ClaimKey, chainId: number): boolean =>
  key.startsWith(`auth:${chainId}:`) || key.startsWith(`tx:${chainId}:`)

/**
 * Where the money of a settled claim is now: in the same block, in another one after a reorganisation, in another
 * transaction with the same authorization, or nowhere (null); only a node that has reached the claim's block can say
 * the latter.
 * @throws UnavailableError
 */
export async function locate(chain: LocateChain, claim: Located): Promise<Settled | null> {
  const asset = claim.asset.toLowerCase() as Address
  const to = claim.payTo.toLowerCase()
  const { tx, blockNumber, blockMs } = claim.settled
  const [kind, , , from = '', nonce = ''] = claim.key.split(':')
  if (kind === 'auth') {
    const ask = [asset, from as Address, nonce as Hex] as const
    const found = (await chain.fateIn(...ask, tx)) ?? (await chain.fate(...ask, blockMs))
    //  It was used where it was settled, or later: a search that finds no use has missed it.
    if (found.kind === 'earlier') throw new UnavailableError('chain_unavailable', 'no log shows the use')
    if (found.kind === 'unused') refuseBehind(found.blockNumber, blockNumber)
    if (found.kind !== 'used' || found.to !== to || found.value !== claim.amountMicroUsdc) return null
    return settledOf(found)
  }
  let transfers = await chain.transfers(asset, tx)
  if (transfers === null) {
    refuseBehind((await chain.head('latest')).number, blockNumber)
    transfers = await chain.transfers(asset, tx) //  the node may have caught up between
  }
  if (transfers === null || transfers === 'reverted') return null
  const [before, ...rest] = transfers.filter(
    (one) => one.from === claim.payer && one.to === to && one.value === claim.amountMicroUsdc,
  )
  const same = [before, ...rest].find((one) => one?.logIndex === claim.settled.logIndex) ?? before
  return same === undefined ? null : settledOf(same)
}

/** CHN-04: a node that lags has not seen what it says is not there. */
function refuseBehind(head: bigint, block: bigint): void {
  if (head < block) throw new UnavailableError('chain_unavailable', 'the node is behind the claim')
}

const settledOf = ({ tx, logIndex, blockNumber, blockMs }: Settled): Settled => ({
  tx,
  logIndex,
  blockNumber,
  blockMs,
})
