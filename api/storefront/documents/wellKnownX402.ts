import { offerOf } from '../../payment/challenge.ts'
import { type Document, jsonDocument } from '../document.ts'
import type { Facts } from '../facts.ts'
import { linksTo } from '../places.ts'
import { describeService, SERVICE_NAME, X402_VERSION } from '../service.ts'

/**
 * `/.well-known/x402`: URLs of all paid resources, for crawlers that start there, and what each accepts. No ownership
 * proof: that would be a signature by the key of the receiving address, which this service does not hold.
 */
const x402Resources = (facts: Facts) => ({
  version: 1,
  x402Version: X402_VERSION,
  name: SERVICE_NAME,
  description: describeService(facts),
  mode: facts.mode,
  resources: facts.goods.map(({ path }) => `${facts.publicUrl}${path}`),
  ownershipProofs: [],
  items: facts.goods.map((good) => ({
    resource: `${facts.publicUrl}${good.path}`,
    type: 'http',
    method: 'GET',
    description: good.description,
    accepts: [offerOf(good, facts.terms)],
  })),
  links: linksTo(facts.publicUrl, 'services', 'openapi'),
})

/** Some crawlers ask with a suffix. */
export const wellKnownX402: readonly Document[] = [
  jsonDocument('/.well-known/x402', x402Resources),
  jsonDocument('/.well-known/x402.json', x402Resources),
]
