import { MINUTE, SECOND } from '../../ops/units.ts'

/** A published rate limit: `burst` calls at once, then `perS` a second. Each process counts by itself, in memory. */
export type Limit = {
  name: string //     in RateLimit and RateLimit-Policy
  covers: string //   which calls, in the words that are published
  burst: number
  perS: number
  byAgent?: true //   one x-agent-id at this address gets half of it, so that agents behind one address leave room for others
  whenBusy?: true //  callers are distinguished only while all of them together make more than perS of such calls
  payers?: 'pass' //  a call that carries a payment is counted, and never refused
}

const aMinute = (calls: number) => ({ burst: calls, perS: calls / (MINUTE / SECOND) })

/**
 * Every limit of the public API, by address of the caller (addresses in one IPv6 /64 count as one). Valid payments are
 * not limited, but refused ones are; what costs us more than memory is limited most.
 * @param freePerS FREE_RATE_PER_S
 */
export const rateLimitsOf = (freePerS: number) =>
  ({
    free: {
      name: 'free',
      covers: 'documents, pages, free samples, feeds, receipts and whatever has no limit of its own here',
      burst: freePerS,
      perS: freePerS,
      byAgent: true,
      whenBusy: true,
    },
    unpaid: {
      name: 'unpaid',
      covers: 'GET /x402/v1/… without a payment',
      burst: freePerS,
      perS: freePerS,
      byAgent: true,
      whenBusy: true,
      payers: 'pass',
    },
    ...RATE_LIMITS,
  }) as const satisfies Record<string, Limit>

/** The limits that no configuration changes. */
export const RATE_LIMITS = {
  refused: {
    name: 'refused',
    covers: 'payments that were refused: beyond it the next one from the address waits, not looked at',
    burst: 1_000,
    perS: 50,
  },
  checks: {
    name: 'checks',
    covers: 'checks of receipts, permits and unlock keys, and POST /a2a/message:send',
    burst: 1_000,
    perS: 100,
    byAgent: true,
  },
  mcp: { name: 'mcp', covers: 'POST /mcp without a payment', burst: 1_000, perS: 100 },
  openings: { name: 'openings', covers: 'POST /purchase-intent and /quote', burst: 60, perS: 5 },
  looks: { name: 'looks', covers: 'POST /fulfill and /checkout/settle', burst: 200, perS: 20 },
  checkouts: { name: 'checkouts', covers: 'POST /cardpay/checkout', ...aMinute(60) },
  polls: { name: 'polls', covers: 'GET /cardpay/checkout-status', ...aMinute(600) },
  sandbox: { name: 'sandbox', covers: 'POST /sandbox/sign, which only a sandbox has', ...aMinute(60) },
  kept: { name: 'kept', covers: 'POST /feedback, /patron and /checkout/reminders', ...aMinute(20) },
  community: { name: 'community', covers: 'GET of the same, and of /referrals/me', ...aMinute(240) },
} as const satisfies Record<string, Limit>
