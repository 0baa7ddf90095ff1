import { DAY, HOUR, MINUTE, SECOND } from '../../ops/units.ts'

/** For so long the intent of a 402 is to be paid. */
export const LEGACY_INTENT_MS = 15 * MINUTE
/** A transfer that was sent in time may be mined or reported late. */
export const LATE_GRACE_MS = 1 * HOUR
/** Block time may run behind our clock; a transfer made before the intent is somebody's other payment. */
export const CLOCK_SLACK_MS = 15 * SECOND

/**
 * How long somebody else may say that a transfer is his, where its sender has not signed for whom it is. Amounts repeat
 * and hashes are public: with intents enough anybody has one that fits (CLS-03, CLS-04). What is dearer, or can be spent
 * later, is worth more patience than a cheap look at this moment.
 */
export const OBJECTION_MS = { cheap: 1 * MINUTE, other: 10 * MINUTE } as const
/** What is older is had with a signature only: who has shown it may be forgotten. */
export const UNSIGNED_FOR_MS = 30 * DAY
export const CHEAP_MICRO_USDC = 50_000n
