import { assert } from '../../ops/errors.ts'
import { DAY } from '../../ops/units.ts'
import { accountDigest } from '../entitlements/credit.ts'
import { digestOfToken } from '../entitlements/token.ts'
import type { IntentStep } from '../ledger/intents.ts'
import type { Rail, RailTransfer } from '../rails/rail.ts'
import { amountName } from './amounts.ts'
import { isSame, type NotPaying, refuseTransfer } from './attribute.ts'
import { bookTransfer, microOf } from './book.ts'
import { decodeIntent, encodeIntent, type Intent, nextState } from './intent.ts'
import type { MoneyPorts } from './ports.ts'
import { noteToken } from './show.ts'

/** Forgotten so long after the time for paying is over, when no money ever came. */
export const UNPAID_KEPT_MS = 31 * DAY
/** Writers of one intent: the buyer's requests and the worker. */
const TRIES = 20

export type Read = { name: string; version: number; intent: Intent }

export async function readIntent(
  name: string,
  { intents }: Pick<MoneyPorts, 'intents'>,
): Promise<Read | null> {
  const found = await intents.find(name)
  return found === null ? null : { name, version: found.version, intent: decodeIntent(found.body) }
}

/**
 * Changes an intent by a pure step, again from the newest state when another writer came first. Deposits what became store
 * credit before it returns; the worker does when we die on the way.
 * @returns 'taken' when a transfer in it was spent on something else.
 */
export async function change(
  name: string,
  step: (intent: Intent) => Intent,
  ports: MoneyPorts,
): Promise<Intent | 'taken'> {
  for (let tries = 0; tries < TRIES; tries++) {
    const read = await readIntent(name, ports)
    assert(read !== null, 'an intent with a writer is known')
    const next = step(read.intent)
    if (next === read.intent) return await deposit(read, ports)
    const outcome = await ports.intents.step(name, read.version, stepOf(read.intent, next))
    if (outcome === 'taken') return 'taken'
    if (outcome === 'stored') return await deposit({ name, version: read.version + 1, intent: next }, ports)
  }
  throw new Error('assumption broken: an intent has few writers')
}

/** Puts what did not buy onto the buyer's account, or into a lot that his claim code opens; each note once. */
async function deposit({ name, version, intent }: Read, ports: MoneyPorts): Promise<Intent> {
  const due = intent.notes.filter(({ deposited }) => !deposited)
  if (due.length === 0) return intent
  const { credits, answers, intents } = ports
  for (const note of due) {
    const account = intent.creditTo?.account ?? intent.buyer
    await credits.deposit(
      digestOfToken(noteToken(answers.secret, name, note)),
      note.micro,
      accountDigest(account),
      intent.creditTo?.auth ?? null,
    )
  }
  const done = { ...intent, notes: intent.notes.map((note) => ({ ...note, deposited: true })) }
  await intents.step(name, version, stepOf(intent, done)) //  another writer's step deposits them again: no effect
  return done
}

function stepOf(before: Intent, next: Intent): IntentStep {
  const known = new Set(before.transfers.map(({ key }) => key))
  const isUnpaid = next.state === 'Expired' && next.transfers.length === 0
  return {
    body: encodeIntent(next),
    buyer: next.opener,
    waiting: next.state === 'New' || next.state === 'Seen' || next.state === 'Underpaid',
    unanswered: next.state === 'Confirmed' || next.notes.some(({ deposited }) => !deposited),
    forgetAtMs: isUnpaid ? next.graceUntilMs + UNPAID_KEPT_MS : null,
    transfers: next.transfers.map(({ key }) => key).filter((key) => !known.has(key)),
  }
}

export type Taking =
  | { kind: 'booked'; intent: Intent }
  | { kind: 'waits'; intent: Intent } //  seen, not deep enough
  | { kind: 'refused'; why: NotPaying | 'spent' }

/** Takes one transfer for an intent, as far as it may and its depth allows. */
export async function takeTransfer(
  name: string,
  intent: Intent,
  transfer: RailTransfer,
  rail: Rail,
  signed: boolean,
  ports: MoneyPorts,
): Promise<Taking> {
  if (intent.transfers.some((taken) => isSame(taken, transfer))) return { kind: 'booked', intent }
  const owner = await ports.intents.ownerOf(amountName(transfer))
  const evidence = { nowMs: ports.clock.nowMs(), owner, signed }
  const why = refuseTransfer(intent, name, transfer, evidence)
  if (why !== null) return { kind: 'refused', why }
  const names = transfer.formerKey === undefined ? [transfer.key] : [transfer.key, transfer.formerKey]
  if ((await ports.intents.spent(names)).includes(true)) return { kind: 'refused', why: 'spent' }
  //  what is too much becomes credit, so it lies as deep as all of it has to
  const depths = [intent.payableMicro, microOf(intent, [transfer])].map(rail.confirmationsFor)
  const needed = Math.max(...depths)
  if (transfer.confirmations < needed) {
    const seen = { key: transfer.key, atMs: transfer.atMs, confirmations: transfer.confirmations, needed }
    const noted = await change(name, (now) => noteSeen(now, seen), ports)
    return noted === 'taken' ? { kind: 'refused', why: 'spent' } : { kind: 'waits', intent: noted }
  }
  const booked = await change(name, (now) => bookTransfer(now, transfer, evidence.nowMs), ports)
  return booked === 'taken' ? { kind: 'refused', why: 'spent' } : { kind: 'booked', intent: booked }
}

/** The first sight of a transfer counts as its time; later looks only see it deeper. */
function noteSeen(intent: Intent, seen: NonNullable<Intent['seen']>): Intent {
  if (intent.state !== 'New' && intent.state !== 'Seen') return intent
  const first = intent.seen?.key === seen.key ? intent.seen : null
  if (first !== null && first.confirmations === seen.confirmations) return intent
  return {
    ...intent,
    state: nextState(intent.state, 'seen'),
    seen: { ...seen, atMs: Math.min(seen.atMs, first?.atMs ?? seen.atMs) },
  }
}
