import { z } from 'zod'
import { Mode } from '../../../ops/mode.ts'
import { CatalogRecord } from '../../catalog/record.ts'
import { ReceiptKeyShown } from '../../discovery/didDocument.ts'
import { ServiceEntry } from '../../storefront/entry.ts'
import { PLACES } from '../../storefront/places.ts'
import { PublishedRails } from '../../storefront/shapes.ts'
import { ProblemBody } from '../problems.ts'

/** What a page says, without its widgets. */
const Block = z.union([
  z.object({ p: z.string() }),
  z.object({ note: z.string() }),
  z.object({ list: z.array(z.string()) }),
  z.object({ steps: z.array(z.string()) }),
  z.object({
    table: z.string().describe('Caption'),
    rows: z.array(z.record(z.string(), z.string())).describe('Cells by the name of their column'),
  }),
  z.object({ code: z.string(), language: z.string(), name: z.string() }),
  z.object({ heading: z.string(), id: z.string().optional() }),
])
export const PageSection = z.object({ id: z.string(), title: z.string(), blocks: z.array(Block) })

const Page = z.object({
  ok: z.literal(true),
  mode: Mode,
  url: z.url(),
  title: z.string(),
  description: z.string(),
  lead: z.array(z.string()),
  sections: z.array(PageSection),
})

/** The records that a page's JSON has besides its words. */
const RECORDS: Readonly<Record<string, z.ZodRawShape>> = {
  [PLACES.catalog.path]: {
    manifestVersion: z.string(),
    collections: z.array(
      z.object({
        name: z.string(),
        title: z.string(),
        goods: z.array(
          CatalogRecord.extend({
            parameters: ServiceEntry.shape.parameters,
            coveredByHourPass: z.boolean(),
          }),
        ),
      }),
    ),
  },
  [PLACES.agents.path]: {
    waysToPay: z.array(z.string()),
    headers: z.array(z.object({ name: z.string(), sentBy: z.string(), what: z.string() })),
  },
  [PLACES.checkoutHelp.path]: { states: z.array(z.object({ state: z.string(), meaning: z.string() })) },
  [PLACES.terms.path]: {
    catalog: z.array(CatalogRecord),
    statedPriceFloorUsdc: z.number(),
    rails: z.array(
      PublishedRails.rails.element.pick({
        id: true,
        label: true,
        chain: true,
        asset: true,
        agentDefault: true,
      }),
    ),
    unavailableRails: PublishedRails.unavailable,
    openingSale: z.boolean().describe('Active'),
    cardCheckout: z.boolean().describe('Configured'),
  },
  [PLACES.errors.path]: {
    errors: z.array(
      ProblemBody.pick({
        code: true,
        type: true,
        status: true,
        retryable: true,
        title: true,
        next: true,
      }),
    ),
  },
  [PLACES.quickstart.path]: {
    examples: z.array(z.object({ id: z.string(), name: z.string(), language: z.string(), code: z.string() })),
  },
  [PLACES.receipts.path]: {
    descriptor: z.string(),
    verify: z.object({ get: z.string(), post: z.string() }),
    keys: z.array(ReceiptKeyShown.omit({ publicKeyJwk: true })),
  },
  [PLACES.localTool.path]: {
    hosted: z.literal(false),
    freeTrial: z.object({
      billableUses: z.int(),
      failuresCount: z.literal(false),
      circuitRotationCounts: z.literal(false),
    }),
    permit: z.object({ path: z.string(), sku: z.string(), redeem: z.string(), header: z.string() }),
    unlock: z.object({ sku: z.string(), verify: z.string() }),
  },
}

/** Shapes of the pages' JSON, by path. */
export const PAGE_SHAPES: ReadonlyMap<string, z.ZodType> = new Map(
  Object.entries(RECORDS).map(([path, records]) => [path, Page.extend(records)]),
)
