import { openingSaleRecord } from '../catalog/openingSale.ts'
import type { Route } from '../http/router.ts'
import { openApiDocument } from '../openapi/openApi.ts'
import { a2aRoutes } from './a2a/routes.ts'
import {
  type ChangingDocument,
  changingRoute,
  type Document,
  documentRoute,
  JSON_TYPE,
  jsonText,
} from './document.ts'
import { agentCardDocument } from './documents/agentCard.ts'
import { agentRegistration } from './documents/agentRegistration.ts'
import { AGENT_STORE_MAX_AGE_MS, AGENT_STORE_PATH, agentStore } from './documents/agentStore.ts'
import { aiCommerce } from './documents/aiCommerce.ts'
import { apiCatalog } from './documents/apiCatalog.ts'
import { favicon } from './documents/favicon.ts'
import { llms } from './documents/llms.ts'
import { llmsFull } from './documents/llmsFull.ts'
import { mcpCards } from './documents/mcpCards.ts'
import { rails } from './documents/paymentRails.ts'
import { robots } from './documents/robots.ts'
import { securityText } from './documents/security.ts'
import { services } from './documents/services.ts'
import { sitemap } from './documents/sitemap.ts'
import { skill } from './documents/skill.ts'
import { toolbox } from './documents/toolbox.ts'
import { wellKnownX402 } from './documents/wellKnownX402.ts'
import type { Facts } from './facts.ts'

/** Every discovery resource with one fixed text. Adding one is adding one file and one line. */
export const DOCUMENTS: readonly Document[] = [
  services,
  openApiDocument,
  rails,
  llms,
  llmsFull,
  skill,
  toolbox,
  aiCommerce,
  ...wellKnownX402,
  ...mcpCards,
  agentCardDocument,
  agentRegistration,
  apiCatalog,
  robots,
  sitemap,
  favicon,
]

export type StorefrontPorts = {
  clock: { nowMs(): number }
  openingSaleSlots(): Promise<{ fulfilled: number; reserved: number }> //  as the ledger counts them
}

/** All discovery resources: those fixed from start to stop, and the few that change. */
export function openStorefront(facts: Facts, { clock, openingSaleSlots }: StorefrontPorts): Route[] {
  const store: ChangingDocument = {
    path: AGENT_STORE_PATH,
    type: JSON_TYPE,
    maxAgeMs: AGENT_STORE_MAX_AGE_MS,
    text: async () =>
      jsonText(agentStore(facts, openingSaleRecord(facts.openingSale, await openingSaleSlots()))),
  }
  const security = securityText(facts, clock)
  const changing = security === null ? [store] : [store, security]
  return [
    ...DOCUMENTS.map((document) => documentRoute(document, facts)),
    ...changing.map((document) => changingRoute(document, clock)),
    ...a2aRoutes(facts),
  ]
}
