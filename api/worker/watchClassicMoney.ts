import { describeError } from '../../ops/errors.ts'
import { DAY, SECOND } from '../../ops/units.ts'
import { referralOf } from '../classic/deliver.ts'
import type { Intent } from '../classic/intent.ts'
import { readIntent } from '../classic/money.ts'
import { whereabouts } from '../classic/whereabouts.ts'
import { intentClaimKey } from '../ledger/intentKeys.ts'
import { entitledOf, reversalOf } from './entitled.ts'
import { GRACE_MS, LOST_AFTER_MS } from './watchFinality.ts'
import { type Looked, lookAtNote, NOTE_OUTCOMES, type NoteOutcome, type NotePorts } from './watchNotes.ts'

export type ClassicMoneyPorts = NotePorts & { chainId: number }

/** Purchases looked at in one pass: each asks its rail about every transfer that paid for it. */
const BATCH = 50
const LOOK_EVERY_MS = 15 * SECOND
/** A purchase whose money no server can tell about is given up after this; it stays as it is. */
const UNSURE_KEPT_MS = 7 * DAY

const SALE_OUTCOMES = ['final', 'suspended', 'restored', 'lost', 'unsure'] as const
type SaleOutcome = (typeof SALE_OUTCOMES)[number]
export const CLASSIC_OUTCOMES = [...SALE_OUTCOMES, ...NOTE_OUTCOMES] as const
export type ClassicCounts = Record<(typeof CLASSIC_OUTCOMES)[number], number>

/**
 * The finality watch of classic purchases, on all rails: when money of a claimed purchase has left its chain, what the
 * purchase gave is taken back and booked as owed until the money returns; likewise store credit for money that bought
 * nothing. Watched until the money is as deep as the largest sum requires. A server that cannot tell changes nothing.
 * Safe to run twice.
 */
export async function watchClassicMoney(ports: ClassicMoneyPorts, nowMs: number): Promise<ClassicCounts> {
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
  for (const name of await ports.intents.unfinal(BATCH, nowMs)) {
    try {
      const read = await readIntent(name, ports)
      const looks = read === null ? [] : await look(name, read.intent, ports, nowMs)
      for (const { outcome } of looks) if (outcome !== null) counts[outcome]++
      const isOver = looks.every(({ over }) => over)
      if (isOver && (await ports.intents.unwatch(name, read?.version ?? null)) === 'ended') continue
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
  intent: Intent,
  ports: ClassicMoneyPorts,
  nowMs: number,
): Promise<Looked<SaleOutcome | NoteOutcome>[]> {
  const looks: Looked<SaleOutcome | NoteOutcome>[] = [await lookAtSale(name, intent, ports, nowMs)]
  for (const note of intent.notes) looks.push(await lookAtNote(name, intent, note, ports, nowMs))
  if (!looks.some(({ outcome }) => outcome === 'unsure')) return looks
  ports.log.error({ sku: intent.sku }, 'no server can tell where the money of a purchase is')
  const isOld = nowMs - intent.createdMs >= UNSURE_KEPT_MS
  return isOld ? looks.map((one) => (one.outcome === 'unsure' ? { ...one, over: true } : one)) : looks
}

const WAITS = { outcome: null, over: false }
/** Nothing was sold, or its answer is no longer kept. */
const NOTHING = { outcome: null, over: true }

async function lookAtSale(
  name: string,
  intent: Intent,
  { rails, finality, answers, chainId, log }: ClassicMoneyPorts,
  nowMs: number,
): Promise<Looked<SaleOutcome>> {
  const key = intentClaimKey(name)
  const claim = await finality.find(key)
  if (claim === null) return NOTHING
  if (claim.answer === null) return WAITS //  it is about to be answered: nothing was given yet
  const where = await whereabouts(intent, rails)
  if (where === 'unsure') return { outcome: where, over: false }
  const entitled = { ...entitledOf(claim, answers), referral: referralOf(intent) }
  if (where !== 'gone') {
    if (claim.suspended) {
      const entry = reversalOf(claim, 'restored', answers, `${nowMs}`)
      const outcome = await finality.restore(key, entitled, entry)
      return outcome === 'restored' ? { outcome, over: false } : WAITS
    }
    if (claim.missing) await finality.found(key)
    return where === 'final' ? { outcome: where, over: true } : WAITS
  }
  const since = await finality.gone(key, claim.settled, chainId)
  if (typeof since !== 'number') return NOTHING
  if (claim.suspended) return nowMs - since >= LOST_AFTER_MS ? { outcome: 'lost', over: true } : WAITS
  if (nowMs - since < GRACE_MS) return WAITS
  const entry = reversalOf(claim, 'reversed', answers, `${since}`)
  const outcome = await finality.suspend(key, entitled, entry)
  if (outcome !== 'suspended') return WAITS
  log.error(
    { sku: claim.sku, rail: claim.rail, tx: claim.settled.tx },
    'a delivered payment has left its chain',
  )
  return { outcome, over: false }
}
