import type { ProblemTable } from './problem.ts'

/** We cannot sell now: nothing was charged. */
export const SELLING_PROBLEMS = {
  stale_data: {
    status: 503,
    retryable: true,
    title: 'The market data is too old to sell',
    next: 'Try again after Retry-After; nothing was charged.',
  },
  no_data: {
    status: 503,
    retryable: true,
    title: 'There is no data to sell yet',
    next: 'Try again after Retry-After; nothing was charged.',
  },
  not_enough_data: {
    status: 503,
    retryable: true,
    title: 'Too few rows qualify now to fill what is sold here',
    next: 'Try again after Retry-After; nothing was charged.',
  },
  resolver_unavailable: {
    status: 503,
    retryable: true,
    title: 'No DNS resolver gave an answer',
    next: 'Try again after Retry-After; nothing was charged.',
  },
  utility_timeout: {
    status: 503,
    retryable: true,
    title: 'The text took too long to work through',
    next: 'Try again after Retry-After, or send less text; nothing was charged.',
  },
  busy: {
    status: 503,
    retryable: true,
    title: 'Too many requests of this kind are in progress',
    next: 'Try again after Retry-After; nothing was charged.',
  },
  ledger_unavailable: {
    status: 503,
    retryable: true,
    title: 'The ledger does not answer',
    next: 'Send the same request with the same payment again after Retry-After.',
  },
  ledger_full: {
    status: 503,
    retryable: true,
    title: 'There is no room for new purchases',
    next: 'Try again after Retry-After, with the same payment if it carries one; nothing was charged.',
  },
  chain_unavailable: {
    status: 503,
    retryable: true,
    title: 'The chain does not answer',
    next: 'Send the same request with the same payment again after Retry-After.',
  },
  facilitator_unavailable: {
    status: 503,
    retryable: true,
    title: 'The facilitator does not answer',
    next: 'Send the same request with the same payment again after Retry-After.',
  },
  restarting: {
    status: 503,
    retryable: true,
    title: 'This server is about to restart',
    next: 'Send the same request again after Retry-After, with the same payment if it carries one; a payment is never taken twice.',
  },
  undeliverable: {
    status: 422,
    retryable: false,
    title: 'The answer to this input cannot be put into a signed receipt',
    next: 'Change the input (unpaired surrogates and numbers beyond the range of JSON cannot be signed); this request charged nothing.',
  },
  internal: {
    status: 500,
    retryable: true,
    title: 'Something broke on our side',
    next: 'Send the same request with the same payment again; a payment is never taken twice.',
  },
} as const satisfies ProblemTable
