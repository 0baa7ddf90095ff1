import type { ProblemTable } from './problem.ts'

/** Passes, permits and store credit that pay for nothing. */
export const ENTITLEMENT_PROBLEMS = {
  pass_unknown: {
    status: 402,
    retryable: false,
    title: 'This pass is not one of ours',
    next: 'Check the token in X-Service-Pass, buy a pass at /x402/v1/hour-pass, or pay for this call.',
  },
  pass_expired: {
    status: 402,
    retryable: false,
    title: 'The pass has expired',
    next: 'Buy a new pass at /x402/v1/hour-pass, or pay for this call.',
  },
  pass_revoked: {
    status: 402,
    retryable: false,
    title: 'The payment of this pass is no longer on its chain',
    next: 'The pass works again within its hour, by itself, once that payment is back; or pay for this call.',
  },
  pass_used_up: {
    status: 402,
    retryable: false,
    title: 'All calls of the pass are used',
    next: 'Buy a new pass at /x402/v1/hour-pass, or pay for this call.',
  },
  pass_not_covering: {
    status: 402,
    retryable: false,
    title: 'The pass does not cover this',
    next: 'Pay for it; the call did not count against the pass.',
  },
  permit_missing: {
    status: 401,
    retryable: false,
    title: 'A permit is needed here',
    next: 'Send it as X-Service-Permit; permits are sold at /x402/v1/tor-call.',
  },
  permit_refused: {
    status: 409,
    retryable: false,
    title: 'This permit redeems nothing',
    next: 'It is not one of ours, has expired, was redeemed, or its payment is no longer on its chain (then it works again once that is back). Permits are sold at /x402/v1/tor-call. To ask again for a lost reply send the same Idempotency-Key.',
  },
  credit_refused: {
    status: 402,
    retryable: false,
    title: 'No credit can be spent with this agent id and secret',
    next: 'Check x-agent-id, X-Service-Credit-Auth (16 to 256 visible ASCII characters) and, on the first spend, X-Service-Claim-Code; or pay for this call.',
  },
  credit_short: {
    status: 402,
    retryable: false,
    title: 'The store credit does not cover this',
    next: 'Buy credit at /x402/v1/credits-2, -5 or -10, or pay for this call; nothing was debited.',
  },
  credit_not_covering: {
    status: 402,
    retryable: false,
    title: 'Store credit does not buy store credit',
    next: 'Pay for it; nothing was debited.',
  },
  credit_frozen: {
    status: 409,
    retryable: false,
    title: 'This account owes credit whose payment is no longer on its chain',
    next: 'It can be used again once that payment is back. Buy credit for another x-agent-id, or pay for this call; nothing was charged.',
  },
  credit_auth_mismatch: {
    status: 409,
    retryable: false,
    title: 'This agent id is locked with another credit secret',
    next: 'Use the secret it was first used with, or another x-agent-id; nothing was charged.',
  },
} as const satisfies ProblemTable
