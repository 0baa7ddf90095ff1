import type { z } from 'zod'
import { didWeb } from '../../discovery/didDocument.ts'
import { oracleDescriptor } from '../../discovery/receiptOracle.ts'
import type { Document } from '../document.ts'
import { agentCardDocument } from './agentCard.ts'
import { agentRegistration } from './agentRegistration.ts'
import { AGENT_STORE_PATH, AgentStore } from './agentStore.ts'
import { aiCommerce } from './aiCommerce.ts'
import { apiCatalog } from './apiCatalog.ts'
import { favicon } from './favicon.ts'
import { llms } from './llms.ts'
import { llmsFull } from './llmsFull.ts'
import { mcpCards } from './mcpCards.ts'
import { rails } from './paymentRails.ts'
import { robots } from './robots.ts'
import { services } from './services.ts'
import { sitemap } from './sitemap.ts'
import { skill } from './skill.ts'
import { toolbox } from './toolbox.ts'
import { wellKnownX402 } from './wellKnownX402.ts'

/** Every discovery resource with one fixed text, except the interface description, which describes these. */
export const DESCRIBED_DOCUMENTS: readonly Document[] = [
  services,
  rails,
  llms,
  llmsFull,
  skill,
  toolbox,
  aiCommerce,
  ...wellKnownX402,
  oracleDescriptor,
  didWeb,
  ...mcpCards,
  agentCardDocument,
  agentRegistration,
  apiCatalog,
  robots,
  sitemap,
  favicon,
]

/** Shapes of the JSON documents, by path. */
export const DOCUMENT_SHAPES: ReadonlyMap<string, z.ZodType> = new Map([
  ...DESCRIBED_DOCUMENTS.flatMap(({ path, schema }) =>
    schema === undefined ? [] : [[path, schema] as const],
  ),
  [AGENT_STORE_PATH, AgentStore],
])
