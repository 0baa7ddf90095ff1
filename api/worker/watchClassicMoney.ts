import { describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { SECOND } from '../../ops/units.ts'
import { referralOf } from '../classic/deliver.ts'
import { readIntent } from '../classic/money.ts'
import type { MoneyPorts } from '../classic/ports.ts'
import { whereabouts } from '../classic/whereabouts.ts'
import type { FinalityLedger } from '../ledger/finality.ts'
import { intentClaimKey } from '../ledger/intents.ts'
import { type EntitledPorts, entitledOf, reversalOf } from './entitled.ts'
import { type FinalityCounts, GRACE_MS, LOST_AFTER_MS } from './watchFinality.ts'

export type ClassicMoneyPorts = Pick<MoneyPorts, 'intents' | 'rails'> & {
  finality: FinalityLedger
  answers: EntitledPorts
  chainId: number
  log: Log
}

/** Purchases looked at in one pass: each asks its rail about every transfer that paid for it. */
const BATCH = 50
const LOOK_EVERY_MS = 15 * SECOND

/**
 * The same for classic purchases on all rails: claimed with money that then left its chain, they lose what they brought and
 * are booked as owed, until the money is there again. Looked at until the money is as deep as the largest sum has to be.
 * Safe to run twice.
 */
export async function watchClassicMoney(
  ports: ClassicMoneyPorts,
  nowMs: number,
): Promise<Pick<FinalityCounts, 'final' | 'suspended' | 'restored' | 'lost'>> {
  const counts = { final: 0, suspended: 0, restored: 0, lost: 0 }
  for (const name of await ports.intents.unfinal(BATCH, nowMs)) {
    let end: Look = null
    try {
      end = await look(name, ports, nowMs)
    } catch (error) {
      ports.log.warn({ reason: describeError(error) }, 'cannot tell where the money of a purchase is')
    }
    if (end !== null && end !== 'forgotten') counts[end]++
    const isOver = end === 'final' || end === 'lost' || end === 'forgotten'
    await ports.intents.lookAgain(name, isOver ? null : nowMs + LOOK_EVERY_MS)
  }
  return counts
}

/** What came of one look; null: nothing to be told. */
type Look = 'final' | 'suspended' | 'restored' | 'lost' | 'forgotten' | null

async function look(
  name: string,
  { intents, rails, finality, answers, chainId, log }: ClassicMoneyPorts,
  nowMs: number,
): Promise<Look> {
  const key = intentClaimKey(name)
  const [read, claim] = [await readIntent(name, { intents }), await finality.find(key)]
  if (read === null || claim === null) return 'forgotten' //  its answer is no longer kept
  const where = await whereabouts(read.intent, rails)
  const entitled = { ...entitledOf(claim, answers), referral: referralOf(read.intent) }
  if (claim.answer === null) return null //  it is about to be answered: nothing was given yet
  if (where !== 'gone') {
    if (claim.suspended) {
      const entry = reversalOf(claim, 'restored', answers, chainId, `${nowMs}`)
      return (await finality.restore(key, entitled, entry)) === 'restored' ? 'restored' : null
    }
    if (claim.missing) await finality.found(key)
    return where === 'final' ? 'final' : null
  }
  const since = await finality.gone(key, claim.settled, chainId)
  if (typeof since !== 'number') return 'forgotten'
  if (claim.suspended) return nowMs - since >= LOST_AFTER_MS ? 'lost' : null
  if (nowMs - since < GRACE_MS) return null
  const entry = reversalOf(claim, 'reversed', answers, chainId, `${since}`)
  if ((await finality.suspend(key, entitled, entry)) !== 'suspended') return null
  log.error(
    { sku: claim.sku, rail: claim.rail, tx: claim.settled.tx },
    'a delivered payment has left its chain',
  )
  return 'suspended'
}
