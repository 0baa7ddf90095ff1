import { roundTo } from '../../../ops/units.ts'
import { EDGES_MAX, type EdgeRow, type EdgesBoard } from '../../contract/edges.ts'
import type { NetRow } from '../../contract/nets.ts'
import { type Books, type Depth, walkDepth } from './depth.ts'
import type { Direction } from './direction.ts'
import { contractFee, UNITS_PER_CENT } from './fees.ts'
import { feeTableAt } from './feeTable.ts'
import type { At } from './livePair.ts'
import { lockUp } from './lockUp.ts'
import { netRow } from './nets.ts'
import type { Priced } from './priced.ts'
import { type Known, riskFlags } from './riskFlags.ts'
import { suggestedAction } from './suggestedAction.ts'

//  Net in bps → 1e-14 dollar, the unit of unrounded fees.
const UNITS_PER_BPS = UNITS_PER_CENT / 100

/**
 * The net of a pair after both takers' fees. The edge at the top is per contract with unrounded fees, which is what
 * a large order pays; the walked sizes carry the fees as each venue rounds them. Null where there is no net.
 * @param life of the pair's open gap, if it has one.
 */
export function edgeRow(
  priced: Priced,
  books: Books,
  life: Known['life'],
  at: At,
  net: NetRow | null = netRow(priced),
): EdgeRow | null {
  const { pair, direction } = priced
  if (net === null || direction === null) return null
  const table = feeTableAt(at.nowMs)
  const terms = { a: pair.a.market.fees, b: pair.b.market.fees }
  const prices = pricesOf(direction)
  const fees = { a: contractFee(terms.a, prices.a), b: contractFee(terms.b, prices.b) }
  const edgeCents = roundTo((direction.netBps * UNITS_PER_BPS - fees.a - fees.b) / UNITS_PER_CENT, 2)
  const feesGuessed = terms.a?.flagged === true || terms.b?.flagged === true
  const depth = walkDepth(pair, direction, books, table, at)
  const bySize = depth?.bySize ?? null
  const contractsAtTop = atTop(priced, direction, depth)
  const flags = riskFlags(priced, direction, { contractsAtTop, bySize, edgeCents, feesGuessed, life }, at)
  return {
    ...net,
    edgeCents,
    feeCents: { a: roundTo(fees.a / UNITS_PER_CENT, 4), b: roundTo(fees.b / UNITS_PER_CENT, 4) },
    feeTableVersion: table.version,
    feesGuessed,
    bySize,
    depthSeenMs: depth?.seenMs ?? null,
    ...lockUp(edgeCents, net.a.closeMs, net.b.closeMs, at.nowMs),
    riskFlags: flags,
    suggestedAction: suggestedAction(
      { edgeCents, executable: net.executable, buyVenue: net.buyVenue },
      flags,
    ),
  }
}

/** Largest edge first, those of one edge by pair; rows to avoid behind all others. */
export function edgesBoard(rows: readonly EdgeRow[]): EdgesBoard {
  const behind = (row: EdgeRow) => (row.suggestedAction === 'avoid' ? 1 : 0)
  const ranked = [...rows].sort(
    (x, y) => behind(x) - behind(y) || y.edgeCents - x.edgeCents || (x.pairId < y.pairId ? -1 : 1),
  )
  return { rows: ranked.slice(0, EDGES_MAX) }
}

const pricesOf = ({ buyVenue, buyBps, sellBps }: Direction) =>
  buyVenue === 'a' ? { a: buyBps, b: sellBps } : { a: sellBps, b: buyBps }

/** Contracts that both best prices stand for: from the books where they are known, else as far as both quotes say. */
function atTop(priced: Priced, { buyVenue, sellVenue }: Direction, depth: Depth | null): number | null {
  if (depth !== null) return depth.contractsAtTop
  const [bought, sold] = [priced[buyVenue].askSize, priced[sellVenue].bidSize]
  if (bought === null || sold === null) return bought ?? sold
  return Math.min(bought, sold)
}
