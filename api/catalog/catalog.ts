import { TOOL_TRIAL_USES } from '../entitlements/permit.ts'
import type { Good } from '../goods/good.ts'
import { alphaDay, botFuelDay } from '../goods/grants/feedTokens.ts'
import { GOODS } from '../goods/index.ts'
import { botFuel } from '../goods/market/botFuel.ts'
import { botFuelPack } from '../goods/market/botFuelPack.ts'
import { edge } from '../goods/market/edge.ts'
import { edgePack } from '../goods/market/edgePack.ts'
import { ping } from '../goods/ping.ts'
import { receiptOracle } from '../goods/receiptOracle.ts'
import { SERVICES } from '../goods/services/index.ts'
import type { Service } from '../goods/services/service.ts'
import { UTILITY_GOODS } from '../goods/utility/index.ts'
import { agentPricing } from './pricing.ts'
import type { CatalogRecord } from './record.ts'

/** Version of the catalog manifest (spec 9). */
export const CATALOG_VERSION = '2.12'
/** Published as the spec states it; it raises no price (design 4). */
export const STATED_PRICE_FLOOR_USDC = 0.05

const UTILITY: ReadonlySet<string> = new Set(UTILITY_GOODS.map(({ sku }) => sku))
const PROMOTED: ReadonlySet<string> = new Set([botFuel.sku, botFuelPack.sku, botFuelDay.sku])
/** Legacy or cross-venue alternatives (spec 9). */
const ALTERNATIVES: ReadonlySet<string> = new Set([edge.sku, edgePack.sku, alphaDay.sku])

const pricesOf = (good: Parameters<typeof agentPricing>[0]) => {
  const pricing = agentPricing(good)
  return {
    ...pricing,
    priceUsdc: pricing.agentPriceUsdc,
    discountPct: pricing.agentSavingsPct,
  }
}

const microRecord = (good: Good<unknown>): CatalogRecord => ({
  sku: good.sku,
  name: good.title,
  collection: collectionOf(good),
  tagline: firstSentence(good.description),
  deliveryNote: 'Inline in the JSON body of the 200 answer.',
  type: 'agent_micro',
  agentOnly: true,
  stripeEnabled: false,
  onSale: true,
  instantDelivery: true,
  promoted: PROMOTED.has(good.sku),
  ...pricesOf(good),
  saleReason: null,
  delivers: good.delivers,
  priority: ALTERNATIVES.has(good.sku) ? 'P1' : 'P0',
  path: good.path,
})

const serviceRecord = ({ presented, ...service }: Service<unknown>): CatalogRecord => ({
  sku: service.sku,
  name: service.title,
  collection: presented.collection,
  tagline: presented.tagline,
  deliveryNote: presented.deliveryNote,
  type: presented.type,
  agentOnly: !presented.cardCheckout,
  stripeEnabled: presented.cardCheckout,
  onSale: true,
  instantDelivery: true,
  promoted: presented.promoted,
  ...pricesOf(service),
  saleReason: service.listPriceMicroUsdc > service.priceMicroUsdc ? 'Agent price' : null,
  delivers: presented.delivers,
  priority: 'P1',
  path: null,
})

export const OPEN_TOOL_SKU = 'SKU_OPEN_TOR_MCP'

/** The open-source tool: listed, free, and not sold here. */
const OPEN_TOOL: CatalogRecord = {
  sku: OPEN_TOOL_SKU,
  name: 'Open-source anonymizing-network tool',
  collection: 'tools',
  tagline: `Runs on your machine; ${TOOL_TRIAL_USES} successful billable uses are free, circuit rotation always is.`,
  deliveryNote: 'Not sold and not hosted here: see /install/tor-mcp.',
  type: 'license',
  agentOnly: false,
  stripeEnabled: false,
  onSale: false,
  instantDelivery: false,
  promoted: false,
  basePriceUsdc: 0,
  priceUsdc: 0,
  agentPriceUsdc: 0,
  agentSavingsUsdc: 0,
  discountPct: 0,
  agentSavingsPct: 0,
  saleReason: null,
  delivers: null,
  priority: 'P1',
  path: null,
}

/** Every SKU, in the order shown. Derived from the goods, so that each price is written in one place only. */
export const CATALOG: readonly CatalogRecord[] = [
  ...GOODS.map(microRecord),
  ...SERVICES.map(serviceRecord),
  OPEN_TOOL,
]

const BY_SKU: ReadonlyMap<string, CatalogRecord> = new Map(CATALOG.map((record) => [record.sku, record]))
export const catalogRecord = (sku: string): CatalogRecord | undefined => BY_SKU.get(sku)

function collectionOf({ sku, grant, creditMicroUsdc }: Good<unknown>): string {
  if (creditMicroUsdc !== undefined) return 'credits'
  if (grant !== undefined) return grant.kind === 'feed' ? 'feeds' : 'access'
  if (UTILITY.has(sku)) return 'utility'
  return sku === ping.sku || sku === receiptOracle.sku ? 'receipts' : 'markets'
}

function firstSentence(text: string): string {
  return (/^.*?[.:](?=\s|$)/.exec(text)?.[0] ?? text).replace(/:$/, '.')
}
