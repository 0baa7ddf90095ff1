import { formatUsdc } from '../../../ops/units.ts'
import type { CatalogRecord } from '../../catalog/record.ts'
import { type Good, isCoveredByPass } from '../../goods/good.ts'
import { tip } from '../../goods/services/tip.ts'
import type { Facts } from '../../storefront/facts.ts'
import { toTheCent } from '../live/format.ts'

/** A good as pages show it: its catalog record, and the good for what only that knows. */
export type Offered = { record: CatalogRecord; good: Good<unknown> | null }

/** In the order they are shown. */
const COLLECTIONS: Readonly<Record<string, string>> = {
  markets: 'Market reads',
  utility: 'Utility reads',
  receipts: 'Receipts and rail check',
  feeds: 'Feed tokens',
  access: 'Pass and permit',
  credits: 'Store credit',
  reports: 'Reports',
  operations: 'Operations',
  tools: 'Tools',
  patron: 'Patron',
}

/** Everything in the catalog, by collection; within one in the order of the catalog. */
export function byCollection({ catalog, goods }: Facts): Map<string, Offered[]> {
  const bySku = new Map(goods.map((good) => [good.sku, good]))
  const groups = Map.groupBy(
    catalog.map((record) => ({ record, good: bySku.get(record.sku) ?? null })),
    ({ record }) => record.collection,
  )
  const shown = new Set([...Object.keys(COLLECTIONS), ...groups.keys()])
  return new Map([...shown].flatMap((name) => (groups.has(name) ? [[name, groups.get(name)!]] : [])))
}

export const collectionTitle = (name: string): string => COLLECTIONS[name] ?? name

/** USD as people write it: `0.50 USD`, `0.001 USD`. */
export const money = (microUsdc: bigint): string => `${toTheCent(formatUsdc(microUsdc))} USD`

const usd = (price: number): string => money(BigInt(Math.round(price * 1e6)))

export const priceWords = ({ record }: Offered): string =>
  record.sku === tip.sku ? 'you name it' : record.onSale ? usd(record.priceUsdc) : 'free'

export const listPriceWords = ({ record }: Offered): string =>
  record.basePriceUsdc > record.priceUsdc ? usd(record.basePriceUsdc) : 'the same'

export const coverWords = ({ good }: Offered): string =>
  good !== null && isCoveredByPass(good) ? 'yes' : 'no'
