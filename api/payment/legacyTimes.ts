import { DAY, HOUR, MINUTE, SECOND } from '../../ops/units.ts'

/** How long the intent of a 402 may be paid. */
export const LEGACY_INTENT_MS = 15 * MINUTE
/** A transfer that was sent in time may be mined or reported late. */
export const LATE_GRACE_MS = 1 * HOUR
/** Block time may run behind our clock; a transfer made earlier than this before the intent paid for something else. */
export const CLOCK_SLACK_MS = 15 * SECOND

/**
 * How long others may object that a transfer is theirs, if its sender has not signed for the intent. Amounts repeat and
 * hashes are public: with enough intents anybody has one that fits (CLS-03, CLS-04). A dearer purchase, or one that can
 * be spent later, is worth more patience than a cheap look at the present moment.
 */
export const OBJECTION_MS = { cheap: 1 * MINUTE, other: 10 * MINUTE } as const
/** An older transfer is answered with a signature only: earlier contenders for it may be forgotten. */
export const UNSIGNED_FOR_MS = 30 * DAY
export const CHEAP_MICRO_USDC = 50_000n
