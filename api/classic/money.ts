import type { Hex } from 'viem'
import { assert } from '../../ops/errors.ts'
import { DAY } from '../../ops/units.ts'
import { digestOfToken } from '../entitlements/token.ts'
import { isProblem } from '../errors.ts'
import type { IntentStep } from '../ledger/intents.ts'
import { CLOCK_SLACK_MS, OBJECTION_MS, UNSIGNED_FOR_MS } from '../payment/legacyTimes.ts'
import type { Rail, RailTransfer } from '../rails/rail.ts'
import { sha256Hex } from '../receipts/canonical.ts'
import { amountName } from './amounts.ts'
import { isFromBuyer, isSame, type NotPaying, refuseTransfer, slackMs } from './attribute.ts'
import { bookTransfer, isUnclaimed, microOf, NOTHING_GONE, withoutOrphans } from './book.ts'
import {
  decodeIntent,
  encodeIntent,
  type Intent,
  isHeld,
  isWaiting,
  type Note,
  nextState,
  type Seen,
} from './intent.ts'
import type { MoneyPorts } from './ports.ts'
import { noteToken } from './show.ts'
import { goneOf } from './whereabouts.ts'

/** An intent that never had money is forgotten this long after the time for paying. */
export const UNPAID_KEPT_MS = 31 * DAY
/** Attempts against other writers of the intent: its buyer's requests and the worker. */
const TRIES = 20

type ReadPorts = Pick<MoneyPorts, 'intents'> & { answers: { secret: Buffer } }
/** What is needed to write an intent, and to put money that bought nothing onto an account. */
export type ChangePorts = ReadPorts & Pick<MoneyPorts, 'credits'>

export type Read = { name: string; version: number; intent: Intent }

export async function readIntent(name: string, { intents, answers }: ReadPorts): Promise<Read | null> {
  const found = await intents.find(name)
  if (found === null) return null
  return { name, version: found.version, intent: decodeIntent(found.body, answers.secret) }
}

/**
 * Changes an intent by a pure step, repeated on the newest state if another writer came first. Deposits what became
 * store credit before it returns; if this process dies on the way, the worker does.
 * @returns 'taken' when a transfer in it was spent on something else.
 */
export async function change(
  name: string,
  step: (intent: Intent) => Intent,
  ports: ChangePorts,
): Promise<Intent | 'taken'> {
  for (let tries = 0; tries < TRIES; tries++) {
    const read = await readIntent(name, ports)
    assert(read !== null, 'an intent with a writer is known')
    const next = withoutOrphans(step(read.intent))
    if (next === read.intent) return await deposit(read, ports)
    const outcome = await ports.intents.step(name, read.version, stepOf(read.intent, next))
    if (outcome === 'taken') return 'taken'
    if (outcome === 'stored') return await deposit({ name, version: read.version + 1, intent: next }, ports)
  }
  throw new Error('assumption broken: an intent has few writers')
}

/**
 * Puts money that bought nothing onto the buyer's account, or into a lot that a claim code opens if no secret was sent
 * or the account has another one by now. Each note once; the ledger says where it went, however often it is asked.
 */
async function deposit({ name, version, intent }: Read, ports: ChangePorts): Promise<Intent> {
  if (intent.notes.every((note) => isPlaced(note) || isHeld(note))) return intent
  const { credits, answers, intents } = ports
  const notes: Note[] = []
  for (const note of intent.notes) {
    const lot = digestOfToken(noteToken(answers.secret, name, note))
    const { account, auth } = intent.creditTo ?? { account: '', auth: null } //  a lot belongs to nobody yet
    const way = note.transfers.length === 0 ? 'back' : 'note' //  no money: credit that was spent
    const placed =
      isPlaced(note) || isHeld(note) ? null : await credits.deposit(lot, note.micro, account, auth, way)
    const to = placed?.outcome === 'deposited' ? 'account' : 'lot'
    notes.push(placed === null ? note : { ...note, deposited: true, to })
  }
  const done = { ...intent, notes }
  //  another writer's step deposits them again: no effect. From here on their money is watched
  await intents.step(name, version, stepOf(intent, done))
  return done
}

const isPlaced = ({ deposited, to }: Note): boolean => deposited && to !== null
const isCredited = ({ deposited }: Note): boolean => deposited

function stepOf(before: Intent, next: Intent): IntentStep {
  const known = new Set(before.transfers.map(({ key }) => key))
  //  Refunded: held credit was given back, or it was free. That costs its buyer nothing, so it is not kept forever
  const isUnpaid = (next.state === 'Expired' || next.state === 'Refunded') && next.transfers.length === 0
  return {
    body: encodeIntent(next),
    buyer: next.opener,
    place: next.place,
    site: next.site,
    price: next.payableMicro,
    waiting: isWaiting(next),
    unanswered: next.state === 'Confirmed' || next.notes.some(({ deposited }) => !deposited),
    watched: next.notes.filter(isCredited).length > before.notes.filter(isCredited).length,
    forgetAtMs: isUnpaid ? next.graceUntilMs + UNPAID_KEPT_MS : null,
    transfers: next.transfers.map(({ key }) => key).filter((key) => !known.has(key)),
  }
}

export type Refused = NotPaying | 'spent'

export type Taking =
  | { kind: 'booked'; intent: Intent }
  | { kind: 'waits'; intent: Intent } //  seen, not deep enough
  | { kind: 'refused'; why: Refused }

/** Takes one transfer for an intent, as far as it may and its depth allows. */
export async function takeTransfer(
  name: string,
  intent: Intent,
  transfer: RailTransfer,
  rail: Rail,
  signed: boolean,
  ports: MoneyPorts,
): Promise<Taking> {
  if (isTakenBy(intent, transfer)) return { kind: 'booked', intent }
  //  a transfer may wait for its block longer than amounts stay reserved
  const seenBy = await ports.intents.seenBy(transfer.key)
  const hadBy = (ms: number) => ports.intents.hadBy(amountName(transfer), ms)
  const atLatestMs = transfer.atMs + slackMs(transfer.rail)
  const shownSince = ports.ledger.shownSince(transfer.key, contenderOf(name, intent))
  const [before, owner, shownMs] = await Promise.all([hadBy(transfer.atMs), hadBy(atLatestMs), shownSince])
  const fromBuyer = isFromBuyer(intent, transfer, ports.answers.secret)
  const nowMs = ports.clock.nowMs()
  const evidence = { seenBy, before, owner, fromBuyer, signed, shownMs }
  const why = refuseTransfer(intent, name, transfer, evidence)
  if (why !== null) return { kind: 'refused', why }
  //  stamped earlier than clock differences explain: somebody who reads a sent transfer opens intents until one fits
  const isOutside = transfer.atMs > intent.graceUntilMs || transfer.atMs < intent.createdMs - CLOCK_SLACK_MS
  const isLate = isOutside && intent.seen?.key !== transfer.key && seenBy !== name
  const shown = isLate || signed ? await show(name, intent, transfer, ports, signed) : 'open'
  const isOld = isLate && !signed && nowMs - transfer.atMs > UNSIGNED_FOR_MS
  if (isOld || shown === 'contended') return { kind: 'refused', why: 'contended' }
  if (typeof shown === 'number') return { kind: 'waits', intent }
  const names = transfer.formerKey === undefined ? [transfer.key] : [transfer.key, transfer.formerKey]
  if ((await ports.intents.spent(names)).includes(true)) {
    const now = await readIntent(name, ports) //  another look took it for this very intent, after ours read it (CLS-18)
    if (now !== null && isTakenBy(now.intent, transfer)) return { kind: 'booked', intent: now.intent }
    return { kind: 'refused', why: 'spent' }
  }
  //  a surplus becomes credit, so the transfer must be as deep as its whole sum requires
  const depths = [intent.payableMicro, microOf(intent, [transfer])].map(rail.confirmationsFor)
  const needed = Math.max(...depths)
  if (transfer.confirmations < needed) {
    const { key, atMs, confirmations, rail: id, tx, to } = transfer
    const seen = { key, atMs, confirmations, needed, on: { rail: id, tx, to } }
    const noted = await change(name, (now) => noteSeen(now, seen), ports)
    if (noted === 'taken') return { kind: 'refused', why: 'spent' }
    if (noted.seen?.key === transfer.key) await ports.intents.see(transfer.key, name)
    else await show(name, intent, transfer, ports) //  so nobody can have it meanwhile with an ended intent that fits
    return { kind: 'waits', intent: noted }
  }
  //  late money ends a part payment: a part that has left its chain is no store credit
  const endsParts = intent.state === 'Underpaid' && transfer.atMs > intent.graceUntilMs
  const gone = isUnclaimed(intent) || endsParts ? await goneOf(intent, ports.rails) : NOTHING_GONE
  if (gone === null) return { kind: 'waits', intent }
  const costNow = await costNowOf(intent, transfer, rail, nowMs, gone)
  if (costNow === null) return { kind: 'waits', intent }
  const booked = await change(name, (now) => bookTransfer(now, transfer, nowMs, costNow, gone), ports)
  return booked === 'taken' ? { kind: 'refused', why: 'spent' } : { kind: 'booked', intent: booked }
}

/**
 * Notes that this intent claims a transfer. Only its amount shows whose late money is, and anybody can get any number
 * of amounts for nothing: so the intent that claims it alone for long enough has it, as on the legacy path (decision
 * 011).
 */
export const show = (
  name: string,
  intent: Pick<Intent, 'creditTo'>,
  { key, tx }: Pick<RailTransfer, 'key' | 'tx'>,
  { ledger }: Pick<MoneyPorts, 'ledger'>,
  signed = false,
) =>
  ledger.showTransfer(
    key,
    { fingerprint: name, paymentHash: contenderOf(name, intent) },
    { tx: tx as Hex },
    0, //  no former name
    signed ? 0 : OBJECTION_MS.other,
  )

/** The contender: two intents of one account, opened with its secret, do not contend with each other. */
const contenderOf = (name: string, { creditTo }: Pick<Intent, 'creditTo'>): string =>
  creditTo === null ? name : sha256Hex(`holder|${creditTo.account}|${creditTo.auth}`)

/** What the price costs on this rail now, if that decides the worth of money that buys nothing. null: unknown. */
async function costNowOf(
  intent: Intent,
  transfer: RailTransfer,
  rail: Rail,
  nowMs: number,
  gone: ReadonlySet<string>,
): Promise<bigint | null> {
  const after = bookTransfer(intent, transfer, nowMs, 0n, gone).notes.slice(intent.notes.length)
  const notes = after.filter((note) => !isHeld(note))
  const isPriced = intent.quotes.some((quote) => quote.rail === rail.id && quote.source !== null)
  if (notes.length === 0 || !isPriced) return 0n
  const now = await rail.quote(intent.payableMicro)
  if (!isProblem(now)) return now.atomic
  //  amount_too_small: the coin is so dear by now that the quote counts. A small surplus must not delay the purchase.
  //  Others wait for a price: sources fail most when prices fall, and the holder of a quote chooses how much to send
  const isLittle = notes.every(({ kind, micro }) => kind === 'overpaid' && micro <= intent.payableMicro)
  return now.problem === 'amount_too_small' || isLittle ? 0n : null
}

const isTakenBy = ({ transfers }: Intent, transfer: RailTransfer): boolean =>
  transfers.some((taken) => isSame(taken, transfer))

/** A transfer's time is that of its first sighting; later looks only see it deeper. */
function noteSeen(intent: Intent, seen: Seen): Intent {
  if (intent.state !== 'New' && intent.state !== 'Seen') return intent
  const first = intent.seen?.key === seen.key ? intent.seen : null
  const isNews = intent.state === 'New' || first?.goneMs !== undefined
  if (first !== null && first.confirmations === seen.confirmations && !isNews) return intent
  return {
    ...intent,
    state: nextState(intent.state, 'seen'),
    seen: { ...seen, atMs: Math.min(seen.atMs, first?.atMs ?? seen.atMs) },
  }
}
