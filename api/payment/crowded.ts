import { SECOND } from '../../ops/units.ts'
import type { Payment, PaymentChain } from '../settlement/port.ts'
import type { Settlement } from '../settlement/settlement.ts'

/** As long as who is told so is asked to wait. */
const TOLD_FOR_MS = 2 * SECOND
const MAX_REMEMBERED = 1_000
const told = new Map<string, number>() //  payers: until when

/** This payer has as many open claims as anybody may, the ledger says. */
export function noteCrowded({ authorization: { from } }: Payment): void {
  told.delete(from)
  told.set(from, performance.now() + TOLD_FOR_MS)
  if (told.size > MAX_REMEMBERED) told.delete(told.keys().next().value!)
}

/**
 * Whether it was so a moment ago: then no facilitator is asked about the next of his. Each may be good by itself and costs him nothing, and a
 * facilitator that is asked too often asks us to wait, and with us everybody who pays. One that has moved is never too many (RPL-13).
 */
export async function isCrowdedStill(
  { asset, authorization: { from, nonce } }: Payment,
  { settlement, chain }: { settlement: Pick<Settlement, 'via'>; chain: Pick<PaymentChain, 'isUsed'> },
): Promise<boolean> {
  if (settlement.via !== 'facilitator' || (told.get(from) ?? 0) <= performance.now()) return false
  return !(await chain.isUsed(asset, from, nonce))
}
