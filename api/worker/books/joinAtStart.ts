import { formatUsdc, HOUR } from '../../../ops/units.ts'
import type { Join } from '../../ledger/fence.ts'
import type { Mark } from '../../ledger/marks.ts'
import type { ChainView } from '../../settlement/port.ts'
import { everyBlockSince, headNow } from './blockSince.ts'
import { type BooksPorts, joinBooks, type PartsAsked, type Unexplained } from './joinBooks.ts'
import type { Progress } from './progress.ts'
import { sumOf } from './render.ts'

/**
 * The ledger may have lost a claim on a transfer older than its last beat: most transfers are shown immediately, but
 * how late is not limited (legacy.ts). A transfer shown later than this goes unnoticed; see decision 008.
 */
export const LOOK_BACK_MS = 1 * HOUR
/** A week of two-second blocks: an operator has to decide about more. */
const MOST_BLOCKS = 302_400n
/** Below the price of the cheapest good: amounts that strangers send to appear in a wallet's history. */
const DUST_MICRO = 500n

/**
 * Whether the ledger knows all the money that came since it was last open (DATA-03): one that was only stopped does, an
 * older copy of itself does not. A payment by authorization is recorded before it moves, so an unknown one is a loss;
 * an ordinary transfer may have come for an intent while every process was down. It counts as no loss if the last
 * process ended in order, since copies are mostly made of a ledger at work. Ends at the first part with a loss; parts
 * without one are remembered, so that an interrupted join resumes after them.
 */
export function createJoin({
  chain,
  ledger,
  asked,
  progressOf,
  now = Date.now,
}: {
  chain: BooksPorts['chain'] & Pick<ChainView, 'head'>
  ledger: BooksPorts['ledger']
  asked: Pick<PartsAsked, 'chainId' | 'asset' | 'receivers' | 'partBlocks'>
  progressOf: (mark: Mark) => Progress
  now?: () => number
}): Join {
  const arrivalsOnly = { ...ledger, sales: async () => [] } //  a sale without its money is no loss of the ledger's
  return async ({ epoch, beat, ended }) => {
    const head = await headNow(chain, now())
    const from = await everyBlockSince(chain, head, beat - LOOK_BACK_MS)
    const lastOpen = new Date(beat).toISOString()
    if (head.number - from > MOST_BLOCKS) return `it was last open at ${lastOpen}, long ago: ${LOOK}`
    const progress = progressOf({ epoch, beat })
    const asking = { ...asked, from, until: head.number, after: await progress.after(from, chain) }
    for await (const part of joinBooks(asking, { chain, ledger: arrivalsOnly, nowMs: head.timeMs })) {
      const lost = part.unexplained.filter((entry) => isLoss(entry, ended))
      const what = `${lost.length} transfers of ${formatUsdc(sumOf(lost))} USDC from block ${part.from} to ${part.until}`
      if (lost.length > 0)
        return `it was last open at ${lastOpen} and does not know ${what}, and perhaps later ones: ${LOOK}`
      await progress.keep(from, part.end)
    }
    return null
  }
}

const LOOK =
  'money is closed; look with ops/reconcile, then run ops/reconcile --rebuild if the ledger has lost data, --open if it was only stopped'

const isLoss = (entry: Unexplained, ended: boolean): boolean =>
  entry.why === 'unattributed' && entry.microUsdc >= DUST_MICRO && (entry.authorization !== null || !ended)
