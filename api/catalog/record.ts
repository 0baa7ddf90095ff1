import { z } from 'zod'

const Usd = z.number().nonnegative()
const Percent = z.number().min(0).max(100)

/** One thing in the catalog, field by field as in spec 2.3. Prices in USD; a wallet agent pays `agentPriceUsdc`. */
export const CatalogRecord = z.object({
  sku: z.string(),
  name: z.string(),
  collection: z.string(),
  tagline: z.string(),
  deliveryNote: z.string(),
  type: z.enum(['agent_micro', 'service', 'license']),
  agentOnly: z.boolean(), //      paid from a wallet only
  stripeEnabled: z.boolean(), //  card checkout
  onSale: z.boolean(), //         can be bought now
  instantDelivery: z.boolean(),
  promoted: z.boolean(),
  basePriceUsdc: Usd, //          list price
  priceUsdc: Usd, //              charged
  agentPriceUsdc: Usd,
  agentSavingsUsdc: Usd,
  discountPct: Percent,
  agentSavingsPct: Percent,
  saleReason: z.string().nullable(),
  delivers: z.string().nullable(),
  priority: z.enum(['P0', 'P1']),
  path: z.string().nullable(), // of the GET that sells it; null: classic purchase (or card) only
})
export type CatalogRecord = z.infer<typeof CatalogRecord>

/** The price fields that accompany a quote as `agentPricing`. */
export const AgentPricing = CatalogRecord.pick({
  basePriceUsdc: true,
  agentPriceUsdc: true,
  agentSavingsUsdc: true,
  agentSavingsPct: true,
})
export type AgentPricing = z.infer<typeof AgentPricing>
