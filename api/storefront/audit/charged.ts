import { z } from 'zod'
import { assert } from '../../../ops/errors.ts'
import type { Reply } from '../../http/exchange.ts'
import type { Said } from './readers.ts'

const Named = z.record(z.string(), z.unknown())

/** The parts of a 402 that say what is charged, and for what. */
const Required = z.object({
  resource: z.object({ url: z.url() }),
  accepts: z.tuple([
    z.object({ amount: z.string(), network: z.string(), asset: z.string(), payTo: z.string() }),
  ]),
  extensions: z.object({
    bazaar: z.object({
      schema: z.object({
        properties: z.object({
          input: z.object({
            properties: z.object({
              queryParams: z
                .object({ properties: Named, required: z.array(z.string()).optional() })
                .optional(),
              headers: z.object({ properties: Named }).optional(),
            }),
          }),
        }),
      }),
    }),
  }),
})

/** What a 402 charges: read from header PAYMENT-REQUIRED, which payments are checked against; the SKU from its body. */
export function chargedBy(header: string, body: string): Said {
  const { resource, accepts, extensions } = Required.parse(
    JSON.parse(Buffer.from(header, 'base64').toString()),
  )
  const { queryParams, headers } = extensions.bazaar.schema.properties.input.properties
  const [{ amount, network, asset, payTo }] = accepts
  return {
    path: new URL(resource.url).pathname,
    sku: z.object({ sku: z.string() }).parse(JSON.parse(body)).sku,
    amount,
    network,
    asset,
    payTo,
    parameters: Object.keys(queryParams?.properties ?? {}).sort(),
    required: (queryParams?.required ?? []).toSorted(),
    headers: Object.keys(headers?.properties ?? {})
      .map((name) => name.toLowerCase())
      .sort(),
  }
}

export function chargedByReply({ headers, body }: Reply): Said {
  const header = headers.find(([name]) => name === 'payment-required')?.[1]
  assert(header !== undefined, 'an unpaid call is told what it costs')
  return chargedBy(header, String(body))
}
