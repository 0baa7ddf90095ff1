import { z } from 'zod'
import { Mode } from '../../../ops/mode.ts'
import { CATALOG_VERSION, OPEN_TOOL_SKU } from '../../catalog/catalog.ts'
import { PERMIT_CALLS, PERMIT_HEADER, PERMIT_PATH, TOOL_TRIAL_USES } from '../../entitlements/permit.ts'
import { UNLOCK_VERIFY_PATH } from '../../entitlements/unlock.ts'
import { torCall } from '../../goods/grants/torCall.ts'
import { torMcpPro } from '../../goods/services/torMcpPro.ts'
import { jsonDocument } from '../document.ts'
import { ServiceEntry, serviceEntries } from '../entry.ts'
import type { Facts } from '../facts.ts'
import { Links, linksTo, PLACES } from '../places.ts'
import { nameOf } from '../prose.ts'
import { describeService, SERVICE_NAME } from '../service.ts'

const LINKS = ['services', 'store', 'skill', 'localTool'] as const

const priced = { sku: z.string(), priceUsdc: z.number().nullable(), basePriceUsdc: z.number().nullable() }
const LocalTool = z.object({
  sku: z.string(),
  description: z.string(),
  hostedHere: z.literal(false),
  install: z.url(),
  freeTrial: z.object({
    uses: z.int(),
    counts: z.string(),
    failuresCount: z.literal(false),
    circuitRotation: z.string(),
  }),
  permit: z.object({
    ...priced,
    buy: z.object({ method: z.literal('GET'), url: z.url() }),
    calls: z.int(),
    redeem: z.object({ method: z.literal('GET'), url: z.url(), header: z.string() }),
  }),
  unlock: z.object({
    ...priced,
    buy: z.object({ method: z.literal('POST'), url: z.url(), body: z.object({ sku: z.string() }) }),
    delivers: z.string(),
    verify: z.object({ method: z.literal('POST'), url: z.url(), body: z.object({ unlockKey: z.string() }) }),
  }),
})

export const Toolbox = z.object({
  ok: z.literal(true),
  manifestVersion: z.string(),
  name: z.string(),
  description: z.string(),
  mode: Mode,
  mcp: z.object({ transport: z.literal('streamable-http'), url: z.url() }),
  tools: z.array(ServiceEntry.extend({ name: z.string(), kind: z.literal('paid_http_get') })),
  localTool: LocalTool,
  links: Links(LINKS),
})

/** `/agent-toolbox.json`: every read as a tool, and the tool that runs on the agent's own machine. */
const agentToolbox = (facts: Facts): z.input<typeof Toolbox> => ({
  ok: true,
  manifestVersion: CATALOG_VERSION,
  name: SERVICE_NAME,
  description: describeService(facts),
  mode: facts.mode,
  mcp: { transport: 'streamable-http', url: `${facts.publicUrl}${PLACES.mcp.path}` },
  tools: serviceEntries(facts).map((entry) => ({
    name: nameOf(entry),
    kind: 'paid_http_get' as const,
    ...entry,
  })),
  localTool: localTool(facts),
  links: linksTo(facts.publicUrl, LINKS),
})

/** The local tool, neither run nor hosted here: what it may do for free, and what is sold for it. */
function localTool({ publicUrl, catalog }: Facts): z.input<typeof LocalTool> {
  const pricesOf = (sku: string) => {
    const record = catalog.find((entry) => entry.sku === sku)
    return { sku, priceUsdc: record?.agentPriceUsdc ?? null, basePriceUsdc: record?.basePriceUsdc ?? null }
  }
  return {
    sku: OPEN_TOOL_SKU,
    description: 'Open-source anonymizing-network tool that runs on your machine. Not part of this service.',
    hostedHere: false,
    install: `${publicUrl}${PLACES.localTool.path}`,
    freeTrial: {
      uses: TOOL_TRIAL_USES,
      counts: 'successful billable local uses',
      failuresCount: false,
      circuitRotation: 'free, before and after the trial',
    },
    permit: {
      ...pricesOf(torCall.sku),
      buy: { method: 'GET', url: `${publicUrl}${torCall.path}` },
      calls: PERMIT_CALLS,
      redeem: { method: 'GET', url: `${publicUrl}${PERMIT_PATH}`, header: PERMIT_HEADER },
    },
    unlock: {
      ...pricesOf(torMcpPro.sku),
      buy: { method: 'POST', url: `${publicUrl}/purchase-intent`, body: { sku: torMcpPro.sku } },
      delivers: 'result.torUnlock.unlockKey',
      verify: { method: 'POST', url: `${publicUrl}${UNLOCK_VERIFY_PATH}`, body: { unlockKey: 'string' } },
    },
  }
}

export const toolbox = jsonDocument(PLACES.toolbox.path, Toolbox, agentToolbox)
