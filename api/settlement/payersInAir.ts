import type { Address } from 'viem'
import { remember } from '../../ops/remember.ts'
import { HOUR } from '../../ops/units.ts'
import type { SettleJob } from './port.ts'

/**
 * Payments of a new payer that may be under way at once. A payer who empties the wallet meanwhile makes each of them
 * fail at our cost of some 48,000 gas, for one transfer of their own. One more is allowed for each that went through:
 * an agent that pays as fast as it can has twice as many under way with every block.
 */
export const AT_FIRST = 32
const DOUBT_MS = 1 * HOUR
const MAX_REMEMBERED = 10_000

export const payerOf = ({ payment }: SettleJob): Address => payment.authorization.from

/** How many payments of each payer may be under way. */
export type PayersInAir = {
  noteSettled(payer: Address): void
  /** A payment passed here and failed on chain by its payer's doing: for an hour they start over, one at a time. */
  doubt(payer: Address): void
  /**
   * Whether one more is too many for a doubted payer; the limit grows for a wallet that was empty once and pays again.
   */
  isTooMany(payer: Address, underWay: number): boolean
  /** Those of `ready`, in their order, for which there is room beside what is under way. */
  withRoom(ready: readonly SettleJob[], underWay: readonly SettleJob[]): SettleJob[]
}

export function createPayersInAir(nowMs: () => number): PayersInAir {
  const settled = new Map<Address, number>()
  const doubted = new Map<Address, number>() //  until when
  return {
    noteSettled: (payer) => remember(settled, payer, (settled.get(payer) ?? 0) + 1, MAX_REMEMBERED),
    doubt(payer) {
      settled.delete(payer)
      remember(doubted, payer, nowMs() + DOUBT_MS, MAX_REMEMBERED)
    },
    isTooMany: (payer, underWay) =>
      (doubted.get(payer) ?? 0) > nowMs() && underWay > (settled.get(payer) ?? 0),
    withRoom(ready, underWay) {
      const counts = new Map<Address, number>()
      const place = (job: SettleJob): number => {
        const taken = counts.get(payerOf(job)) ?? 0
        counts.set(payerOf(job), taken + 1)
        return taken
      }
      for (const job of underWay) place(job)
      return ready.filter((job) => place(job) < AT_FIRST + (settled.get(payerOf(job)) ?? 0))
    },
  }
}
