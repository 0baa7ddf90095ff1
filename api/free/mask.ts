import { HOUR } from '../../ops/units.ts'
import type { SeenSale } from './salesSince.ts'

/**
 * Different buyers a published line stands for at least. Everything on chain is known to the reader (payer, amount,
 * time), so a line must not tell which of them bought what (OPS-07).
 */
export const MIN_BUYERS = 5

/** Sales of some hours and at most MIN_BUYERS of their buyers: more need not be told apart. */
export type Group = { fromMs: number; untilMs: number; sales: number; buyers: ReadonlySet<string> }

export type Line = { fromMs: number; untilMs: number; sku: string | null; sales: number } // null: several kinds

/** Adds a page of one hour's sales, in place. */
export function countSales(bySku: Map<string, Group>, page: readonly SeenSale[], hourMs: number): void {
  for (const { sku, payer } of page) {
    const group = bySku.get(sku) ?? emptyGroup(hourMs)
    bySku.set(sku, merge(group, { ...emptyGroup(hourMs), sales: 1, buyers: new Set([payer]) }))
  }
}

const emptyGroup = (hourMs: number): Group => ({
  fromMs: hourMs,
  untilMs: hourMs + HOUR,
  sales: 0,
  buyers: new Set(),
})

/**
 * One hour's sales as lines. An SKU has a line of its own when it had MIN_BUYERS and its price does not give it away:
 * of SKUs that share a price at least two must have lines, else every payer of that amount is known to have bought the
 * one. All others become one line without an SKU, together with what earlier hours left; while those are too few
 * buyers, they wait for the next hour.
 * @param priceClass the same text for SKUs that look alike on chain; null when the SKU is the only one of its price.
 */
export function maskHour(
  bySku: ReadonlyMap<string, Group>,
  left: Group | null,
  priceClass: (sku: string) => string | null,
): { lines: Line[]; left: Group | null } {
  const enough = [...bySku].filter(([, { buyers }]) => buyers.size >= MIN_BUYERS)
  const ofClass = new Map<string, number>()
  for (const [sku] of enough) {
    const shared = priceClass(sku)
    if (shared !== null) ofClass.set(shared, (ofClass.get(shared) ?? 0) + 1)
  }
  const named = new Map(
    enough.filter(([sku]) => {
      const shared = priceClass(sku)
      return shared === null || ofClass.get(shared)! >= 2
    }),
  )
  let rest = left
  for (const [sku, group] of bySku) if (!named.has(sku)) rest = rest === null ? group : merge(rest, group)
  const lines = [...named]
    .sort(([x], [y]) => (x < y ? -1 : 1))
    .map(([sku, { fromMs, untilMs, sales }]): Line => ({ fromMs, untilMs, sku, sales }))
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
