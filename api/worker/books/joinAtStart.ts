import { formatUsdc, HOUR } from '../../../ops/units.ts'
import type { Join } from '../../ledger/fence.ts'
import type { ChainView } from '../../settlement/port.ts'
import { blockSince } from './blockSince.ts'
import { type BooksAsked, type BooksPorts, joinBooks, type Unexplained } from './joinBooks.ts'
import { sumOf } from './render.ts'

/** A transfer may be shown some time after it was made: what the ledger lost may be about one that is older than its last beat. */
export const SHOWN_WITHIN_MS = 1 * HOUR
/** A week of two-second blocks: more is for an operator to wait for. */
const MOST_BLOCKS = 302_400n
/** Less than the cheapest good asks of anybody: what strangers send to be seen in a wallet's history. */
const DUST_MICRO = 500n

/**
 * Whether the ledger knows of all the money that came since it was last open (DATA-03): one that was only stopped does, an
 * older copy of itself does not. A payment by authorization is written down before it moves, so that one nobody
 * knows is a loss; an ordinary transfer may have come for an intent while everybody was away. That is told apart where the last
 * process ended in order: a copy is mostly made of a ledger at work.
 */
export function createJoin({
  chain,
  ledger,
  asked,
}: {
  chain: BooksPorts['chain'] & Pick<ChainView, 'head'>
  ledger: BooksPorts['ledger']
  asked: Pick<BooksAsked, 'chainId' | 'asset' | 'receivers'>
}): Join {
  return async ({ beat, ended }) => {
    const head = await chain.head('latest')
    const from = await blockSince(chain, head, { sinceMs: beat - SHOWN_WITHIN_MS })
    const lastOpen = new Date(beat).toISOString()
    if (from > head.number) return null //  a chain that has stood still since
    if (head.number - from > MOST_BLOCKS) return `it was last open at ${lastOpen}, long ago: ${LOOK}`
    const asking = { ...asked, from, until: head.number }
    const books = await joinBooks(asking, { chain, ledger, nowMs: head.timeMs })
    const lost = books.unexplained.filter((entry) => isLoss(entry, ended))
    if (lost.length === 0) return null
    const sum = formatUsdc(sumOf(lost))
    return `it was last open at ${lastOpen} and does not know ${lost.length} transfers of ${sum} USDC from block ${from} on: ${LOOK}`
  }
}

const LOOK =
  'money is closed; look with ops/reconcile, then run ops/reconcile --rebuild if the ledger has lost data, --open if it was only stopped'

const isLoss = (entry: Unexplained, ended: boolean): boolean =>
  entry.why === 'unattributed' && entry.microUsdc >= DUST_MICRO && (entry.authorization !== null || !ended)
