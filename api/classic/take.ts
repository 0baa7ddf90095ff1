import type { Hex } from 'viem'
import { isProblem } from '../errors.ts'
import { CLOCK_SLACK_MS, OBJECTION_MS, UNSIGNED_FOR_MS } from '../payment/legacyTimes.ts'
import type { Rail, RailTransfer } from '../rails/rail.ts'
import { sha256Hex } from '../receipts/canonical.ts'
import { amountName } from './amounts.ts'
import { isFromBuyer, isSame, type NotPaying, refuseTransfer, slackMs } from './attribute.ts'
import { bookTransfer, isUnclaimed, microOf, NOTHING_GONE } from './book.ts'
import { type Intent, isHeld, nextState, type Seen } from './intent.ts'
import { change, readIntent } from './money.ts'
import type { MoneyPorts } from './ports.ts'
import { goneOf } from './whereabouts.ts'

export type Refused = NotPaying | 'spent'

export type Taking =
  | { kind: 'booked'; intent: Intent }
  | { kind: 'waits'; intent: Intent } //  seen, not deep enough
  | { kind: 'refused'; why: Refused }

/** A transfer that may pay an intent. @property signed its sender has signed for this intent. */
type Offered = { name: string; intent: Intent; transfer: RailTransfer; rail: Rail; signed: boolean }

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
  const offered = { name, intent, transfer, rail, signed }
  //  a transfer may wait for its block longer than amounts stay reserved
  const seenBy = await ports.intents.seenBy(transfer.key)
  const why = await refuseOwner(offered, seenBy, ports)
  if (why !== null) return { kind: 'refused', why }
  const nowMs = ports.clock.nowMs()
  const claimed = await claimLate(offered, seenBy, nowMs, ports)
  if (claimed === 'contended') return { kind: 'refused', why: 'contended' }
  if (claimed === 'waits') return { kind: 'waits', intent }
  return (
    (await whereSpent(offered, ports)) ??
    (await waitForDepth(offered, ports)) ??
    (await book(offered, nowMs, ports))
  )
}

/** Why it is not this intent's, as far as amounts and names tell. */
async function refuseOwner(
  { name, intent, transfer, signed }: Offered,
  seenBy: string | null,
  { intents, ledger, answers }: MoneyPorts,
): Promise<NotPaying | null> {
  const hadBy = (ms: number) => intents.hadBy(amountName(transfer), ms)
  const atLatestMs = transfer.atMs + slackMs(transfer.rail)
  const shownSince = ledger.shownSince(transfer.key, contenderOf(name, intent))
  const [before, owner, shownMs] = await Promise.all([hadBy(transfer.atMs), hadBy(atLatestMs), shownSince])
  const fromBuyer = isFromBuyer(intent, transfer, answers.secret)
  return refuseTransfer(intent, name, transfer, { seenBy, before, owner, fromBuyer, signed, shownMs })
}

/** Claims it against others, if only a claim shows whose it is. @returns null: it is this intent's. */
async function claimLate(
  { name, intent, transfer, signed }: Offered,
  seenBy: string | null,
  nowMs: number,
  ports: MoneyPorts,
): Promise<'contended' | 'waits' | null> {
  //  stamped earlier than clock differences explain: somebody who reads a sent transfer opens intents until one fits
  const isOutside = transfer.atMs > intent.graceUntilMs || transfer.atMs < intent.createdMs - CLOCK_SLACK_MS
  const isLate = isOutside && intent.seen?.key !== transfer.key && seenBy !== name
  const shown = isLate || signed ? await show(name, intent, transfer, ports, signed) : 'open'
  const isOld = isLate && !signed && nowMs - transfer.atMs > UNSIGNED_FOR_MS
  if (isOld || shown === 'contended') return 'contended'
  return typeof shown === 'number' ? 'waits' : null
}

/** null: on nothing yet. */
async function whereSpent({ name, transfer }: Offered, ports: MoneyPorts): Promise<Taking | null> {
  const names = transfer.formerKey === undefined ? [transfer.key] : [transfer.key, transfer.formerKey]
  if (!(await ports.intents.spent(names)).includes(true)) return null
  const now = await readIntent(name, ports) //  another look took it for this very intent, after ours read it (CLS-18)
  if (now !== null && isTakenBy(now.intent, transfer)) return { kind: 'booked', intent: now.intent }
  return { kind: 'refused', why: 'spent' }
}

/** Notes that it was seen. @returns null: it is deep enough. */
async function waitForDepth(
  { name, intent, transfer, rail }: Offered,
  ports: MoneyPorts,
): Promise<Taking | null> {
  //  a surplus becomes credit, so the transfer must be as deep as its whole sum requires
  const depths = [intent.payableMicro, microOf(intent, [transfer])].map(rail.confirmationsFor)
  const needed = Math.max(...depths)
  if (transfer.confirmations >= needed) return null
  const { key, atMs, confirmations, rail: id, tx, to } = transfer
  const seen = { key, atMs, confirmations, needed, on: { rail: id, tx, to } }
  const noted = await change(name, (now) => noteSeen(now, seen), ports)
  if (noted === 'taken') return { kind: 'refused', why: 'spent' }
  if (noted.seen?.key === transfer.key) await ports.intents.see(transfer.key, name)
  else await show(name, intent, transfer, ports) //  so nobody can have it meanwhile with an ended intent that fits
  return { kind: 'waits', intent: noted }
}

async function book(
  { name, intent, transfer, rail, signed }: Offered,
  nowMs: number,
  ports: MoneyPorts,
): Promise<Taking> {
  //  late money ends a part payment: a part that has left its chain is no store credit
  const endsParts = intent.state === 'Underpaid' && transfer.atMs > intent.graceUntilMs
  const gone = isUnclaimed(intent) || endsParts ? await goneOf(intent, ports.rails) : NOTHING_GONE
  if (gone === null) return { kind: 'waits', intent }
  const costNow = await costNowOf(intent, transfer, rail, nowMs, gone)
  if (costNow === null) return { kind: 'waits', intent }
  //  another may have been booked meanwhile: then this one may be credit, whose worth was not asked
  let isPriced = true
  const booked = await change(
    name,
    (now) => {
      isPriced = now.transfers.length === intent.transfers.length
      return isPriced ? bookTransfer(now, transfer, nowMs, costNow, gone) : now
    },
    ports,
  )
  if (booked === 'taken') return { kind: 'refused', why: 'spent' }
  if (isPriced || isTakenBy(booked, transfer)) return { kind: 'booked', intent: booked }
  return await book({ name, intent: booked, transfer, rail, signed }, nowMs, ports)
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
