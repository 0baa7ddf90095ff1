/**
 * How a command can end. The exit code tells a script what to do next, so each has one meaning; the help
 * text and the reports are derived from this table.
 */
export const OUTCOMES = {
  bought: { exitCode: 0, means: 'bought, and the receipt verifies' },
  done: { exitCode: 0, means: 'or done, where nothing was to be bought' },
  usage: { exitCode: 2, means: 'wrong usage, or no sandbox or key to pay with; nothing was sent' },
  refused: {
    exitCode: 3,
    means: 'refused without a charge (bad parameter, stale data, a spending limit)',
  },
  payment_refused: {
    exitCode: 4,
    means: 'the service refused the payment; it counts against the limits until it cannot be taken any more',
  },
  unknown: { exitCode: 5, means: 'paid, but the outcome is unknown; go on with --resume, never pay anew' },
  unverified: { exitCode: 6, means: 'the receipt does not verify, or there is none (paid and answered)' },
  unreachable: { exitCode: 7, means: 'the service cannot be reached; no payment was sent' },
  used_up: {
    exitCode: 8,
    means: 'the pass, credit or feed token is missing, used up or expired; nothing was charged',
  },
  failed: { exitCode: 1, means: 'a fault of this program or of the disk; no payment was sent' },
  interrupted: { exitCode: 130, means: 'stopped by Ctrl-C before a payment was sent' },
} as const

/** Stopped while nothing was under way. */
export const INTERRUPTED = { outcome: 'interrupted', message: 'stopped; no payment is under way' } as const

export type Outcome = keyof typeof OUTCOMES
export type BadOutcome = Exclude<Outcome, 'bought' | 'done'>

/** The command ends here: with which outcome, why, and what the buyer can do. */
export class PurchaseEnd extends Error {
  readonly outcome: BadOutcome
  constructor(outcome: BadOutcome, message: string) {
    super(message)
    this.name = 'PurchaseEnd'
    this.outcome = outcome
  }
}
