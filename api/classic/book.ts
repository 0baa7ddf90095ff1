import type { RailId, RailTransfer } from '../rails/rail.ts'
import { type Intent, type IntentEvent, type Note, nextState, type Quoted, type Taken } from './intent.ts'

/**
 * Takes a transfer that was found to be the intent's into its books. Pure, and the same transfer changes nothing twice:
 * money in time pays; money that is too much, too late or after the purchase is over becomes a note: store credit. So does
 * a part of the price that is found when the time is over: nothing can complete it any more.
 */
export function bookTransfer(intent: Intent, transfer: RailTransfer, nowMs: number): Intent {
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
  if (!open) return credited(intent, taken, 'late', paidBefore(intent))
  if (!inTime) return credited(intent.state === 'Underpaid' ? lapse(intent) : intent, taken, 'late', 'late')
  const booked: Intent = { ...intent, seen: null, transfers: [...intent.transfers, taken] }
  if (isCovered(booked)) {
    const surplus = surplusOf(booked, taken.rail)
    return {
      ...booked,
      state: nextState(intent.state, 'paid'),
      confirmedMs: nowMs,
      notes: surplus > 0n ? [...intent.notes, noteOf('overpaid', surplus, [taken.key])] : intent.notes,
    }
  }
  if (intent.state === 'Expired') return credited(intent, taken, 'part', 'underpaid')
  return { ...booked, state: nextState(intent.state, 'part') }
}

/** The same, of a transfer that does not pay: it is store credit. */
const credited = (intent: Intent, taken: Taken, event: IntentEvent, kind: Note['kind']): Intent => ({
  ...intent,
  seen: null,
  state: nextState(intent.state, event),
  transfers: [...intent.transfers, { ...taken, pays: false }],
  notes: [...intent.notes, noteOf(kind, microOf(intent, [taken]), [taken.key])],
})

/** Until 2026-11-23 parts of a purchase that was over could count as paying for it, and were nobody's. They are credit. */
export const withoutOrphans = (intent: Intent): Intent =>
  intent.state === 'Late' && intent.transfers.some(({ pays }) => pays) ? lapse(intent) : intent

/** The time for paying is over: what came of it, if anything, becomes store credit. */
export function lapse(intent: Intent): Intent {
  const parts = intent.transfers.filter(({ pays }) => pays)
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
  const parts = intent.transfers.filter(({ pays }) => pays)
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
  const paying = intent.transfers.filter(({ pays }) => pays)
  const surplus = intent.notes.reduce((sum, { kind, micro }) => sum + (kind === 'overpaid' ? micro : 0n), 0n)
  return microOf(intent, paying) - surplus
}

/** A rail's whole quote is all that is due; parts on several rails add up. */
function isCovered(intent: Intent): boolean {
  const paying = intent.transfers.filter(({ pays }) => pays)
  const worth = intent.quotes.reduce(
    (sum, { rail, atomic }) => sum + (sentOn(rail, paying) * intent.payableMicro) / atomic,
    0n,
  )
  return worth >= intent.payableMicro
}

/** What came on the last rail beyond what was still due there, in micro-USDC at the price. */
function surplusOf(intent: Intent, last: RailId): bigint {
  const quote = intent.quotes.find(({ rail }) => rail === last)
  if (quote === undefined) return 0n
  const paying = intent.transfers.filter(({ pays }) => pays)
  const before = intent.quotes.reduce(
    (sum, { rail, atomic }) =>
      rail === last ? sum : sum + (sentOn(rail, paying) * intent.payableMicro) / atomic,
    0n,
  )
  const due = ((intent.payableMicro - before) * quote.atomic + intent.payableMicro - 1n) / intent.payableMicro
  return ((sentOn(last, paying) - due) * intent.payableMicro) / quote.plain
}

const sentOn = (rail: RailId, transfers: readonly Pick<Taken, 'rail' | 'atomic'>[]): bigint =>
  transfers.reduce((sum, taken) => sum + (taken.rail === rail ? taken.atomic : 0n), 0n)

/** What is still to be sent on a rail, in atomic units. */
export function missingOn(intent: Intent, { rail, atomic }: Quoted): bigint {
  const sent = intent.transfers.reduce(
    (total, taken) => total + (taken.pays && taken.rail === rail ? taken.atomic : 0n),
    0n,
  )
  return atomic > sent ? atomic - sent : 0n
}

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
