import type { Redis } from 'ioredis'
import { z } from 'zod'
import { JsonText } from '../../ops/jsonText.ts'
import { KEYS } from './keys.ts'
import { guarded } from './scripts.ts'

/** Why a payment by card bought nothing here. */
export const STRAY_REASONS = [
  'checkout_unknown', //   no checkout of ours, or none that the ledger still knows
  'reference_mismatch', // its session is another checkout's
  'amount_mismatch',
  'currency_mismatch',
  'payment_missing', //    paid, and the provider names no payment
] as const
export type StrayReason = (typeof STRAY_REASONS)[number]

const Kept = z.object({
  why: z.enum(STRAY_REASONS),
  reference: z.string(), //             digest of the checkout, as the provider has it
  paymentId: z.string().nullable(), //  the provider's id, by which a person finds it
  cents: z.number().nullable(),
  currency: z.string().nullable(),
  sku: z.string(), //                   '' where the checkout is unknown
  keptMs: z.number(),
  done: z.object({ atMs: z.number(), reason: z.string() }).nullable(), // an operator saw to it, or the money is back
})
/** @property sessionId the provider's session, which identifies the stray. */
export type Stray = z.infer<typeof Kept> & { sessionId: string }
export type NewStray = Omit<Stray, 'keptMs' | 'done'>

/** Why one is closed by itself; only such a one is opened again. */
const WENT_BACK = 'the money went back'

/** Strays kept, dealt with or not; beyond that the event is refused, so that the provider sends it again. */
const STRAYS_MAX = 10_000

/** Card money that moved and bought nothing: kept until an operator has given it back or made up for it. */
export type StrayLedger = {
  /** Once, and again when its money had gone back and came again, as after a won dispute; 'full': it is not kept. */
  keepStray(stray: NewStray, nowMs: number): Promise<'kept' | 'known' | 'full'>
  strays(): Promise<Stray[]>
  /** @returns false: there is no such stray, or it was already dealt with. */
  strayDone(sessionId: string, reason: string, nowMs: number): Promise<boolean>
  /** The same, because its money went back. */
  strayBack(sessionId: string, nowMs: number): Promise<boolean>
}

export function createStrayLedger(redis: Redis): StrayLedger {
  const read = (sessionId: string, text: string): Stray => ({ sessionId, ...JsonText.pipe(Kept).parse(text) })
  const find = async (sessionId: string): Promise<Stray | null> => {
    const text = await guarded(redis.hget(KEYS.strays, sessionId))
    return text === null ? null : read(sessionId, text)
  }
  const write = ({ sessionId, ...kept }: Stray) =>
    guarded(redis.hset(KEYS.strays, sessionId, JSON.stringify(kept)))
  const strayDone: StrayLedger['strayDone'] = async (sessionId, reason, nowMs) => {
    const known = await find(sessionId)
    if (known === null || known.done !== null) return false
    await write({ ...known, done: { atMs: nowMs, reason } })
    return true
  }

  return {
    keepStray: async ({ sessionId, ...stray }, nowMs) => {
      const known = await find(sessionId)
      if (known !== null) {
        if (known.done?.reason !== WENT_BACK) return 'known'
        await write({ ...known, done: null })
        return 'kept'
      }
      if ((await guarded(redis.hlen(KEYS.strays))) >= STRAYS_MAX) return 'full'
      const text = JSON.stringify({ ...stray, keptMs: nowMs, done: null })
      return (await guarded(redis.hsetnx(KEYS.strays, sessionId, text))) === 1 ? 'kept' : 'known'
    },

    strays: async () => {
      const rows = Object.entries(await guarded(redis.hgetall(KEYS.strays)))
      return rows.map(([id, text]) => read(id, text)).sort((a, b) => a.keptMs - b.keptMs)
    },

    strayDone,
    strayBack: (sessionId, nowMs) => strayDone(sessionId, WENT_BACK, nowMs),
  }
}
