import { SECOND } from '../units.ts'

/** One exchange with the service, once it is over. */
export type Attempt =
  | { kind: 'answered'; status: number; code: string | null; retryAfterMs: number | null }
  | { kind: 'lost'; reason: string; mayHaveArrived: boolean } // no connection, cut, or no answer in time

export type Next = { act: 'take' } | { act: 'resend'; afterMs: number } | { act: 'give_up' }

const MAX_RESENDS = 60
const MIN_WAIT_MS = 50 //  also after `Retry-After: 0`
const FIRST_BACKOFF_MS = 250
const MAX_BACKOFF_MS = 5 * SECOND
const RESEND_STATUS = new Set([425, 429, 500, 502, 503, 504])

/** Whether an answer to a payment is none yet; 409 only when it says when to come back. */
const saysNotNow = ({ status, retryAfterMs }: Extract<Attempt, { kind: 'answered' }>): boolean =>
  RESEND_STATUS.has(status) || (status === 409 && retryAfterMs !== null)

/**
 * What to do after the same payment was sent for the `sent`-th time. A new payment is never the answer: it
 * is either taken as it is, or the very same payment goes out again, or we stop and keep it for later.
 * @param leftMs time left of what the buyer allowed.
 */
export function nextStep(attempt: Attempt, sent: number, leftMs: number): Next {
  if (attempt.kind === 'answered' && !saysNotNow(attempt)) return { act: 'take' }
  const wanted = attempt.kind === 'answered' ? attempt.retryAfterMs : null
  const afterMs =
    wanted !== null
      ? Math.max(MIN_WAIT_MS, wanted)
      : Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (sent - 1))
  return sent > MAX_RESENDS || afterMs >= leftMs ? { act: 'give_up' } : { act: 'resend', afterMs }
}

/**
 * Refusals that say explicitly that nothing was charged. Not `busy`: the service also says that before it has checked
 * whether the payment was taken by then.
 */
const NOT_CHARGED = new Set([
  'stale_data',
  'no_data',
  'not_enough_data',
  'resolver_unavailable',
  'utility_timeout',
])
/** Refusals that say that the money has arrived, and that one more signature of its payer makes it count. */
const UNPROVEN = new Set(['payer_unproven', 'refund_unproven'])

/** How the purchase ended when the last answer was not a good one. */
export function endOf(
  last: Attempt,
  everArrived: boolean,
): 'refused' | 'payment_refused' | 'unknown' | 'unreachable' {
  if (last.kind === 'lost') return everArrived ? 'unknown' : 'unreachable'
  const { status, code } = last
  if (code !== null && NOT_CHARGED.has(code)) return 'refused'
  if (code !== null && UNPROVEN.has(code)) return 'unknown'
  if (saysNotNow(last)) return 'unknown'
  if (status === 402 || status === 409 || status === 410) return 'payment_refused'
  return 'refused'
}
