import type { Redis } from 'ioredis'
import type { Hex } from 'viem'
import { KEYS } from '../../ledger/keys.ts'
import { transferKey } from '../../ledger/ledger.ts'
import { classOf, isUnexplainedClass, REBUILT } from './classes.ts'
import { type Books, type BooksAsked, type BooksPorts, knownOf } from './joinBooks.ts'

/**
 * Books ordinary transfers that the ledger does not know, so that their hash proves no second purchase. A transfer made
 * by an authorization is left alone: its buyer may still redeem it while its window is open, and nobody can afterwards.
 * @param untilMs later transfers are left alone: money was closed then, so they have bought nothing yet.
 * @returns how many were booked, and how many were left because they came later. Safe to repeat.
 */
export async function bookUnknown(
  redis: Redis,
  { chainId, unexplained }: Pick<Books, 'chainId' | 'unexplained'>,
  untilMs: number,
): Promise<{ booked: number; later: number }> {
  let [booked, later] = [0, 0]
  for (const { why, tx, logIndex, ...entry } of unexplained) {
    if (why !== 'unattributed' || !('authorization' in entry) || entry.authorization !== null) continue
    if (entry.atMs > untilMs) later++
    else booked += await redis.setnx(KEYS.spent(transferKey(chainId, tx, logIndex)), REBUILT)
  }
  return { booked, later }
}

/**
 * Books the unknown transfers of one transaction: an operator has looked at it, and it must not buy anything here.
 * @returns how many transfers; null: there is no such transaction.
 */
export async function bookOne(
  redis: Redis,
  tx: Hex,
  asked: Pick<BooksAsked, 'chainId' | 'asset' | 'receivers'>,
  { chain, ledger, nowMs }: BooksPorts & { nowMs: number },
): Promise<number | null> {
  const transfers = await chain.transfers(asked.asset, tx)
  if (!Array.isArray(transfers)) return null
  let booked = 0
  for (const transfer of transfers) {
    if (!asked.receivers.includes(transfer.to)) continue
    const { known } = await knownOf(transfer, asked, { chain, ledger })
    if (isUnexplainedClass(classOf(known, transfer.blockMs, nowMs)))
      booked += await redis.setnx(KEYS.spent(transferKey(asked.chainId, tx, transfer.logIndex)), REBUILT)
  }
  return booked
}
