import { z } from 'zod'
import { A2A_PATH, A2A_VERSION } from '../a2a/routes.ts'
import { jsonDocument } from '../document.ts'
import type { Facts } from '../facts.ts'
import { PLACES } from '../places.ts'
import { nameOf, usd } from '../prose.ts'
import { describeService, INTERFACE_VERSION, SERVICE_NAME } from '../service.ts'

const AgentCard = z.object({
  name: z.string(),
  description: z.string(),
  version: z.string(),
  supportedInterfaces: z.array(
    z.object({ url: z.url(), protocolBinding: z.string(), protocolVersion: z.string() }),
  ),
  documentationUrl: z.url(),
  iconUrl: z.url(),
  capabilities: z.object({
    streaming: z.boolean(),
    pushNotifications: z.boolean(),
    extendedAgentCard: z.boolean(),
  }),
  defaultInputModes: z.array(z.string()),
  defaultOutputModes: z.array(z.string()),
  skills: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      description: z.string(),
      tags: z.array(z.string()),
      examples: z.array(z.string()).optional(),
    }),
  ),
})

/**
 * `/.well-known/agent-card.json` (A2A 1.0). The agent at its interface finds the right read for a request in words and
 * says how to buy it; payment itself is plain x402 over HTTP, so no payment extension of A2A is declared.
 */
const agentCard = (facts: Facts): z.input<typeof AgentCard> => {
  const { publicUrl, goods, catalog } = facts
  return {
    name: SERVICE_NAME,
    description: `${describeService(facts)} Ask in words: the answer names the reads that fit, with price and URL.`,
    version: INTERFACE_VERSION,
    supportedInterfaces: [
      { url: `${publicUrl}${A2A_PATH}`, protocolBinding: 'HTTP+JSON', protocolVersion: A2A_VERSION },
    ],
    documentationUrl: `${publicUrl}${PLACES.agents.path}`,
    iconUrl: `${publicUrl}/favicon.ico`,
    capabilities: { streaming: false, pushNotifications: false, extendedAgentCard: false },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: goods.map((good) => ({
      id: nameOf(good),
      name: good.title,
      description: `${good.description} ${usd(good.priceMicroUsdc)} over x402: GET ${publicUrl}${good.path}`,
      tags: [catalog.find(({ sku }) => sku === good.sku)?.collection ?? 'reads', 'x402'],
      ...(good.parameters.length === 0
        ? {}
        : { examples: good.parameters.map(({ name, example }) => `${name}=${example}`) }),
    })),
  }
}

export const agentCardDocument = jsonDocument(PLACES.agentCard.path, AgentCard, agentCard)
