import { usdcNumber } from '../../../ops/units.ts'
import { jsonDocument } from '../document.ts'
import { serviceEntries } from '../entry.ts'
import type { Facts } from '../facts.ts'
import { limitsOf } from '../limits.ts'
import { linksTo } from '../places.ts'
import { describeService, SERVICE_NAME, X402_VERSION } from '../service.ts'

/** `/x402/services.json`: every paid GET with what it costs, takes and gives. */
const servicesListing = (facts: Facts) => ({
  ok: true,
  x402Version: X402_VERSION,
  name: SERVICE_NAME,
  description: describeService(facts),
  mode: facts.mode,
  recorded: facts.recorded,
  network: facts.terms.network,
  asset: facts.terms.asset,
  payTo: facts.terms.payTo,
  settler: facts.settler,
  extensions: ['bazaar', 'payment-identifier', 'offer-receipt'],
  currency: 'USD',
  cheapestUsdc: Math.min(...facts.goods.map(({ priceMicroUsdc }) => usdcNumber(priceMicroUsdc))),
  services: serviceEntries(facts),
  limits: limitsOf(facts),
  rateLimits: facts.rates,
  links: linksTo(
    facts.publicUrl,
    'openapi',
    'llms',
    'skill',
    'store',
    'rails',
    'receiptOracle',
    'quickstart',
    'errors',
    'mcp',
  ),
})

export const services = jsonDocument('/x402/services.json', servicesListing)
