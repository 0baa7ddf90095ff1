import type { ProblemTable } from './problem.ts'

/** The other ways to pay: what a rail cannot do now, or never. Nothing was charged. */
export const RAIL_PROBLEMS = {
  price_unavailable: {
    status: 503,
    retryable: true,
    title: 'There is no agreed, fresh price for this asset',
    next: 'Pay by a USDC or USDT rail, or try again after Retry-After; nothing was charged.',
  },
  rail_unavailable: {
    status: 503,
    retryable: true,
    title: 'This payment rail is not in service',
    next: 'Choose another rail from /payment-rails; nothing was charged.',
  },
  amount_too_small: {
    status: 422,
    retryable: false,
    title: 'The amount is too small for this payment rail',
    next: 'Choose another rail from /payment-rails; nothing was charged.',
  },
} as const satisfies ProblemTable
