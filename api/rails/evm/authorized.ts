import type { Address, Hex } from 'viem'
import { UnavailableError } from '../../../ops/errors.ts'
import { receiptOf, type TxReceipt } from '../../settlement/nodeReads.ts'
import type { Rpc } from '../../settlement/rpc.ts'
import { authorizationUses, type TransferLog } from '../../settlement/tokenLogs.ts'

/** A log by its place among those of its block. */
export type Placed = { transactionHash: Hex; blockHash: Hex; blockIndex: number; from: Address }

const READS_AT_ONCE = 8
/** Transactions remembered; beyond them the one read first is forgotten. */
const MAX_KNOWN = 64

/**
 * The transfers of a transaction that were made by authorizations. Other transfers of their payers are plain (CLS-11).
 */
export const authorizedTransfers = ({ logs }: Pick<TxReceipt, 'logs'>, asset: Address): TransferLog[] =>
  authorizationUses(logs, asset).flatMap(({ transfer }) => transfer ?? [])

/**
 * Positions within the block of all transfers that authorizations made in a listed log's transaction. Remembered per
 * block: the newest blocks are read again at every look, and a receipt may have tens of thousands of logs.
 */
export function createAuthorizedPlaces() {
  const known = new Map<string, ReadonlySet<number>>()
  return async (rpc: Rpc, asset: Address, one: Placed): Promise<ReadonlySet<number>> => {
    const name = `${asset} ${nameOf(one)}`
    const before = known.get(name)
    if (before !== undefined) return before
    const receipt = await receiptOf(rpc, one.transactionHash)
    if (receipt === null || receipt.blockHash !== one.blockHash)
      throw new UnavailableError('chain_unavailable', 'a transaction is in another block by now')
    const places = new Set(authorizedTransfers(receipt, asset).map(({ blockIndex }) => blockIndex))
    if (known.size >= MAX_KNOWN) known.delete(known.keys().next().value!)
    known.set(name, places)
    return places
  }
}
export type AuthorizedPlaces = ReturnType<typeof createAuthorizedPlaces>

/**
 * Drops listed transfers made by authorizations, although the list shows only transfers to us. A transfer right after a
 * use by its payer was made by it: the token writes nothing in between. For any other transfer in a use's transaction,
 * which is rare, all logs of the transaction are read.
 */
export async function withoutAuthorized<T extends Placed>(
  rpc: Rpc,
  asset: Address,
  { moved, uses, places }: { moved: readonly T[]; uses: readonly Placed[]; places: AuthorizedPlaces },
): Promise<T[]> {
  const used = new Set(uses.map(payerIn))
  const behind = new Set(uses.map((use) => `${payerIn(use)} ${use.blockIndex + 1}`))
  const made = (one: T) => behind.has(`${payerIn(one)} ${one.blockIndex}`)
  const rest = moved.filter((one) => !made(one))
  const doubtful = [...new Map(rest.filter((one) => used.has(payerIn(one))).map((one) => [nameOf(one), one]))]
  const told = new Map<string, ReadonlySet<number>>()
  for (let at = 0; at < doubtful.length; at += READS_AT_ONCE)
    await Promise.all(
      doubtful.slice(at, at + READS_AT_ONCE).map(async ([name, one]) => {
        told.set(name, await places(rpc, asset, one))
      }),
    )
  return rest.filter((one) => told.get(nameOf(one))?.has(one.blockIndex) !== true)
}

const nameOf = ({ blockHash, transactionHash }: Placed): string => `${blockHash} ${transactionHash}`
/** A use and a transfer are listed by two reads: only the transaction is sure to be the same. */
const payerIn = ({ transactionHash, from }: Placed): string => `${transactionHash} ${from}`
