/**
 * How a purchase can end. The exit code tells a script what to do next, so each has one meaning; the help
 * text and the reports are derived from this table.
 */
export const OUTCOMES = {
  bought: { exitCode: 0, means: 'bought; the receipt verifies' },
  usage: { exitCode: 2, means: 'wrong usage, or no sandbox or key to pay with; nothing was sent' },
  refused: {
    exitCode: 3,
    means: 'refused without a charge (bad parameter, stale data, price above --max-usdc)',
  },
  payment_refused: { exitCode: 4, means: 'the payment was refused; nothing was taken by this payment' },
  unknown: { exitCode: 5, means: 'paid, but the outcome is unknown; go on with --resume, never pay anew' },
  unverified: { exitCode: 6, means: 'paid and answered, but the receipt does not verify' },
  unreachable: { exitCode: 7, means: 'the service cannot be reached; no payment was sent' },
} as const

export type Outcome = keyof typeof OUTCOMES

/** The purchase ends here: with which outcome, why, and what the buyer can do. */
export class PurchaseEnd extends Error {
  readonly outcome: Exclude<Outcome, 'bought'>
  constructor(outcome: Exclude<Outcome, 'bought'>, message: string) {
    super(message)
    this.name = 'PurchaseEnd'
    this.outcome = outcome
  }
}
