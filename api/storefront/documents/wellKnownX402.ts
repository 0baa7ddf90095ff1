import { z } from 'zod'
import { Mode } from '../../../ops/mode.ts'
import { offerOf } from '../../payment/challenge.ts'
import { type Document, jsonDocument } from '../document.ts'
import type { Facts } from '../facts.ts'
import { Links, linksTo, PLACES } from '../places.ts'
import { describeService, SERVICE_NAME, X402_VERSION } from '../service.ts'
import { Offer } from '../shapes.ts'

const LINKS = ['services', 'openapi'] as const

const X402Resources = z.object({
  version: z.literal(1),
  x402Version: z.literal(X402_VERSION),
  name: z.string(),
  description: z.string(),
  mode: Mode,
  resources: z.array(z.url()),
  ownershipProofs: z.array(z.string()),
  items: z.array(
    z.object({
      resource: z.url(),
      type: z.literal('http'),
      method: z.literal('GET'),
      description: z.string(),
      accepts: z.array(Offer).length(1),
    }),
  ),
  links: Links(LINKS),
})

/**
 * `/.well-known/x402`: URLs of all paid resources, for crawlers that start there, what each accepts, and proof that the
 * payee owns this origin.
 */
const x402Resources = (facts: Facts): z.input<typeof X402Resources> => ({
  version: 1,
  x402Version: X402_VERSION,
  name: SERVICE_NAME,
  description: describeService(facts),
  mode: facts.mode,
  resources: facts.goods.map(({ path }) => `${facts.publicUrl}${path}`),
  ownershipProofs: [...facts.ownershipProofs],
  items: facts.goods.map((good) => ({
    resource: `${facts.publicUrl}${good.path}`,
    type: 'http',
    method: 'GET',
    description: good.description,
    accepts: [offerOf(good, facts.terms)],
  })),
  links: linksTo(facts.publicUrl, LINKS),
})

/** Some crawlers ask with a suffix. */
export const wellKnownX402: readonly Document[] = [
  jsonDocument(PLACES.x402.path, X402Resources, x402Resources),
  jsonDocument('/.well-known/x402.json', X402Resources, x402Resources),
]
