import type { Redis } from 'ioredis'
import { z } from 'zod'
import { JsonText } from '../../ops/jsonText.ts'
import { KEYS } from './keys.ts'
import { PAID_KEPT_MS } from './redis.ts'
import { guarded, scriptsOn } from './scripts.ts'

/** What a referral code has brought. `owedMicro`: earned and not paid out; 0 if more was paid out than is left. */
export type Earnings = { sales: number; earnedMicro: bigint; paidOutMicro: bigint; owedMicro: bigint }

const PaidOut = z.object({
  code: z.string(), //  digest of the referral code
  amountMicroUsdc: z.string(),
  reason: z.string(),
  atMs: z.number(),
})
export type PaidOut = z.infer<typeof PaidOut> & { operation: string }

/** @property operation the operator's name for it: repeated under the same name, it books nothing more. */
export type Payout = { operation: string; code: string; micro: bigint; reason: string }

/**
 * Earnings of referral codes, which are named here by their digest. Sales book them (cards.ts, intents.ts). What is owed
 * is kept until it is paid out; an account that is owed nothing is forgotten PAID_KEPT_MS after its last change.
 */
export type ReferralLedger = {
  earnings(code: string): Promise<Earnings>
  /** One atomic step; 'short': less is owed, and nothing was booked. */
  payOut(payout: Payout, nowMs: number): Promise<'booked' | 'again' | 'other' | 'short'>
  /** Oldest first. */
  paidOut(): Promise<PaidOut[]>
}

export function createReferralLedger(redis: Redis): ReferralLedger {
  const run = scriptsOn(redis)
  return {
    earnings: async (code) => {
      const [sales, earned, paid] = await guarded(redis.hmget(KEYS.referral(code), 'sales', 'earned', 'paid'))
      const [earnedMicro, paidOutMicro] = [BigInt(earned ?? 0), BigInt(paid ?? 0)]
      const owedMicro = earnedMicro > paidOutMicro ? earnedMicro - paidOutMicro : 0n
      return { sales: Number(sales ?? 0), earnedMicro, paidOutMicro, owedMicro }
    },

    payOut: ({ operation, code, micro, reason }, nowMs) => {
      const amountMicroUsdc = micro.toString()
      const kept: z.infer<typeof PaidOut> = { code, amountMicroUsdc, reason, atMs: nowMs }
      return run(
        'referralPayout',
        [KEYS.referral(code), KEYS.payouts],
        [amountMicroUsdc, operation, code, JSON.stringify(kept), PAID_KEPT_MS],
      )
    },

    paidOut: async () =>
      Object.entries(await guarded(redis.hgetall(KEYS.payouts)))
        .map(([operation, text]) => ({ operation, ...JsonText.pipe(PaidOut).parse(text) }))
        .sort((a, b) => a.atMs - b.atMs),
  }
}
