import { z } from 'zod'
import { exchange } from './exchange.ts'
import { PurchaseEnd } from './outcomes.ts'

export const LISTING_PATH = '/x402/services.json'

/** What a service publishes about what it sells, as far as the list shows it. */
const Listing = z.looseObject({
  mode: z.string().optional(),
  network: z.string(),
  asset: z.string(),
  payTo: z.string(),
  services: z
    .array(
      z.looseObject({
        sku: z.string(),
        path: z.string(),
        title: z.string(),
        priceUsdc: z.number(),
        coveredByHourPass: z.boolean(),
        parameters: z.array(z.looseObject({ in: z.string(), name: z.string(), required: z.boolean() })),
      }),
    )
    .max(1_000),
})
type Listing = z.infer<typeof Listing>

/** @throws PurchaseEnd */
export async function readListing(base: string, timeoutMs: number): Promise<Listing> {
  const { answer, attempt } = await exchange(new Request(new URL(LISTING_PATH, base)), timeoutMs)
  if (answer === null) throw new PurchaseEnd('unreachable', `${base} does not answer (${attempt.reason})`)
  const listing = Listing.safeParse(answer.json)
  if (answer.status !== 200 || !listing.success)
    throw new PurchaseEnd(
      'refused',
      `${base} publishes no list of services at ${LISTING_PATH} (${answer.status})`,
    )
  return listing.data
}
