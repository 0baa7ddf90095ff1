import type { Redis } from 'ioredis'
import { z } from 'zod'
import { JsonText } from '../../ops/jsonText.ts'
import { BY_HAND } from './byHand.ts'
import { KEYS } from './keys.ts'
import { brokenOrThrow, guarded, writeOn } from './scripts.ts'

/** Why a payment by card bought nothing here. */
export const STRAY_REASONS = [
  'checkout_unknown', //   no checkout of ours, or none that the ledger still knows
  'reference_mismatch', // its session is another checkout's
  'amount_mismatch',
  'currency_mismatch',
  'payment_missing', //    paid, and the provider names no payment
] as const
export type StrayReason = (typeof STRAY_REASONS)[number]

const Done = z.object({ atMs: z.number(), reason: z.string() })
const Kept = z.object({
  why: z.enum(STRAY_REASONS),
  reference: z.string(), //             digest of the checkout, as the provider has it
  paymentId: z.string().nullable(), //  the provider's id, by which a person finds it
  cents: z.number().nullable(),
  currency: z.string().nullable(),
  sku: z.string(), //                   '' where the checkout is unknown
  keptMs: z.number(),
  done: Done.nullable(), // an operator saw to it, or the money is back
  gone: z.object({ was: Done.nullable() }).optional(), // credit was granted, and the money left after that; done before
})
/** @property sessionId the provider's session, which identifies the stray. */
export type Stray = z.infer<typeof Kept> & { sessionId: string }
export type NewStray = Omit<Stray, 'keptMs' | 'done' | 'gone'>

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
  /**
   * Its money went back: it is closed, unless credit was granted for it: then it is opened, once ('credited').
   * 'known': nothing changes.
   */
  strayBack(sessionId: string, nowMs: number): Promise<'closed' | 'credited' | 'known'>
  /** The money that had gone back after credit was granted is here again: as before. @returns false: nothing changes. */
  strayReturned(sessionId: string): Promise<boolean>
}

export function createStrayLedger(redis: Redis): StrayLedger {
  const put = writeOn(redis)
  const read = (sessionId: string, text: string): Stray => ({ sessionId, ...JsonText.pipe(Kept).parse(text) })
  const find = async (sessionId: string): Promise<Stray | null> => {
    const text = await guarded(redis.hget(KEYS.strays, sessionId))
    return text === null ? null : read(sessionId, text)
  }
  const write = ({ sessionId, ...kept }: Stray) => put('HSET', KEYS.strays, sessionId, JSON.stringify(kept))
  const ownerOf = async (sessionId: string): Promise<string | null> => {
    const [owner] = await guarded(redis.mget(KEYS.spent(cardMoney(sessionId)))) //  null also where it is no text
    return owner ?? null
  }
  /** The version before wrote no registry row of what it sold: its checkout says so. */
  const hasBought = async ({ sessionId, reference }: Pick<Stray, 'sessionId' | 'reference'>) => {
    const owner = await ownerOf(sessionId)
    if (owner !== null) return !owner.startsWith(BY_HAND)
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
      return (await put('HSETNX', KEYS.strays, sessionId, text)) === 1 ? 'kept' : 'known'
    },

    strays: async () => {
      const rows = Object.entries(await guarded(redis.hgetall(KEYS.strays)))
      const all = rows.map(([id, text]) => read(id, text)).sort((a, b) => a.keptMs - b.keptMs)
      const bought = await Promise.all(all.map(async (one) => one.done === null && (await hasBought(one))))
      return all.filter((_, at) => !bought[at])
    },

    strayKeptMs: async (sessionId) => (await find(sessionId))?.keptMs ?? null,

    strayDone,

    strayBack: async (sessionId, nowMs) => {
      const known = await find(sessionId)
      if (known === null || known.gone !== undefined) return 'known'
      if (!(await ownerOf(sessionId))?.startsWith(BY_HAND))
        return (await strayDone(sessionId, WENT_BACK, nowMs)) ? 'closed' : 'known'
      await write({ ...known, done: null, gone: { was: known.done } })
      return 'credited'
    },

    strayReturned: async (sessionId) => {
      const known = await find(sessionId)
      if (known?.gone === undefined) return false
      const { gone, ...kept } = known
      await write({ ...kept, done: gone.was })
      return true
    },
  }
}
