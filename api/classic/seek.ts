import type { z } from 'zod'
import { UnavailableError } from '../../ops/errors.ts'
import { HOUR, MINUTE, SECOND } from '../../ops/units.ts'
import { isProblem } from '../errors.ts'
import type { Sought } from '../ledger/sought.ts'
import { canonicalTx } from './attribute.ts'
import type { Guard } from './discover.ts'
import { LISTED_AFTER_MS, type Look, lookAround, lookByHash } from './find.ts'
import { type Known, lookUnlessPaid } from './fulfill.ts'
import { readIntent } from './money.ts'
import type { ClassicPorts, MoneyPorts } from './ports.ts'
import type { SettleRequest } from './shapes.ts'

/** Bounds of one pass: each intent on a rail that does not answer takes seconds, during which all other money waits. */
const SOUGHT = 20
const PASS_MS = 10 * SECOND
/** The next look is after an eighth of the time since the last question, within these. */
const SOONEST_MS = 1 * MINUTE
const LATEST_MS = 1 * HOUR

/** Looks for the money of an intent as its buyer asks; what was not found is looked for without them from then on. */
export async function lookForBuyer(
  known: Known,
  body: z.output<typeof SettleRequest>,
  ports: ClassicPorts,
): Promise<Look> {
  try {
    const look = await lookUnlessPaid(known, body, ports)
    if (!isProblem(look) && look.kind !== 'found')
      await noteSought(known, body, ports, look.kind === 'waits' && look.isUnknown !== true)
    return look
  } catch (error) {
    //  CHN-05 a buyer who named a transaction during an outage may not ask again after it
    if (error instanceof UnavailableError) await noteSought(known, body, ports)
    throw error
  }
}

/**
 * Notes money that a buyer asked for and that was not found: it may come after the buyer's last request. On a rail that
 * lists transfers, money that comes in time is found anyway, so there the first look is when the time is over.
 * @param isSeen it is on its chain, and waits for its depth or for others who claim it.
 */
async function noteSought(
  { name, intent }: Known,
  { txHash, paymentRail }: z.output<typeof SettleRequest>,
  { intents, rails, clock }: MoneyPorts,
  isSeen = false,
): Promise<void> {
  const rail = rails.find(({ id }) => id === (paymentRail ?? intent.rail))
  const tx = rail === undefined || txHash === undefined ? '' : canonicalTx(rail, txHash)
  if (rail === undefined || tx === null || (tx === '' && !rail.discovers)) return
  const nowMs = clock.nowMs()
  if (tx === '' && nowMs > intent.graceUntilMs + LISTED_AFTER_MS) return
  const firstMs = (rail.discovers ? Math.max(nowMs, intent.graceUntilMs) : nowMs) + SOONEST_MS
  const sought = { rail: rail.id, tx, sinceMs: nowMs }
  await intents.seek(name, intent.site || intent.place, sought, firstMs, isSeen)
}

/** One look for each intent that is due, as its buyer asked but without the buyer's signature. */
export async function lookForSought(ports: MoneyPorts, guard: Guard): Promise<void> {
  const nowMs = ports.clock.nowMs()
  for (const name of await ports.intents.soughtDue(SOUGHT, nowMs)) {
    if (ports.clock.nowMs() - nowMs > PASS_MS) return //  the others come first in the next one
    await guard(async () => {
      const sought = await ports.intents.sought(name)
      const ageMs = nowMs - (sought?.sinceMs ?? 0)
      await ports.intents.seekAgain(name, nowMs + Math.min(Math.max(ageMs / 8, SOONEST_MS), LATEST_MS))
      if (sought !== null && !ports.rails.some(({ id }) => id === sought.rail)) return //  out of service now
      const look = sought === null ? null : await lookOnce(name, sought, ports)
      if (look !== null && !isProblem(look) && look.kind !== 'found') return
      await ports.intents.seekAgain(name, null)
    })
  }
}

/** null: there is nothing to look for any more. */
async function lookOnce(name: string, { rail: wanted, tx }: Sought, ports: MoneyPorts): Promise<Look | null> {
  const rail = ports.rails.find(({ id }) => id === wanted)
  const read = await readIntent(name, ports)
  if (rail === undefined || read === null) return null
  const { intent } = read
  if (tx !== '') return await lookByHash({ name, intent, rail }, tx, null, ports)
  if (intent.confirmedMs !== null || ports.clock.nowMs() > intent.graceUntilMs + LISTED_AFTER_MS) return null
  return await lookAround({ name, intent, rail }, 'nobody', ports)
}
