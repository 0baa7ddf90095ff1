import { z } from 'zod'
import { usdcNumber } from '../../ops/units.ts'
import { accountDigest, accountOf } from '../entitlements/credit.ts'
import type { Problem } from '../errors.ts'
import type { HttpRequest, Reply } from '../http/exchange.ts'
import { parseQuery } from '../http/query.ts'
import { jsonReply, NO_STORE } from '../http/respond.ts'
import { REFERRAL_SHARE_BPS } from '../ledger/cards.ts'
import type { ReferralLedger } from '../ledger/referrals.ts'

export const REFERRALS_PATH = '/referrals/me'
export const REFERRAL_SHARE_PCT = Number(REFERRAL_SHARE_BPS) / 100

/** Answer of GET /referrals/me. A sale counts once it is paid, and no longer when its money goes back. */
export const Referrals = z.object({
  ok: z.literal(true),
  mode: z.string(), //           what a sandbox books is no money
  code: z.string(), //           your stable id; sent as referralCode to POST /purchase-intent or /cardpay/checkout
  sharePct: z.number(), //       of what a referred buyer paid
  settledSales: z.int().nonnegative(),
  earningsUsdc: z.number().nonnegative(), // paid out or not
  paidOutUsdc: z.number().nonnegative(),
  payout: z.string(),
})

/** An unknown code has earned nothing, and looks like one that has not sold yet. */
export const referralsOf = (referrals: Pick<ReferralLedger, 'earnings'>, mode: string) =>
  async function show(request: HttpRequest): Promise<Reply | Problem> {
    const code = parseQuery(request.rawQuery)?.get('code') ?? ''
    const account = accountOf(code)
    if (account === null)
      return {
        problem: 'invalid_parameter',
        detail: 'code: your stable id, 1 to 128 visible ASCII characters.',
      }
    const { sales, earnedMicro, paidOutMicro } = await referrals.earnings(accountDigest(account))
    return jsonReply(
      200,
      {
        ok: true,
        mode,
        code: account,
        sharePct: REFERRAL_SHARE_PCT,
        settledSales: sales,
        earningsUsdc: usdcNumber(earnedMicro),
        paidOutUsdc: usdcNumber(paidOutMicro),
        payout: 'Booked here; paid out by the operator on request.',
      } satisfies z.infer<typeof Referrals>,
      [NO_STORE],
    )
  }
