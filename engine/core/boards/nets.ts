import { roundTo } from '../../../ops/units.ts'
import { NETS_MAX, type NetRow } from '../../contract/nets.ts'
import { legOf } from '../gapRow.ts'
import { byPair } from './byPair.ts'
import { higherFirst } from './higherFirst.ts'
import type { Net } from './priced.ts'
import { RankedRows } from './rankedRows.ts'

/**
 * Cents left after buying the ask of one venue and selling the bid of the other (spec 4.1 rule 4), as a row; negative
 * when the trade costs money. A pair has no net when neither direction has both its sides, a book is crossed, or venue
 * B has closed.
 */
export function netRow(net: Net): NetRow {
  const { pair, direction } = net
  const { netBps: _, ...taken } = direction
  return {
    pairId: pair.pairId,
    topic: pair.topic,
    category: pair.category,
    verdict: pair.verdict,
    reasons: pair.reasons,
    netCents: netCentsOf(direction),
    gapCents: net.gapCents,
    cheaperVenue: net.cheaperVenue,
    ...taken,
    buySide: sideAt(taken.buyVenue, pair.verdict),
    sellSide: sideAt(taken.sellVenue, pair.verdict),
    closesApartMs: net.closesApartMs,
    executable: net.executable,
    a: legOf(pair.a),
    b: legOf(pair.b),
  }
}

export const netCentsOf = ({ netBps }: Net['direction']): number => roundTo(netBps / 100, 2)

/** The contract of a venue's own market that stands for the yes of the question as A words it. */
const sideAt = (venue: 'a' | 'b', verdict: NetRow['verdict']): NetRow['buySide'] =>
  venue === 'b' && verdict === 'inverted' ? 'no' : 'yes'

/** Largest net first, equal nets by pair. */
export const bestNets = () =>
  new RankedRows<Net, NetRow>({
    idOf: ({ pair }) => pair.pairId,
    compare: (x, y) => higherFirst(x.direction.netBps, y.direction.netBps) || byPair(x.pair, y.pair),
    toldOf: netRow,
    max: NETS_MAX,
  })
