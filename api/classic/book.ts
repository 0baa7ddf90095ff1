import type { RailId, RailTransfer } from '../rails/rail.ts'
import {
  type Intent,
  type IntentEvent,
  type Note,
  nextState,
  type Quoted,
  quoteOn,
  type Taken,
} from './intent.ts'

/**
 * Takes a transfer that was found to be the intent's into its books. Pure, and the same transfer changes nothing twice:
 * money in time pays; money that is too much, too late or after the purchase is over becomes a note: store credit. So does
 * a part of the price that is found when the time is over: nothing can complete it any more.
 * @param costNow what the price costs on its rail now, in atomic units; 0n: no more than it was quoted at.
 */
export function bookTransfer(intent: Intent, transfer: RailTransfer, nowMs: number, costNow = 0n): Intent {
  if (intent.transfers.some(({ key }) => key === transfer.key)) return intent
  const inTime = firstSeenMs(intent, transfer) <= intent.graceUntilMs
  const open = intent.state !== 'Late' && intent.confirmedMs === null
  const taken: Taken = {
    key: transfer.key,
    rail: transfer.rail,
    tx: transfer.tx,
    index: transfer.index,
    from: transfer.from,
    to: transfer.to,
    atomic: transfer.atomic,
    atMs: transfer.atMs,
    pays: true,
  }
  const micro = worthOf(intent, taken, costNow)
  if (!open) return credited(intent, taken, 'late', paidBefore(intent), micro)
  if (!inTime)
    return credited(intent.state === 'Underpaid' ? lapse(intent) : intent, taken, 'late', 'late', micro)
  const booked: Intent = { ...intent, seen: null, transfers: [...intent.transfers, taken] }
  if (isCovered(booked)) {
    const surplus = worthOf(intent, { rail: taken.rail, atomic: surplusOf(booked, taken.rail) }, costNow)
    return {
      ...booked,
      state: nextState(intent.state, 'paid'),
      confirmedMs: nowMs,
      notes: surplus > 0n ? [...intent.notes, noteOf('overpaid', surplus, [taken.key])] : intent.notes,
    }
  }
  if (intent.state === 'Expired') return credited(intent, taken, 'part', 'underpaid', micro)
  return { ...booked, state: nextState(intent.state, 'part') }
}

/** The same, of a transfer that does not pay: it is store credit. */
const credited = (
  intent: Intent,
  taken: Taken,
  event: IntentEvent,
  kind: Note['kind'],
  micro: bigint,
): Intent => ({
  ...intent,
  seen: null,
  state: nextState(intent.state, event),
  transfers: [...intent.transfers, { ...taken, pays: false }],
  notes: [...intent.notes, noteOf(kind, micro, [taken.key])],
})

/**
 * Of money that buys nothing, in micro-USDC: at the price it was quoted at, or as it is now where the coin has fallen. An intent is kept
 * for long, and whoever has one chooses when, and how much, he sends for it.
 */
const worthOf = (intent: Intent, { rail, atomic }: Pick<Taken, 'rail' | 'atomic'>, costNow = 0n): bigint =>
  intent.quotes.reduce((value, { rail: quoted, plain }) => {
    const cost = plain > costNow ? plain : costNow
    return quoted === rail ? value + (atomic * intent.payableMicro) / cost : value
  }, 0n)

/** Until 2026-11-23 parts of a purchase that was over could count as paying for it, and were nobody's. They are credit. */
export const withoutOrphans = (intent: Intent): Intent =>
  intent.state === 'Late' && intent.transfers.some(({ pays }) => pays) ? lapse(intent) : intent

/** The time for paying is over: what came of it, if anything, becomes store credit. */
export function lapse(intent: Intent): Intent {
  const parts = payingOf(intent)
  const state = nextState(intent.state, 'lapsed')
  if (parts.length === 0) return { ...intent, state, seen: null }
  return {
    ...intent,
    state,
    seen: null,
    transfers: intent.transfers.map((taken) => ({ ...taken, pays: false })),
    notes: [
      ...intent.notes,
      noteOf(
        'underpaid',
        microOf(intent, parts),
        parts.map(({ key }) => key),
      ),
    ],
  }
}

/** It cannot be delivered: all it was paid with becomes store credit, once. Nothing changes where an answer is bound. */
export function refund(intent: Intent): Intent {
  if (intent.state !== 'Confirmed' || intent.claimed) return intent
  const parts = payingOf(intent)
  const state = nextState(intent.state, 'refunded')
  if (parts.length === 0) return { ...intent, state } //  paid with credit alone: the hold is released
  return {
    ...intent,
    state,
    notes: [
      ...intent.notes,
      noteOf(
        'undeliverable',
        paidMicro(intent),
        parts.map(({ key }) => key),
      ),
    ],
  }
}

/** What transfers are worth in micro-USDC at the price, rounded down once a rail. Nobody's credit profits from a tag. */
export function microOf(intent: Intent, transfers: readonly Pick<Taken, 'rail' | 'atomic'>[]): bigint {
  return intent.quotes.reduce(
    (value, { rail, plain }) => value + (sentOn(rail, transfers) * intent.payableMicro) / plain,
    0n,
  )
}

/** What has paid for this purchase, in micro-USDC: all that came for it less what was too much. */
export function paidMicro(intent: Intent): bigint {
  const paying = payingOf(intent)
  const last = paying.at(-1)
  if (last === undefined) return 0n
  return microOf(intent, paying) - worthOf(intent, { ...last, atomic: surplusOf(intent, last.rail) })
}

/** What has to come in all, in micro-USDC and as this rail asks for it: what has paid, and what is still to be sent there. */
export function dueMicro(intent: Intent, rail: RailId): bigint {
  const quote = quoteOn(intent, rail)
  if (quote === undefined) return intent.payableMicro
  const paying = payingOf(intent)
  const rest = { rail, atomic: missingOn(intent, quote) }
  return paidMicro(intent) + microOf(intent, [...paying, rest]) - microOf(intent, paying)
}

export const payingOf = ({ transfers }: Intent): Taken[] => transfers.filter(({ pays }) => pays)

/** A rail's whole quote is all that is due; parts on several rails add up, so when one is enough all are. */
const isCovered = (intent: Intent): boolean => intent.quotes.some((quote) => missingOn(intent, quote) === 0n)

/** What came on the last rail beyond what was still due there, in atomic units. */
function surplusOf(intent: Intent, last: RailId): bigint {
  const quote = quoteOn(intent, last)
  if (quote === undefined) return 0n
  const surplus = sentOn(last, payingOf(intent)) - dueOn(intent, quote)
  return surplus > 0n ? surplus : 0n
}

/** What is still to be sent on a rail, in atomic units. */
export function missingOn(intent: Intent, quote: Quoted): bigint {
  const missing = dueOn(intent, quote) - sentOn(quote.rail, payingOf(intent))
  return missing > 0n ? missing : 0n
}

/** What has to come on a rail beside all that came on others, in atomic units. */
function dueOn(intent: Intent, { rail, atomic }: Quoted): bigint {
  const paying = payingOf(intent)
  const elsewhere = intent.quotes.reduce(
    (sum, other) =>
      other.rail === rail ? sum : sum + (sentOn(other.rail, paying) * intent.payableMicro) / other.atomic,
    0n,
  )
  return ((intent.payableMicro - elsewhere) * atomic + intent.payableMicro - 1n) / intent.payableMicro
}

const sentOn = (rail: RailId, transfers: readonly Pick<Taken, 'rail' | 'atomic'>[]): bigint =>
  transfers.reduce((sum, taken) => sum + (taken.rail === rail ? taken.atomic : 0n), 0n)

const firstSeenMs = ({ seen }: Intent, { key, atMs }: RailTransfer): number =>
  seen?.key === key ? Math.min(seen.atMs, atMs) : atMs

const paidBefore = (intent: Intent): Note['kind'] => (intent.state === 'Late' ? 'late' : 'paid_twice')

const noteOf = (kind: Note['kind'], micro: bigint, transfers: string[]): Note => ({
  kind,
  lot: `${kind}:${transfers.join(',')}`,
  micro,
  transfers,
  deposited: false,
  to: null,
  goneMs: null,
  revoked: false,
})
