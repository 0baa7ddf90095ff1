import type { Redis } from 'ioredis'
import { z } from 'zod'
import { JsonText } from '../../ops/jsonText.ts'
import type { CreditEntry } from './finality.ts'
import { KEYS } from './keys.ts'
import { guarded, scriptsOn } from './scripts.ts'

/** Registry rows of money for which credit was granted by hand begin with this; the operation follows. */
export const BY_HAND = 'hand:'

const Granted = z.object({
  money: z.string(), //  its key in the registry of all purchase paths
  amountMicroUsdc: z.string(),
  reason: z.string(),
  lot: z.string(), //    digest of the claim code
  atMs: z.number(),
})
export type Granted = z.infer<typeof Granted> & { operation: string; isOpened: boolean }

/**
 * @property operation the operator's name for it: repeated under the same name, it grants nothing more.
 * @property over      a registry row that holds this has paid for nothing and is overwritten; '' and absent: none.
 */
export type Grant = {
  operation: string
  money: string
  micro: bigint
  reason: string
  lot: string
  over?: string
}

/** Credit granted by an operator for money that provably came and bought nothing. Each grant is one atomic step. */
export type ByHandLedger = {
  grant(grant: Grant, mode: string, nowMs: number): Promise<'granted' | 'again' | 'other' | 'taken'>
  /** Oldest first. */
  granted(): Promise<Granted[]>
  /** What the registry row of this money holds; null: none is there. */
  owner(money: string): Promise<string | null>
  /**
   * Other transfers of the same transaction that have paid for something; those granted for are not among them.
   * @param unpaid a registry row that holds this has paid for nothing.
   */
  paidBeside(money: string, unpaid: string): Promise<string[]>
}

/** Of a transaction's transfers the first so many are looked at: nobody pays us more often at once. */
const BESIDE_MAX = 1_000

function besides(money: string): string[] {
  const transaction = money.slice(0, money.lastIndexOf(':') + 1)
  const isEvm = money.startsWith('tx:')
  const places = Array.from({ length: BESIDE_MAX }, (_, at) => (isEvm ? `log${at}` : String(at)))
  if (isEvm) places.push('value')
  return places.map((place) => `${transaction}${place}`).filter((key) => key !== money)
}

export function createByHandLedger(redis: Redis): ByHandLedger {
  const run = scriptsOn(redis)
  return {
    grant: ({ operation, money, micro, reason, lot, over = '' }, mode, nowMs) => {
      const amountMicroUsdc = micro.toString()
      const entry: CreditEntry = {
        eventId: `${lot}:granted`,
        change: 'granted',
        kind: 'by_hand',
        transfers: [money],
        amountMicroUsdc,
        mode,
        operation,
        reason,
      }
      const kept = { money, amountMicroUsdc, reason, lot, atMs: nowMs }
      return run(
        'creditByHand',
        [KEYS.lot(lot), KEYS.spent(money), KEYS.grantedByHand, KEYS.sales],
        [
          amountMicroUsdc,
          operation,
          `${BY_HAND}${operation}`,
          JSON.stringify(kept),
          JSON.stringify(entry),
          over,
        ],
      )
    },

    granted: async () => {
      const rows = Object.entries(await guarded(redis.hgetall(KEYS.grantedByHand)))
      const all = rows.map(async ([operation, text]) => {
        const kept = JsonText.pipe(Granted).parse(text)
        const state = await guarded(redis.hget(KEYS.lot(kept.lot), 'state'))
        return { operation, ...kept, isOpened: state === 'claimed' }
      })
      return (await Promise.all(all)).sort((a, b) => a.atMs - b.atMs)
    },

    owner: (money) => guarded(redis.get(KEYS.spent(money))),

    paidBeside: async (money, unpaid) => {
      const keys = besides(money)
      const rows = await guarded(redis.mget(keys.map(KEYS.spent)))
      const hasPaid = (row: string) => row !== unpaid && !row.startsWith(BY_HAND)
      return keys.filter((_, at) => hasPaid(rows[at] ?? unpaid))
    },
  }
}
