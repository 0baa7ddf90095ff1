import type { ProblemTable } from './problem.ts'

/** Where tokens are sold: those of 30 days on no path that is paid by GET. */
const SOLD =
  '/x402/v1/bot-fuel-day (24 hours) or /x402/v1/alpha-7d (7 days), or SKU_SIGNAL_FEED_29 (30 days) by POST /purchase-intent.'

/** The alpha feed. */
export const FEED_PROBLEMS = {
  feed_token_missing: {
    status: 401,
    retryable: false,
    title: 'The feed needs a token',
    next: `Send X-Service-Feed-Token, or X-Marketplace-Token with a 30-day token. Buy a token at ${SOLD}`,
  },
  feed_token_unknown: {
    status: 401,
    retryable: false,
    title: 'This feed token is not one of ours, or came in the header for the other kind',
    next: `A token of 24 hours or 7 days goes into X-Service-Feed-Token, one of 30 days into X-Marketplace-Token; or buy a token at ${SOLD}`,
  },
  feed_token_expired: {
    status: 401,
    retryable: false,
    title: 'The feed token has expired',
    next: `Buy a new token at ${SOLD}`,
  },
  feed_token_revoked: {
    status: 401,
    retryable: false,
    title: 'The payment of this feed token is no longer on its chain, or was given back',
    next: `The token works again, by itself, once that payment is back. If the money was given back to you, buy a new token at ${SOLD}`,
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
    title: 'The feed is still being loaded',
    next: 'Try again after Retry-After.',
  },
  upgrade_required: {
    status: 426,
    retryable: false,
    title: 'This path speaks WebSocket',
    next: 'Open it as a WebSocket, or read /api/v1/alpha-feed by GET.',
  },
} as const satisfies ProblemTable
