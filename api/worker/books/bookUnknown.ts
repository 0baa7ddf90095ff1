import type { Redis } from 'ioredis'
import { transferKey } from '../../ledger/ledger.ts'
import { REBUILT } from './classes.ts'
import type { Books } from './joinBooks.ts'

/**
 * Books what arrived by an ordinary transfer and is unknown, so that its hash proves no second purchase. One made by
 * an authorization is left alone: that may still be redeemed by its buyer while its window is open, by nobody afterwards.
 * @returns how many were booked. Safe to repeat.
 */
export async function bookUnknown(redis: Redis, { chainId, unexplained }: Books): Promise<number> {
  let booked = 0
  for (const { why, authorized, tx, logIndex } of unexplained)
    if (why === 'unattributed' && !authorized)
      booked += await redis.setnx(`spent:${transferKey(chainId, tx, logIndex)}`, REBUILT)
  return booked
}
