import type { ProblemTable } from './problem.ts'

/** Classic purchases: an intent, its money on any rail, its fulfilment. */
export const CLASSIC_PROBLEMS = {
  sku_unknown: {
    status: 404,
    retryable: false,
    title: 'No such SKU is sold here',
    next: 'See /catalog for what is sold.',
  },
  intent_unknown: {
    status: 404,
    retryable: false,
    title: 'No such intent for this buyer',
    next: 'Check intentId. If you have paid, do not open another: send the same buyerId (or x-agent-id) it was opened with, none if it had none. Otherwise POST /purchase-intent.',
  },
  rail_mismatch: {
    status: 409,
    retryable: false,
    title: 'The intent was not quoted on this rail',
    next: 'Name the paymentRail the money was sent on; it must be one of payment.paymentOptions.',
  },
  underpaid: {
    status: 402,
    retryable: true,
    title: 'Less has arrived than is due',
    next: 'Send exactly what is missing, once, from the same wallet; then repeat this request until it is found, with the txHash of that transfer where discovers is false.',
  },
  intent_lapsed: {
    status: 409,
    retryable: false,
    title: 'This purchase is over',
    next: 'Open a new intent. Money that came for this one is store credit: POST /checkout/settle shows it.',
  },
  sale_over: {
    status: 409,
    retryable: false,
    title: 'No free slot for this buyer',
    next: 'The opening sale gives one report per buyerId while slots last; buy the SKU at its price.',
  },
  too_many_intents: {
    status: 429,
    retryable: true,
    title: 'Too many open intents for this buyer or address',
    next: 'Pay one of those that are open, then send the same request again after Retry-After. One that is not paid ends 45 minutes after it was opened.',
  },
} as const satisfies ProblemTable
