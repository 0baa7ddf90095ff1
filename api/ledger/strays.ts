import type { Redis } from 'ioredis'
import { z } from 'zod'
import { JsonText } from '../../ops/jsonText.ts'
import { BY_HAND } from './byHand.ts'
import { KEYS } from './keys.ts'
import { brokenOrThrow, guarded } from './scripts.ts'

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

/** Name of a card payment in the registry of all purchase paths. */
export const cardMoney = (sessionId: string): string => `card:${sessionId}`

/** Card money that moved and bought nothing: kept until an operator has given it back or made up for it. */
export type StrayLedger = {
  /**
   * Once, and again when its money had gone back and came again, as after a won dispute; 'full': it is not kept; 'known'
   * also: it has bought what was ordered, and the provider says it wrongly now.
   */
  keepStray(stray: NewStray, nowMs: number): Promise<'kept' | 'known' | 'full'>
  /** Oldest first. One that has bought what was ordered after all is none, though its row stays. */
  strays(): Promise<Stray[]>
  /** null: there is no such stray. */
  strayKeptMs(sessionId: string): Promise<number | null>
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
  /** The version before wrote no registry row of what it sold: its checkout says so. */
  const hasBought = async ({ sessionId, reference }: Pick<Stray, 'sessionId' | 'reference'>) => {
    const [owner] = await guarded(redis.mget(KEYS.spent(cardMoney(sessionId)))) //  null also where it is no text
    if (owner != null) return !owner.startsWith(BY_HAND)
    const row = KEYS.checkout(reference)
    const read = await guarded(redis.hmget(row, 'sessionId', 'status', 'claimed')).catch(brokenOrThrow)
    if (read === 'broken') return false
    const [session, status, claimed] = read
    return session === sessionId && (status === 'paid' || claimed != null)
  }
  const strayDone: StrayLedger['strayDone'] = async (sessionId, reason, nowMs) => {
    const known = await find(sessionId)
    if (known === null || known.done !== null) return false
    await write({ ...known, done: { atMs: nowMs, reason } })
    return true
  }

  return {
    keepStray: async ({ sessionId, ...stray }, nowMs) => {
      if (await hasBought({ sessionId, reference: stray.reference })) return 'known'
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
      const all = rows.map(([id, text]) => read(id, text)).sort((a, b) => a.keptMs - b.keptMs)
      const bought = await Promise.all(all.map(async (one) => one.done === null && (await hasBought(one))))
      return all.filter((_, at) => !bought[at])
    },

    strayKeptMs: async (sessionId) => (await find(sessionId))?.keptMs ?? null,

    strayDone,
    strayBack: (sessionId, nowMs) => strayDone(sessionId, WENT_BACK, nowMs),
  }
}
