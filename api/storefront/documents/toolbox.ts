import { PERMIT_CALLS, PERMIT_HEADER, PERMIT_PATH, TOOL_TRIAL_USES } from '../../entitlements/permit.ts'
import { UNLOCK_VERIFY_PATH } from '../../entitlements/unlock.ts'
import { torCall } from '../../goods/grants/torCall.ts'
import { torMcpPro } from '../../goods/services/torMcpPro.ts'
import { jsonDocument } from '../document.ts'
import { serviceEntries } from '../entry.ts'
import type { Facts } from '../facts.ts'
import { linksTo, PLACES } from '../places.ts'
import { nameOf } from '../prose.ts'
import { describeService, MANIFEST_VERSION, SERVICE_NAME } from '../service.ts'

/** `/agent-toolbox.json`: every read as a tool, and the tool that runs on the agent's own machine. */
const agentToolbox = (facts: Facts) => ({
  ok: true,
  manifestVersion: MANIFEST_VERSION,
  name: SERVICE_NAME,
  description: describeService(facts),
  mode: facts.mode,
  mcp: { transport: 'streamable-http', url: `${facts.publicUrl}${PLACES.mcp.path}` },
  tools: serviceEntries(facts).map((entry) => ({ name: nameOf(entry), kind: 'paid_http_get', ...entry })),
  localTool: localTool(facts),
  links: linksTo(facts.publicUrl, 'services', 'store', 'skill', 'localTool'),
})

/** Neither run nor hosted here: what it may do for free, and what is sold for it. */
function localTool({ publicUrl, catalog }: Facts) {
  const priced = (sku: string) => {
    const record = catalog.find((entry) => entry.sku === sku)
    return { sku, priceUsdc: record?.agentPriceUsdc ?? null, basePriceUsdc: record?.basePriceUsdc ?? null }
  }
  return {
    sku: 'SKU_OPEN_TOR_MCP',
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
      ...priced(torCall.sku),
      buy: { method: 'GET', url: `${publicUrl}${torCall.path}` },
      calls: PERMIT_CALLS,
      redeem: { method: 'GET', url: `${publicUrl}${PERMIT_PATH}`, header: PERMIT_HEADER },
    },
    unlock: {
      ...priced(torMcpPro.sku),
      buy: { method: 'POST', url: `${publicUrl}/purchase-intent`, body: { sku: torMcpPro.sku } },
      delivers: 'result.torUnlock.unlockKey',
      verify: { method: 'POST', url: `${publicUrl}${UNLOCK_VERIFY_PATH}`, body: { unlockKey: 'string' } },
    },
  }
}

export const toolbox = jsonDocument('/agent-toolbox.json', agentToolbox)
