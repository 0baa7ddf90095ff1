import { CHECKOUT_PROBLEMS } from './problems/checkout.ts'
import { CLAIM_PROBLEMS } from './problems/claims.ts'
import { CLASSIC_PROBLEMS } from './problems/classic.ts'
import { COMMUNITY_PROBLEMS } from './problems/community.ts'
import { ENTITLEMENT_PROBLEMS } from './problems/entitlements.ts'
import { FEED_PROBLEMS } from './problems/feed.ts'
import { PAYMENT_PROBLEMS } from './problems/payment.ts'
import { RAIL_PROBLEMS } from './problems/rails.ts'
import { REQUEST_PROBLEMS } from './problems/requests.ts'
import { SELLING_PROBLEMS } from './problems/selling.ts'

/**
 * Every way this service says no: one closed, published table (its parts are in `problems/`). No text here ever
 * contains input, an address of ours behind the edge, or a foreign error message.
 */
export const PROBLEMS = {
  ...PAYMENT_PROBLEMS,
  ...ENTITLEMENT_PROBLEMS,
  ...REQUEST_PROBLEMS,
  ...CLAIM_PROBLEMS,
  ...FEED_PROBLEMS,
  ...SELLING_PROBLEMS,
  ...CHECKOUT_PROBLEMS,
  ...COMMUNITY_PROBLEMS,
  ...RAIL_PROBLEMS,
  ...CLASSIC_PROBLEMS,
} as const

export type ProblemCode = keyof typeof PROBLEMS

/** An expected refusal, as a value. `detail` is our own words and may name a parameter, never its value. */
export type Problem = {
  problem: ProblemCode
  detail?: string
  retryAfterS?: number
  extra?: Record<string, unknown>
}

export const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'problem' in value
