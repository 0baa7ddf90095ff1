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
 * Books a transfer that was attributed to the intent. Pure, and the same transfer changes nothing twice: money in time
 * pays; money that is too much, too late or after the purchase is over becomes a note: store credit. So does a part of
 * the price that is found when the time is over: nothing can complete it any more.
 * @param costNow what the price costs on its rail now, in atomic units; 0n: no more than it was quoted at.
 * @param gone keys of transfers that paid and have left their chain: before the claim this one can take their place, and
 *   when the time is over nothing is given for them before they are back.
 */
export function bookTransfer(
  intent: Intent,
  transfer: RailTransfer,
  nowMs: number,
  costNow = 0n,
  gone = NOTHING_GONE,
): Intent {
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
  if (isUnclaimed(intent) && inTime) {
    const left = withoutGone(intent, gone, nowMs)
    const booked: Intent = { ...left, transfers: [...left.transfers, taken] }
    if (left !== intent && isCovered(booked)) return paidWith(taken, booked, left, nowMs, costNow)
  }
  if (!open) return credited(intent, taken, 'late', paidBefore(intent), micro)
  if (!inTime)
    return credited(
      intent.state === 'Underpaid' ? lapse(intent, gone, nowMs) : intent,
      taken,
      'late',
      'late',
      micro,
    )
  const booked: Intent = { ...intent, seen: null, transfers: [...intent.transfers, taken] }
  if (isCovered(booked)) return paidWith(taken, booked, intent, nowMs, costNow)
  if (intent.state === 'Expired') return credited(intent, taken, 'part', 'underpaid', micro)
  return { ...booked, state: nextState(intent.state, 'part') }
}

/** The purchase with all of its money; what is too much of the last transfer becomes store credit. */
function paidWith(
  { key, rail }: Taken,
  booked: Intent,
  before: Intent,
  nowMs: number,
  costNow: bigint,
): Intent {
  const surplus = surplusOf(booked, rail, costNow)
  return {
    ...booked,
    state: nextState(before.state, 'paid'),
    confirmedMs: nowMs,
    failedMs: null,
    notes: surplus > 0n ? [...before.notes, noteOf('overpaid', surplus, [key])] : before.notes,
  }
}

/** It has its money, and nothing is bound to it yet. */
export const isUnclaimed = ({ state, claimed }: Intent): boolean => state === 'Confirmed' && !claimed

/**
 * Money that has left pays no more: it becomes store credit if it returns. No change if a part that stays was more than
 * was missing: that is credit already, and would be counted again.
 */
function withoutGone(intent: Intent, gone: ReadonlySet<string>, nowMs: number): Intent {
  const paying = payingOf(intent)
  const lost = paying.filter(({ key }) => gone.has(key))
  const surplus = intent.notes.flatMap(({ kind, transfers }) => (kind === 'overpaid' ? transfers : []))
  const isCreditedToo = paying.some(({ key }) => !gone.has(key) && surplus.includes(key))
  if (lost.length === 0 || isCreditedToo) return intent
  return {
    ...intent,
    transfers: intent.transfers.map((taken) => (lost.includes(taken) ? { ...taken, pays: false } : taken)),
    notes: [...intent.notes, ...notesOf('paid_twice', lost, (some) => paidBy(intent, some), gone, nowMs)],
  }
}

/** Books a transfer that does not pay: it becomes store credit. */
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
 * The worth of money that buys nothing, in micro-USDC: at the quoted price, or at the current one if the coin has
 * fallen. An intent is kept for long, and its holder chooses when to send how much for it.
 */
const worthOf = (intent: Intent, { rail, atomic }: Pick<Taken, 'rail' | 'atomic'>, costNow = 0n): bigint =>
  intent.quotes.reduce(
    (value, quote) =>
      quote.rail === rail ? value + (atomic * intent.payableMicro) / costOf(quote, costNow) : value,
    0n,
  )

const costOf = ({ plain }: Quoted, costNow: bigint): bigint => (plain > costNow ? plain : costNow)

/** Until 2026-11-23 parts paid for a purchase that was over could count as paying and were lost. They become credit. */
export const withoutOrphans = (intent: Intent): Intent =>
  intent.state === 'Late' && intent.transfers.some(({ pays }) => pays) ? lapse(intent) : intent

export const NOTHING_GONE: ReadonlySet<string> = new Set()

/**
 * The time for paying is over: parts that came, if any, become store credit.
 * @param gone keys of parts that have left their chain: each has a note of its own, held until it is back.
 */
export function lapse(intent: Intent, gone = NOTHING_GONE, nowMs = 0): Intent {
  const parts = payingOf(intent)
  const state = nextState(intent.state, 'lapsed')
  if (parts.length === 0) return { ...intent, state, seen: null }
  return {
    ...intent,
    state,
    seen: null,
    transfers: intent.transfers.map((taken) => ({ ...taken, pays: false })),
    notes: [...intent.notes, ...notesOf('underpaid', parts, (some) => microOf(intent, some), gone, nowMs)],
  }
}

/**
 * It cannot be delivered: all it was paid with becomes store credit, once. No change if an answer is already bound.
 * @param gone keys of transfers that have left their chain: each has a note of its own, held until it is back.
 */
export function refund(intent: Intent, gone = NOTHING_GONE, nowMs = 0): Intent {
  if (!isUnclaimed(intent)) return intent
  const parts = payingOf(intent)
  const state = nextState(intent.state, 'refunded')
  if (parts.length === 0) return { ...intent, state } //  paid with credit alone: the hold is released
  return {
    ...intent,
    state,
    notes: [...intent.notes, ...notesOf('undeliverable', parts, (some) => paidBy(intent, some), gone, nowMs)],
  }
}

/**
 * What it gave was taken back, and money of it does not return: what is there, and credit that was spent beside it,
 * become store credit, once.
 * @param gone as in `refund`.
 * @param isWaited what is gone was waited for as long as a note would be held: nothing is given for it any more.
 */
export function takenBack(
  intent: Intent,
  gone: ReadonlySet<string>,
  nowMs: number,
  isWaited = false,
): Intent {
  const { state, suspendedMs, hold } = intent
  if (state !== 'Delivered' || suspendedMs === null) return intent
  const parts = payingOf(intent).filter(({ key }) => !isWaited || !gone.has(key))
  const notes = notesOf('undeliverable', parts, (some) => paidBy(intent, some), gone, nowMs)
  return {
    ...intent,
    state: nextState(state, 'refunded'),
    notes: [...intent.notes, ...notes, ...(hold === null ? [] : [noteOf('undeliverable', hold.micro, [])])],
  }
}

/** Worth of transfers in micro-USDC at the price, rounded down per rail. Nobody gains credit from a tag. */
export function microOf(intent: Intent, transfers: readonly Pick<Taken, 'rail' | 'atomic'>[]): bigint {
  return intent.quotes.reduce(
    (value, { rail, plain }) => value + (sentOn(rail, transfers) * intent.payableMicro) / plain,
    0n,
  )
}

/** What has paid for this purchase, in micro-USDC: all that came for it less what was too much. */
export const paidMicro = (intent: Intent): bigint => paidBy(intent, payingOf(intent))

/** The share of these transfers in it: what was too much came with the last one, and is noted with it. */
function paidBy(intent: Intent, parts: readonly Taken[]): bigint {
  const last = payingOf(intent).at(-1)
  const sum = microOf(intent, parts)
  if (last === undefined || !parts.some(({ key }) => key === last.key)) return sum
  const isNoted = intent.notes.some(
    ({ kind, transfers }) => kind === 'overpaid' && transfers.includes(last.key),
  )
  return isNoted ? sum - surplusOf(intent, last.rail) : sum
}

/**
 * The total due in micro-USDC, as this rail asks for it: what has paid, plus what is still to be sent there, less what
 * whole units of it are too much.
 */
export function dueMicro(intent: Intent, rail: RailId): bigint {
  const quote = quoteOn(intent, rail)
  if (quote === undefined) return intent.payableMicro
  const missing = missingOn(intent, quote)
  if (missing === 0n) return paidMicro(intent)
  const sent = [...payingOf(intent), { rail, atomic: missing }]
  return microOf(intent, sent) - surplusOf(intent, rail, 0n, missing)
}

export const payingOf = ({ transfers }: Intent): Taken[] => transfers.filter(({ pays }) => pays)

/**
 * Each rail's whole quote is all that is due, and parts on several rails add up: if nothing is missing on one rail, all
 * is paid.
 */
const isCovered = (intent: Intent): boolean => intent.quotes.some((quote) => missingOn(intent, quote) === 0n)

/**
 * Worth of what came on the rail that paid last beyond what was still due there, in micro-USDC. Beside parts on other
 * rails a fraction of a unit may be due: the rest of a satoshi, which is worth many micro-USDC, is too much as well.
 * @param more atomic units that are yet to be sent there.
 */
function surplusOf(intent: Intent, last: RailId, costNow = 0n, more = 0n): bigint {
  const quote = quoteOn(intent, last)
  if (quote === undefined) return 0n
  const { payableMicro } = intent
  const sent = sentOn(last, payingOf(intent)) + more
  const surplus = sent * payableMicro - (payableMicro - elsewhereMicro(intent, last)) * quote.atomic
  return surplus > 0n ? surplus / costOf(quote, costNow) : 0n
}

/** What is still to be sent on a rail, in atomic units. */
export function missingOn(intent: Intent, quote: Quoted): bigint {
  const missing = dueOn(intent, quote) - sentOn(quote.rail, payingOf(intent))
  return missing > 0n ? missing : 0n
}

/** What has to come on a rail, given what came on the others, in atomic units. */
function dueOn(intent: Intent, { rail, atomic }: Quoted): bigint {
  const due = (intent.payableMicro - elsewhereMicro(intent, rail)) * atomic
  return (due + intent.payableMicro - 1n) / intent.payableMicro
}

/** The share of the price that came on other rails, in micro-USDC. */
function elsewhereMicro(intent: Intent, rail: RailId): bigint {
  const paying = payingOf(intent)
  return intent.quotes.reduce(
    (sum, other) =>
      other.rail === rail ? sum : sum + (sentOn(other.rail, paying) * intent.payableMicro) / other.atomic,
    0n,
  )
}

const sentOn = (rail: RailId, transfers: readonly Pick<Taken, 'rail' | 'atomic'>[]): bigint =>
  transfers.reduce((sum, taken) => sum + (taken.rail === rail ? taken.atomic : 0n), 0n)

const firstSeenMs = ({ seen }: Intent, { key, atMs }: RailTransfer): number =>
  seen?.key === key ? Math.min(seen.atMs, atMs) : atMs

const paidBefore = (intent: Intent): Note['kind'] => (intent.state === 'Late' ? 'late' : 'paid_twice')

/** One note of the parts that are there, and one each of those that are gone: nothing is given for them before they are back. */
function notesOf(
  kind: Note['kind'],
  parts: readonly Taken[],
  worthOf: (parts: readonly Taken[]) => bigint,
  gone: ReadonlySet<string>,
  nowMs: number,
): Note[] {
  const note = (some: readonly Taken[]) =>
    noteOf(
      kind,
      worthOf(some),
      some.map(({ key }) => key),
    )
  const there = parts.filter(({ key }) => !gone.has(key))
  const lost = parts.filter(({ key }) => gone.has(key))
  return [
    ...(there.length === 0 ? [] : [note(there)]),
    ...lost.map((part) => ({ ...note([part]), goneMs: nowMs, revoked: true })),
  ]
}

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
