import { roundTo } from '../../../ops/units.ts'
import type { EdgeRow } from '../../contract/edges.ts'
import { type Books, type Depth, walkDepth } from './depth.ts'
import type { Direction } from './direction.ts'
import { contractFee, UNITS_PER_CENT } from './fees.ts'
import { feeTableAt } from './feeTable.ts'
import type { Keeper } from './keepWhile.ts'
import type { At } from './livePair.ts'
import { isNet, type Net, type Priced } from './priced.ts'
import { type Known, riskFlags } from './riskFlags.ts'
import { suggestedAction } from './suggestedAction.ts'

/** What is worked out for every pair at every look; rows are made from it only for the pairs that are shown. */
export type Assessed = Pick<EdgeRow, 'edgeCents' | 'feesGuessed' | 'riskFlags' | 'suggestedAction'> & {
  net: Net
  depth: Depth | null
} & Keeper<EdgeRow>

//  Net in bps → 1e-14 dollar, the unit of unrounded fees.
const UNITS_PER_BPS = UNITS_PER_CENT / 100

/**
 * The net of a pair after both takers' fees, with its risks and the suggested action. The top edge is per contract with
 * unrounded fees, which is what a large order pays; the walked sizes carry the fees as each venue rounds them. Null
 * where there is no net.
 * @param life the life of the pair's open gap, if it has one.
 */
export function assess(priced: Priced, books: Books, life: Known['life'], at: At): Assessed | null {
  if (!isNet(priced)) return null
  const { pair, direction } = priced
  const fees = feesOf(priced)
  const edgeCents = roundTo((direction.netBps * UNITS_PER_BPS - fees.a - fees.b) / UNITS_PER_CENT, 2)
  const feesGuessed = pair.a.market.fees?.flagged === true || pair.b.market.fees?.flagged === true
  const depth = walkDepth(pair, direction, books, feeTableAt(at.nowMs), at)
  const contractsAtTop = atTop(priced, direction, depth)
  const known = { contractsAtTop, bySize: depth?.bySize ?? null, edgeCents, feesGuessed, life }
  const flags = riskFlags(priced, direction, known, at)
  const { executable } = priced
  const action = suggestedAction({ edgeCents, executable, buyVenue: direction.buyVenue }, flags)
  return { net: priced, depth, edgeCents, feesGuessed, riskFlags: flags, suggestedAction: action, kept: null }
}

/** What each venue charges for one contract, unrounded, 1e-14 dollar. */
export function feesOf({ pair, direction }: Net): { a: number; b: number } {
  const prices = pricesOf(direction)
  return { a: contractFee(pair.a.market.fees, prices.a), b: contractFee(pair.b.market.fees, prices.b) }
}

const pricesOf = ({ buyVenue, buyBps, sellBps }: Direction) =>
  buyVenue === 'a' ? { a: buyBps, b: sellBps } : { a: sellBps, b: buyBps }

/**
 * Contracts available at both best prices: from the books where they are known, otherwise from the sizes the quotes
 * state.
 */
function atTop(priced: Priced, { buyVenue, sellVenue }: Direction, depth: Depth | null): number | null {
  if (depth !== null) return depth.contractsAtTop
  const [bought, sold] = [priced[buyVenue].askSize, priced[sellVenue].bidSize]
  if (bought === null || sold === null) return bought ?? sold
  return Math.min(bought, sold)
}
