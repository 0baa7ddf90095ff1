import { z } from 'zod'
import { exchange } from './exchange.ts'
import { PurchaseEnd } from './outcomes.ts'

export const LISTING_PATH = '/x402/services.json'

/** One read as a service publishes it, as far as we look at it. */
const Service = z.looseObject({
  sku: z.string(),
  path: z.string(),
  title: z.string(),
  priceUsdc: z.number(),
  coveredByHourPass: z.boolean(),
  parameters: z.array(z.looseObject({ in: z.string(), name: z.string(), required: z.boolean() })),
})
export type Service = z.infer<typeof Service>

/** What a service publishes about what it sells. */
const Listing = z.looseObject({
  mode: z.string().optional(),
  network: z.string(),
  asset: z.string(),
  payTo: z.string(),
  services: z.array(Service).max(1_000),
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

/** Whether a read has all of these words in its path, SKU or title. */
export const holdsAll =
  (words: readonly string[]) =>
  ({ path, sku, title }: Service): boolean => {
    const text = `${path} ${sku} ${title}`.toLowerCase()
    return words.every((word) => text.includes(word.toLowerCase()))
  }
