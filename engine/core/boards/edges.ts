import { roundTo } from '../../../ops/units.ts'
import { EDGES_MAX, type EdgeRow, type EdgesBoard } from '../../contract/edges.ts'
import type { Assessed } from './assess.ts'
import { collectBest } from './best.ts'
import { UNITS_PER_CENT } from './fees.ts'
import { lockUp } from './lockUp.ts'

/** One pair's net after both takers' fees, as a row. */
export function edgeRow({ net, fees, table, depth, ...decided }: Assessed, nowMs: number): EdgeRow {
  return {
    ...net,
    ...decided,
    feeCents: { a: roundTo(fees.a / UNITS_PER_CENT, 4), b: roundTo(fees.b / UNITS_PER_CENT, 4) },
    feeTableVersion: table.version,
    bySize: depth?.bySize ?? null,
    depthSeenMs: depth?.seenMs ?? null,
    ...lockUp(decided.edgeCents, net.a.closeMs, net.b.closeMs, nowMs),
  }
}

//  Below every edge there is: a contract is worth a dollar.
const BEHIND_CENTS = 1_000

/** Largest edge first, those of one edge by pair; rows to avoid behind all others. */
export function edgesBoard(assessed: Iterable<Assessed>, nowMs: number): EdgesBoard {
  const best = collectBest<Assessed>(EDGES_MAX, (x, y) => (x.net.pairId < y.net.pairId ? -1 : 1))
  for (const each of assessed)
    best.push(each, each.edgeCents - (each.suggestedAction === 'avoid' ? BEHIND_CENTS : 0))
  return { rows: best.sorted().map((each) => edgeRow(each, nowMs)) }
}
