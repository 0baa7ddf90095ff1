import type { ProblemTable } from './problem.ts'

/** Feedback, patrons, reminders, and how often one may ask. */
export const COMMUNITY_PROBLEMS = {
  rate_limited: {
    status: 429,
    retryable: true,
    title: 'Too many requests from this address',
    next: 'Send the same request again after Retry-After, with the same payment if it carries one: this one was not looked at.',
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
    next: 'It was deleted, it has expired, or the token is a different one.',
  },
  shelf_full: {
    status: 503,
    retryable: true,
    title: 'No more of these can be kept now',
    next: 'Try again later.',
  },
} as const satisfies ProblemTable
