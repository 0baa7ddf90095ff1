import { z } from 'zod'
import { Mode } from '../../../ops/mode.ts'
import { SECOND } from '../../../ops/units.ts'
import { CATALOG_VERSION, STATED_PRICE_FLOOR_USDC } from '../../catalog/catalog.ts'
import { OpeningSale } from '../../catalog/openingSale.ts'
import { CatalogRecord } from '../../catalog/record.ts'
import type { Facts } from '../facts.ts'
import { Links, linksTo, PLACES } from '../places.ts'
import { describeService, SERVICE_NAME } from '../service.ts'
import { SettlerRecord } from '../settlerRecord.ts'
import { PublishedRails } from '../shapes.ts'
import { paymentRails } from './paymentRails.ts'

export const AGENT_STORE_PATH = PLACES.store.path
export const AGENT_STORE_MAX_AGE_MS = 5 * SECOND

const LINKS = [
  'services',
  'openapi',
  'skill',
  'llms',
  'rails',
  'toolbox',
  'commerce',
  'receiptOracle',
  'catalog',
  'checkoutHelp',
] as const

export const AgentStore = z.object({
  ok: z.literal(true),
  manifestVersion: z.string(),
  name: z.string(),
  description: z.string(),
  mode: Mode,
  currency: z.literal('USD'),
  statedPriceFloorUsdc: z.number(),
  cardCheckout: z.boolean().describe('Configured'),
  catalog: z.array(CatalogRecord),
  openingSale: OpeningSale,
  defaultRail: PublishedRails.defaultRail,
  rails: PublishedRails.rails,
  unavailableRails: PublishedRails.unavailable,
  settler: SettlerRecord,
  links: Links(LINKS),
})

/**
 * `/agent-store.json`: the catalog manifest (spec 2.3), all SKUs on all purchase paths. Its opening sale count changes.
 */
export function agentStore(facts: Facts, openingSale: OpeningSale): z.input<typeof AgentStore> {
  const { defaultRail, rails, unavailable } = paymentRails(facts)
  return {
    ok: true,
    manifestVersion: CATALOG_VERSION,
    name: SERVICE_NAME,
    description: describeService(facts),
    mode: facts.mode,
    currency: 'USD',
    statedPriceFloorUsdc: STATED_PRICE_FLOOR_USDC,
    cardCheckout: facts.cardCheckout,
    catalog: [...facts.catalog],
    openingSale,
    defaultRail,
    rails,
    unavailableRails: unavailable,
    settler: facts.settler,
    links: linksTo(facts.publicUrl, LINKS),
  }
}
