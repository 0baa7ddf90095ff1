import { z } from 'zod'
import { MINUTE, SECOND } from '../../ops/units.ts'
import { type CardStatus, CHECKOUT_LIFETIME_MS, UNPAID_KEPT_MS } from '../ledger/cards.ts'
import type { CardTruth } from './provider.ts'

/** Two servers of the provider's may have dated session and charge. */
const CHARGE_SLACK_MS = 5 * MINUTE

/** Unix s of an instant that a receipt can state. */
const UnixS = z.int().min(0).max(253_402_300_799)

/** What an operator is shown of a payment that bought nothing, on one line. */
const CURRENCY = /^[a-z]{3}$/i
const ID = /^[\x21-\x7e]{1,255}$/

/** The fields we rely on of a checkout session, read with its payment and charge. */
const Fields = z.object({
  status: z.string().nullable(), //        open, complete, expired
  payment_status: z.string(), //           paid, unpaid, no_payment_required
  amount_total: z.int().nullable(),
  currency: z.string().regex(CURRENCY).nullable(),
  client_reference_id: z.string().nullable(),
  created: UnixS,
  payment_intent: z
    .object({
      id: z.string().regex(ID),
      status: z.string(), //               processing, succeeded, canceled, requires_…
      latest_charge: z
        .object({
          created: UnixS,
          amount: z.int(),
          amount_refunded: z.int(),
          refunded: z.boolean(), //        in full
          disputed: z.boolean(),
        })
        .nullish(),
    })
    .nullish(),
})

/**
 * Whether a session contradicts itself: then it is no answer, whichever of its words is wrong. What is paid has been
 * charged, between the opening of the session and the time when an unpaid one is forgotten. Pure.
 */
function isContradictory({ created, payment_status: paid, payment_intent: payment }: z.infer<typeof Fields>) {
  if (paid !== 'paid' || !payment) return false
  const charge = payment.latest_charge
  if (payment.status !== 'succeeded' || !charge) return true
  const afterMs = (charge.created - created) * SECOND
  if (afterMs < -CHARGE_SLACK_MS || afterMs > CHECKOUT_LIFETIME_MS + UNPAID_KEPT_MS + CHARGE_SLACK_MS)
    return true
  return charge.refunded !== charge.amount_refunded >= charge.amount
}

export const Session = Fields.refine((session) => !isContradictory(session), 'it contradicts itself')
export type Session = z.infer<typeof Session>

/** Inquiries take no money back, and neither does a dispute that we won. */
const HARMLESS = new Set([
  'won',
  'prevented',
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
])

/** Of a payment that a bank was asked for: it said no, or was asked no longer. Only a new payment brings money then. */
const FAILED = new Set(['requires_payment_method', 'canceled'])

/** What a session, with the states of its disputes, means to us. A partial refund changes nothing. Pure. */
export function truthOf(session: Session, disputes: readonly string[]): CardTruth {
  const charge = session.payment_intent?.latest_charge
  return {
    status: statusOf(session, disputes),
    reference: session.client_reference_id,
    cents: session.amount_total,
    currency: session.currency,
    paymentId: session.payment_intent?.id ?? null,
    paidMs: (charge?.created ?? session.created) * 1_000,
  }
}

function statusOf(session: Session, disputes: readonly string[]): CardStatus {
  if (session.payment_status === 'paid') {
    const charge = session.payment_intent?.latest_charge
    const taken = disputes.some((status) => !HARMLESS.has(status))
    return charge?.refunded === true || taken ? 'refunded' : 'paid'
  }
  const hasFailed = session.status === 'complete' && FAILED.has(session.payment_intent?.status ?? '')
  return session.status === 'expired' || hasFailed ? 'expired' : 'open'
}

/**
 * Where a checkout may go from each status; anything else is outdated news. What is known and said again of money is
 * booked too: else an older truth that comes late would stand.
 */
const NEXT: Readonly<Record<CardStatus, readonly CardStatus[]>> = {
  open: ['paid', 'expired', 'refunded'],
  expired: ['paid', 'refunded'], //  a slow payment of a session that had ended here
  paid: ['paid', 'refunded'],
  refunded: ['refunded', 'paid'], // a dispute that was won
}

export const mayBecome = (from: CardStatus, to: CardStatus): boolean => NEXT[from].includes(to)

/** Why this truth is not about this checkout, or null: money is believed only for what was ordered. */
export function refuseTruth(
  { digest, cents }: { digest: string; cents: number },
  truth: CardTruth,
): 'reference_mismatch' | 'amount_mismatch' | 'currency_mismatch' | 'payment_missing' | null {
  if (truth.reference !== digest) return 'reference_mismatch'
  if (truth.cents !== cents) return 'amount_mismatch'
  if (truth.currency !== 'usd') return 'currency_mismatch'
  if (truth.status === 'paid' && truth.paymentId === null) return 'payment_missing'
  return null
}
