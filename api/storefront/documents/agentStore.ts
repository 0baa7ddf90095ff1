import { SECOND } from '../../../ops/units.ts'
import { STATED_PRICE_FLOOR_USDC } from '../../catalog/catalog.ts'
import type { OpeningSale } from '../../catalog/openingSale.ts'
import type { Facts } from '../facts.ts'
import { linksTo, PLACES } from '../places.ts'
import { describeService, MANIFEST_VERSION, SERVICE_NAME } from '../service.ts'
import { paymentRails } from './paymentRails.ts'

export const AGENT_STORE_PATH = PLACES.store.path
export const AGENT_STORE_MAX_AGE_MS = 5 * SECOND

/** `/agent-store.json`: the catalog manifest (spec 2.3), all SKUs on all purchase paths. Its opening sale counts on. */
export function agentStore(facts: Facts, openingSale: OpeningSale) {
  const { defaultRail, rails, unavailable } = paymentRails(facts)
  return {
    ok: true,
    manifestVersion: MANIFEST_VERSION,
    name: SERVICE_NAME,
    description: describeService(facts),
    mode: facts.mode,
    currency: 'USD',
    statedPriceFloorUsdc: STATED_PRICE_FLOOR_USDC,
    cardCheckout: facts.cardCheckout,
    catalog: facts.catalog,
    openingSale,
    defaultRail,
    rails,
    unavailableRails: unavailable,
    settler: facts.settler,
    links: linksTo(
      facts.publicUrl,
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
    ),
  }
}
