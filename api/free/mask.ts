import { HOUR } from '../../ops/units.ts'
import type { SeenSale } from './salesSince.ts'

/**
 * The least number of different buyers behind a published line. A reader knows everything on chain (payer, amount,
 * time), so a line must not reveal which of them bought what (OPS-07).
 */
export const MIN_BUYERS = 5

/** Sales of some hours and at most MIN_BUYERS of their buyers: more of them need not be distinguished. */
export type Group = { fromMs: number; untilMs: number; sales: number; buyers: ReadonlySet<string> }

export type Line = { fromMs: number; untilMs: number; sku: string | null; sales: number } // null: several kinds

/**
 * A signed payment moves exactly the price, so the chain shows what was bought if nothing else is sold at that price.
 * Other ways to pay reveal nothing: credit and cards are not on chain, transfers have amounts of their own.
 */
export function shownOnChainOf(
  sold: readonly { sku: string; priceMicroUsdc: bigint }[],
): (sale: SeenSale) => string | null {
  const atPrice = Map.groupBy(sold, ({ priceMicroUsdc }) => priceMicroUsdc)
  const shown = new Set([...atPrice.values()].flatMap((alike) => (alike.length === 1 ? [alike[0]!.sku] : [])))
  return ({ sku, purchasePath }) => (purchasePath === 'x402' && shown.has(sku) ? sku : null)
}

/**
 * Adds a page of one hour's sales, in place.
 * @param shownOnChain the SKU that the chain reveals for a sale; null: it reveals none.
 */
export function countSales(
  bySku: Map<string | null, Group>,
  page: readonly SeenSale[],
  hourMs: number,
  shownOnChain: (sale: SeenSale) => string | null,
): void {
  for (const sale of page) {
    const sku = shownOnChain(sale)
    const group = bySku.get(sku) ?? emptyGroup(hourMs)
    bySku.set(sku, merge(group, { ...emptyGroup(hourMs), sales: 1, buyers: new Set([sale.payer]) }))
  }
}

const emptyGroup = (hourMs: number): Group => ({
  fromMs: hourMs,
  untilMs: hourMs + HOUR,
  sales: 0,
  buyers: new Set(),
})

/**
 * One hour's sales as lines. An SKU that the chain shows has a line of its own if it had MIN_BUYERS. All others become
 * one line without an SKU, together with what earlier hours left over; while these have too few buyers, they wait for
 * the next hour.
 *
 * A count of buyers alone protects nobody: someone who buys with four wallets sees by the fifth sale that somebody else
 * bought the same. So what the chain does not reveal (which of the reads that share a price, what credit or a card paid
 * for) is in no line: the lines are the same whatever it was.
 */
export function maskHour(
  bySku: ReadonlyMap<string | null, Group>,
  left: Group | null,
): { lines: Line[]; left: Group | null } {
  const lines: Line[] = []
  let rest = left
  for (const [sku, group] of bySku) {
    if (sku === null || group.buyers.size < MIN_BUYERS) rest = rest === null ? group : merge(rest, group)
    else lines.push({ fromMs: group.fromMs, untilMs: group.untilMs, sku, sales: group.sales })
  }
  lines.sort((x, y) => (x.sku! < y.sku! ? -1 : 1))
  if (rest === null || rest.buyers.size < MIN_BUYERS) return { lines, left: rest }
  const { fromMs, untilMs, sales } = rest
  return { lines: [...lines, { fromMs, untilMs, sku: null, sales }], left: null }
}

function merge(one: Group, other: Group): Group {
  const buyers = new Set(one.buyers)
  for (const buyer of other.buyers) if (buyers.size < MIN_BUYERS) buyers.add(buyer)
  return {
    fromMs: Math.min(one.fromMs, other.fromMs),
    untilMs: Math.max(one.untilMs, other.untilMs),
    sales: one.sales + other.sales,
    buyers,
  }
}
