import { remember } from '../../ops/remember.ts'
import { SECOND } from '../../ops/units.ts'
import type { Payment, PaymentChain } from '../settlement/port.ts'
import type { Settlement } from '../settlement/settlement.ts'

/** As long as the Retry-After that a crowded payer is given. */
const TOLD_FOR_MS = 2 * SECOND
const MAX_REMEMBERED = 1_000
const told = new Map<string, number>() //  payers: until when

/** Notes that, by the ledger, this payer has as many open claims as one payer may have. */
export function noteCrowded({ authorization: { from } }: Payment): void {
  remember(told, from, performance.now() + TOLD_FOR_MS, MAX_REMEMBERED)
}

/**
 * Whether the payer was crowded a moment ago: then the facilitator is not asked about the payer's next payment. Each
 * may be good by itself and costs the payer nothing, but a facilitator that is asked too often makes us wait, and with
 * us everybody who pays. A payment that has moved already is never refused as one too many (RPL-13).
 */
export async function isCrowdedStill(
  { asset, authorization: { from, nonce } }: Payment,
  { settlement, chain }: { settlement: Pick<Settlement, 'via'>; chain: Pick<PaymentChain, 'isUsed'> },
): Promise<boolean> {
  if (settlement.via !== 'facilitator' || (told.get(from) ?? 0) <= performance.now()) return false
  return !(await chain.isUsed(asset, from, nonce))
}
