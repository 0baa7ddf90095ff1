import type { ProblemTable } from './problem.ts'

/** The alpha feed. */
export const FEED_PROBLEMS = {
  feed_token_missing: {
    status: 401,
    retryable: false,
    title: 'The feed needs a token',
    next: 'Send X-Service-Feed-Token. Tokens are sold at /x402/v1/bot-fuel-day (24 hours) and /x402/v1/alpha-7d (7 days).',
  },
  feed_token_unknown: {
    status: 401,
    retryable: false,
    title: 'This feed token is not one of ours, or came in the header of the other kind',
    next: 'A token of 24 hours or 7 days goes into X-Service-Feed-Token, one of 30 days into X-Marketplace-Token; or buy a token at /x402/v1/bot-fuel-day (24 hours) or /x402/v1/alpha-7d (7 days).',
  },
  feed_token_expired: {
    status: 401,
    retryable: false,
    title: 'The feed token has expired',
    next: 'Buy a new token at /x402/v1/bot-fuel-day (24 hours) or /x402/v1/alpha-7d (7 days).',
  },
  too_many_streams: {
    status: 429,
    retryable: true,
    title: 'This token has too many streams open',
    next: 'Close one, or try again after Retry-After.',
  },
  feed_unavailable: {
    status: 503,
    retryable: true,
    title: 'The feed is being read in',
    next: 'Try again after Retry-After.',
  },
  upgrade_required: {
    status: 426,
    retryable: false,
    title: 'This path speaks WebSocket',
    next: 'Open it as a WebSocket, or read /api/v1/alpha-feed by GET.',
  },
} as const satisfies ProblemTable
