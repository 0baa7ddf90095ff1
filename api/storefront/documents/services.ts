import { z } from 'zod'
import { Mode } from '../../../ops/mode.ts'
import { usdcNumber } from '../../../ops/units.ts'
import { jsonDocument } from '../document.ts'
import { ServiceEntry, serviceEntries } from '../entry.ts'
import type { Facts } from '../facts.ts'
import { Limit, limitsOf } from '../limits.ts'
import { Links, linksTo, PLACES } from '../places.ts'
import { describeService, SERVICE_NAME, X402_VERSION } from '../service.ts'
import { SettlerRecord } from '../settlerRecord.ts'
import { PublishedRate } from '../shapes.ts'

const EXTENSIONS = ['bazaar', 'payment-identifier', 'offer-receipt'] as const
const LINKS = [
  'openapi',
  'llms',
  'skill',
  'store',
  'rails',
  'receiptOracle',
  'quickstart',
  'errors',
  'mcp',
] as const

export const ServicesListing = z.object({
  ok: z.literal(true),
  x402Version: z.literal(X402_VERSION),
  name: z.string(),
  description: z.string(),
  mode: Mode,
  recorded: z.boolean().describe('Markets are a recording'),
  network: z.string().describe('CAIP-2'),
  asset: z.string(),
  payTo: z.string(),
  settler: SettlerRecord,
  extensions: z.array(z.enum(EXTENSIONS)),
  currency: z.literal('USD'),
  cheapestUsdc: z.number(),
  services: z.array(ServiceEntry),
  limits: z.array(Limit),
  rateLimits: z.array(PublishedRate),
  links: Links(LINKS),
})

/** `/x402/services.json`: every paid GET with what it costs, takes and gives. */
const servicesListing = (facts: Facts): z.input<typeof ServicesListing> => ({
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
  extensions: [...EXTENSIONS],
  currency: 'USD',
  cheapestUsdc: Math.min(...facts.goods.map(({ priceMicroUsdc }) => usdcNumber(priceMicroUsdc))),
  services: serviceEntries(facts),
  limits: limitsOf(facts),
  rateLimits: [...facts.rates],
  links: linksTo(facts.publicUrl, LINKS),
})

export const services = jsonDocument(PLACES.services.path, ServicesListing, servicesListing)
