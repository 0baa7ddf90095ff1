import { z } from 'zod'
import { usdcNumber } from '../../ops/units.ts'
import { agentPricing } from '../catalog/pricing.ts'
import { type Good, isCoveredByPass, type Parameter } from '../goods/good.ts'
import { offerOf } from '../payment/challenge.ts'
import { exampleOf } from '../payment/extensions/examples.ts'
import type { Facts } from './facts.ts'

const ShownParameter = z.object({
  in: z.enum(['query', 'header']),
  name: z.string(),
  required: z.boolean(),
  description: z.string(),
  example: z.string(),
  insteadOf: z.string().optional().describe('Another parameter: send one of the two, never both'),
})

/** One paid GET as every machine-readable surface lists it. */
export const ServiceEntry = z.object({
  sku: z.string(),
  path: z.string(),
  url: z.url(),
  method: z.literal('GET'),
  title: z.string(),
  description: z.string(),
  scheme: z.literal('exact'),
  network: z.string(), //               CAIP-2
  asset: z.string(),
  payTo: z.string(),
  priceUsdc: z.number(), //             charged
  basePriceUsdc: z.number(), //         list price
  amount: z.string().regex(/^\d+$/), // charged, in the asset's smallest unit
  maxTimeoutSeconds: z.int(),
  maxSpendUsdc: z.number().optional(), // default spend cap of this read
  coveredByHourPass: z.boolean(),
  parameters: z.array(ShownParameter),
  delivers: z.string().nullable(),
  example: z.object({ ok: z.literal(true), sku: z.string(), result: z.record(z.string(), z.unknown()) }),
  tags: z.array(z.string()),
})
export type ServiceEntry = z.infer<typeof ServiceEntry>

export function serviceEntry(good: Good<unknown>, { publicUrl, terms, catalog }: Facts): ServiceEntry {
  const record = catalog.find(({ sku }) => sku === good.sku)
  const { scheme, network, asset, payTo, amount, maxTimeoutSeconds } = offerOf(good, terms)
  const { basePriceUsdc, agentPriceUsdc } = agentPricing(good)
  return {
    sku: good.sku,
    path: good.path,
    url: `${publicUrl}${good.path}`,
    method: 'GET',
    title: good.title,
    description: good.description,
    scheme,
    network,
    asset,
    payTo,
    priceUsdc: agentPriceUsdc,
    basePriceUsdc,
    amount,
    maxTimeoutSeconds,
    ...(good.maxSpendMicroUsdc === undefined ? {} : { maxSpendUsdc: usdcNumber(good.maxSpendMicroUsdc) }),
    coveredByHourPass: isCoveredByPass(good),
    parameters: parametersOf(good),
    delivers: record?.delivers ?? null,
    example: { ok: true, sku: good.sku, result: exampleOf(good.sku) },
    tags: record === undefined ? [] : [record.collection, ...(record.promoted ? ['favoured'] : [])],
  }
}

export const serviceEntries = (facts: Facts): ServiceEntry[] =>
  facts.goods.map((good) => serviceEntry(good, facts))

export function parametersOf({
  parameters,
  headers = [],
  payload,
}: Good<unknown>): ServiceEntry['parameters'] {
  const shown = (place: 'query' | 'header') => (parameter: Parameter) => ({ in: place, ...parameter })
  return [
    ...parameters.map(shown('query')),
    ...[...headers, ...(payload === undefined ? [] : [payload])].map(shown('header')),
  ]
}
