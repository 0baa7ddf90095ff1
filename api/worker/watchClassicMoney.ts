import { describeError } from '../../ops/errors.ts'
import { DAY, HOUR, SECOND } from '../../ops/units.ts'
import { takenBack } from '../classic/book.ts'
import { referralOf } from '../classic/deliver.ts'
import { encodeIntent, type Intent, nextState } from '../classic/intent.ts'
import { change, type Read, readIntent } from '../classic/money.ts'
import { HELD_MS } from '../classic/watch.ts'
import { goneOf, whereabouts } from '../classic/whereabouts.ts'
import type { Entitled, UnfinalClaim } from '../ledger/finality.ts'
import { intentClaimKey } from '../ledger/intentKeys.ts'
import { forOnePass } from '../rails/forOnePass.ts'
import { entitledOf, reversalOf } from './entitled.ts'
import { GRACE_MS, LOST_AFTER_MS } from './watchFinality.ts'
import { type Looked, lookAtNote, NOTE_OUTCOMES, type NotePorts } from './watchNotes.ts'

export type ClassicMoneyPorts = NotePorts & {
  chainId: number
  /** Told at once: a pass that breaks off later must not lose it. */
  onOutcome?(outcome: ClassicOutcome): void
}

/** Purchases looked at in one pass: each asks its rail about every transfer that paid for it. */
const BATCH = 50
const LOOK_EVERY_MS = 15 * SECOND
/** Attempts against another worker, which sees the money back and notes that it is not missing. */
const SUSPEND_TRIES = 5
/** A purchase whose money no server can tell about is given up after this; it stays as it is. */
const UNSURE_KEPT_MS = 7 * DAY
/**
 * A suspended one not before its money is waited for no more, nor after its claim is forgotten (see `suspend` of
 * ledger/finality.ts).
 */
const SUSPENDED_UNSURE_KEPT_MS = LOST_AFTER_MS + HELD_MS + 12 * HOUR

const SALE_OUTCOMES = ['final', 'suspended', 'restored', 'lost', 'unsure'] as const
type SaleOutcome = (typeof SALE_OUTCOMES)[number]
export const CLASSIC_OUTCOMES = [...SALE_OUTCOMES, ...NOTE_OUTCOMES] as const
export type ClassicOutcome = (typeof CLASSIC_OUTCOMES)[number]
export type ClassicCounts = Record<ClassicOutcome, number>
/** Found at every look until the watch ends, which what else was bought with it may put off for days: counted then. */
const LAST_OUTCOMES: readonly (ClassicOutcome | null)[] = ['final', 'credit_lost']

/**
 * The finality watch of classic purchases, on all rails: when money of a claimed purchase has left its chain, what the
 * purchase gave is taken back and booked as owed until the money returns; likewise store credit for money that bought
 * nothing. Watched until the money is as deep as the largest sum requires. A server that cannot tell changes nothing.
 * Safe to run twice.
 */
export async function watchClassicMoney(all: ClassicMoneyPorts, nowMs: number): Promise<ClassicCounts> {
  const ports = { ...all, rails: all.rails.map(forOnePass) }
  const counts: ClassicCounts = {
    final: 0,
    suspended: 0,
    restored: 0,
    lost: 0,
    unsure: 0,
    credit_revoked: 0,
    credit_restored: 0,
    credit_lost: 0,
  }
  const count = (outcome: ClassicOutcome): void => {
    counts[outcome]++
    ports.onOutcome?.(outcome)
  }
  for (const name of await ports.intents.unfinal(BATCH, nowMs)) {
    try {
      let read = await readIntent(name, ports)
      let looks = read === null ? [] : await look(name, read, ports, nowMs, count)
      if (looks.some(({ outcome }) => outcome === 'lost')) {
        read = await readIntent(name, ports) //  given up: there is credit to be watched now
        looks = read === null ? [] : await look(name, read, ports, nowMs)
      }
      const isOver = looks.every(({ over }) => over)
      const end = isOver ? await ports.intents.unwatch(name, read?.version ?? null) : 'changed'
      if (end === 'ended')
        for (const { outcome } of looks) if (LAST_OUTCOMES.includes(outcome)) count(outcome!)
      if (end !== 'changed') continue
    } catch (error) {
      ports.log.warn({ reason: describeError(error) }, 'cannot tell where the money of a purchase is')
    }
    await ports.intents.lookAgain(name, nowMs + LOOK_EVERY_MS)
  }
  return counts
}

/** One look at the sale and at each note. */
async function look(
  name: string,
  read: Read,
  ports: ClassicMoneyPorts,
  nowMs: number,
  count: (outcome: ClassicOutcome) => void = () => {},
): Promise<Looked<ClassicOutcome>[]> {
  const { intent } = read
  const looks: Looked<ClassicOutcome>[] = []
  const note = (looked: Looked<ClassicOutcome>) => {
    if (looked.outcome !== null && !LAST_OUTCOMES.includes(looked.outcome)) count(looked.outcome)
    looks.push(looked)
  }
  note(await lookAtSale(name, read, ports, nowMs))
  for (const one of intent.notes) note(await lookAtNote(name, intent, one, ports, nowMs))
  if (!looks.some(({ outcome }) => outcome === 'unsure')) return looks
  ports.log.error({ sku: intent.sku }, 'no server can tell where the money of a purchase is')
  const suspendedUntilMs = (intent.suspendedMs ?? 0) + SUSPENDED_UNSURE_KEPT_MS
  const isOld = nowMs >= Math.max(intent.createdMs + UNSURE_KEPT_MS, suspendedUntilMs)
  return isOld ? looks.map((one) => (one.outcome === 'unsure' ? { ...one, over: true } : one)) : looks
}

const WAITS = { outcome: null, over: false }
/** Nothing was sold, or its answer is no longer kept. */
const NOTHING = { outcome: null, over: true }

async function lookAtSale(
  name: string,
  { intent, version }: Read,
  ports: ClassicMoneyPorts,
  nowMs: number,
): Promise<Looked<SaleOutcome>> {
  if (intent.state === 'Refunded') return NOTHING //  given up: what returns is store credit
  const claim = await ports.finality.find(intentClaimKey(name))
  if (claim === null) return intent.suspendedMs === null ? NOTHING : await giveUp(name, intent, ports, nowMs)
  const where = await whereabouts(intent, ports.rails)
  if (claim.answer === null) {
    if (where === 'gone') await unclaim(name, intent, version, ports)
    return WAITS //  else it is about to be answered: nothing was given yet
  }
  if (where === 'unsure') return { outcome: where, over: false }
  const entitled = { ...entitledOf(claim, ports.answers), referral: referralOf(intent) }
  const sale = { name, intent, claim, entitled, ports, nowMs }
  return where === 'gone' ? await lookAtGone(sale) : await lookAtThere(sale, where === 'final')
}

/** A purchase that was answered. */
type Sale = {
  name: string
  intent: Intent
  claim: UnfinalClaim
  entitled: Entitled
  ports: ClassicMoneyPorts
  nowMs: number
}

/** Its money is on its chain: what was taken back for it is restored, unless it was given up meanwhile. */
async function lookAtThere(sale: Sale, isFinal: boolean): Promise<Looked<SaleOutcome>> {
  const { name, intent, claim, entitled, ports, nowMs } = sale
  const { finality, answers, chainId } = ports
  if (claim.suspended || intent.suspendedMs !== null) {
    //  first: whoever dies between has it restored by the next look. The look at its chain took time
    const now = await mark(sale, null)
    if (now === 'taken' || now.state === 'Refunded') return WAITS //  given up meanwhile, as credit
  }
  if (claim.suspended) {
    const entry = reversalOf(claim, 'restored', answers, `${nowMs}`)
    const outcome = await finality.restore(claim.key, entitled, entry)
    if (outcome !== 'restored') return WAITS
    const after = await readIntent(name, ports)
    if (after?.intent.suspendedMs === null) return { outcome, over: false }
    //  another worker is giving it up, or has done so: nobody has both the credit and what it bought
    for (let tries = 0; tries < SUSPEND_TRIES; tries++) {
      const since = await finality.gone(claim.key, claim.settled, chainId)
      if (typeof since !== 'number' || (await suspend(sale, since)) !== 'changed') break
    }
    return WAITS
  }
  if (claim.missing) await finality.found(claim.key)
  return isFinal ? { outcome: 'final', over: true } : WAITS
}

/** Its money has left its chain: what it bought is taken back after a while, and after a day it is given up. */
async function lookAtGone(sale: Sale): Promise<Looked<SaleOutcome>> {
  const { name, intent, claim, entitled, ports, nowMs } = sale
  const { finality, chainId, log } = ports
  const since = await finality.gone(claim.key, claim.settled, chainId)
  if (typeof since !== 'number') return NOTHING
  if (claim.suspended) {
    await mark(sale, intent.suspendedMs ?? nowMs)
    if (nowMs - since < LOST_AFTER_MS) return WAITS
    await finality.lost(claim.key, entitled)
    //  as a credit note of this money would be: nobody has both the credit again and what was bought with it
    const isCredit = entitled.lot !== null
    return isCredit && nowMs - since < LOST_AFTER_MS + HELD_MS
      ? WAITS
      : await giveUp(name, intent, ports, nowMs, isCredit)
  }
  if (nowMs - since < GRACE_MS) return WAITS
  const outcome = await suspend(sale, since)
  if (outcome !== 'suspended') return WAITS
  await mark(sale, nowMs)
  log.error(
    { sku: claim.sku, rail: claim.rail, tx: claim.settled.tx },
    'a delivered payment has left its chain',
  )
  return { outcome, over: false }
}

const mark = ({ name, ports }: Sale, suspendedMs: number | null): ReturnType<typeof change> =>
  change(name, (now) => (now.suspendedMs === suspendedMs ? now : { ...now, suspendedMs }), ports)

const suspend = ({ claim, entitled, ports: { finality, answers } }: Sale, since: number) =>
  finality.suspend(claim.key, entitled, reversalOf(claim, 'reversed', answers, `${since}`))

/** Its money is lost, or returned too late to restore what it bought: what is there becomes store credit. */
async function giveUp(
  name: string,
  intent: Intent,
  ports: ClassicMoneyPorts,
  nowMs: number,
  isWaited = false,
): Promise<Looked<SaleOutcome>> {
  const gone = await goneOf(intent, ports.rails)
  if (gone === null) return WAITS
  await change(name, (now) => takenBack(now, gone, nowMs, isWaited), ports)
  return { outcome: 'lost', over: true }
}

/** Nothing was given for the claim: other money can take the place of what has left, or it is given up in time. */
async function unclaim(
  name: string,
  intent: Intent,
  version: number,
  { intents, log }: ClassicMoneyPorts,
): Promise<void> {
  const { hold, state } = intent
  const body = encodeIntent({ ...intent, state: nextState(state, 'unclaimed'), claimed: false })
  const outcome = await intents.unclaim(name, version, {
    hold: hold === null ? null : { purchase: name, micro: hold.micro, holder: hold },
    referral: referralOf(intent),
    body,
  })
  if (outcome === 'undone')
    log.warn({ sku: intent.sku }, 'the money of a claimed purchase left its chain before its answer')
}
