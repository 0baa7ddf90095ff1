import type { ProblemTable } from './problem.ts'

/** Card checkout. */
export const CHECKOUT_PROBLEMS = {
  not_sold_by_card: {
    status: 400,
    retryable: false,
    title: 'This SKU is not sold by card',
    next: 'See stripeEnabled in /catalog; everything else is paid from a wallet.',
  },
  card_checkout_off: {
    status: 503,
    retryable: false,
    title: 'Card checkout is not set up here',
    next: 'Pay from a wallet: POST /purchase-intent.',
  },
  card_provider_unavailable: {
    status: 503,
    retryable: true,
    title: 'The card provider does not answer',
    next: 'Send the same request again after Retry-After. A payment that was made is not lost.',
  },
  too_many_checkouts: {
    status: 429,
    retryable: true,
    title: 'Too many open checkouts from this address',
    next: 'Pay one of those that are open, then send the same request again after Retry-After; one that is not paid ends an hour after it was opened. Or pay from a wallet: POST /purchase-intent.',
  },
  checkout_unknown: {
    status: 404,
    retryable: false,
    title: 'No such checkout',
    next: 'Send checkout_id as POST /cardpay/checkout returned it, with the same x-agent-id (the buyerId it was opened with) or with none. Unpaid checkouts are forgotten after a month.',
  },
  webhook_refused: {
    status: 400,
    retryable: false,
    title: 'This event is not signed by the card provider, or is too old',
    next: 'Send it again with a fresh signature over the raw body.',
  },
} as const satisfies ProblemTable
