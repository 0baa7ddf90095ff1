import { openingSaleRecord } from '../catalog/openingSale.ts'
import type { RateLimit } from '../http/rateLimit.ts'
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
import { AGENT_STORE_MAX_AGE_MS, AGENT_STORE_PATH, agentStore } from './documents/agentStore.ts'
import { DESCRIBED_DOCUMENTS } from './documents/index.ts'
import { securityText } from './documents/security.ts'
import type { Facts } from './facts.ts'

/** Every discovery resource with one fixed text. */
export const DOCUMENTS: readonly Document[] = [...DESCRIBED_DOCUMENTS, openApiDocument]

export type StorefrontPorts = {
  clock: { nowMs(): number } //  real
  steady: { nowMs(): number }
  openingSaleSlots(): Promise<{ fulfilled: number; reserved: number }> //  as the ledger counts them
  questions: RateLimit //  for questions in words
}

/** All discovery resources: those fixed from start to stop, and the few that change. */
export function openStorefront(
  facts: Facts,
  { clock, steady, openingSaleSlots, questions }: StorefrontPorts,
): Route[] {
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
    ...changing.map((document) => changingRoute(document, steady)),
    ...a2aRoutes(facts, questions),
  ]
}
