import { roundTo } from '../../../ops/units.ts'
import { EDGES_MAX, type EdgeRow } from '../../contract/edges.ts'
import { type Assessed, feesOf } from './assess.ts'
import { byPair } from './byPair.ts'
import { UNITS_PER_CENT } from './fees.ts'
import { feeTableAt } from './feeTable.ts'
import { keepWhile } from './keepWhile.ts'
import { lockUp } from './lockUp.ts'
import { netRow } from './nets.ts'
import { suggestsTrade } from './suggestedAction.ts'
import { TopList } from './topList.ts'

/** One pair's net after both takers' fees, as a row. */
export function edgeRow({ net, depth, kept: _, ...decided }: Assessed, nowMs: number): EdgeRow {
  const { lockUpDays, annualisedPct } = lockUpOf({ net, edgeCents: decided.edgeCents }, nowMs)
  const fees = feesOf(net)
  return {
    ...netRow(net),
    ...decided,
    feeCents: { a: roundTo(fees.a / UNITS_PER_CENT, 4), b: roundTo(fees.b / UNITS_PER_CENT, 4) },
    feeTableVersion: feeTableAt(nowMs).version,
    bySize: depth?.bySize ?? null,
    depthSeenMs: depth?.seenMs ?? null,
    lockUpDays,
    annualisedPct,
  }
}

const lockUpOf = ({ net: { pair }, edgeCents }: Pick<Assessed, 'net' | 'edgeCents'>, nowMs: number) =>
  lockUp(edgeCents, pair.a.market.closeMs, pair.b.market.closeMs, nowMs)

//  More than any two edges differ by: a contract is worth a dollar.
const APART_CENTS = 1_000

/** Order: suggested trades, then `watch`, then `avoid`; within each the larger edge first, then by pair. */
export const bestEdges = () =>
  new TopList<Assessed>(
    EDGES_MAX,
    (each) =>
      each.edgeCents +
      (suggestsTrade(each) ? APART_CENTS : each.suggestedAction === 'avoid' ? -APART_CENTS : 0),
    (x, y) => byPair(x.net.pair, y.net.pair),
  )

/** The same as `edgeRow`; returns the same row object while the time until closing reads the same. */
export const createEdgeRows = () =>
  keepWhile((assessed: Assessed, nowMs, before: EdgeRow | undefined) => {
    const { untilMs, lockUpDays } = lockUpOf(assessed, nowMs)
    const isSame = before?.lockUpDays === lockUpDays //  the annualised yield follows from these days
    return { value: isSame ? before : edgeRow(assessed, nowMs), untilMs }
  })
