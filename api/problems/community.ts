import type { ProblemTable } from './problem.ts'

/** Feedback, patrons, reminders, and how often one may ask. */
export const COMMUNITY_PROBLEMS = {
  rate_limited: {
    status: 429,
    retryable: true,
    title: 'Too many requests from this address',
    next: 'Send the same again after Retry-After: a payment too, it is not looked at before.',
  },
  consent_missing: {
    status: 400,
    retryable: false,
    title: 'Nothing is kept without consent',
    next: 'Send consent: true in the body; see /feedback-intake for what is kept and for how long.',
  },
  kept_unknown: {
    status: 404,
    retryable: false,
    title: 'Nothing is kept under this id and token',
    next: 'It was deleted, its time is over, or the token is another one.',
  },
  shelf_full: {
    status: 503,
    retryable: true,
    title: 'No more of these are kept now',
    next: 'Try again later.',
  },
} as const satisfies ProblemTable
