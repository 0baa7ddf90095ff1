import { z } from 'zod'
import { MCP_VERSION } from '../../mcp/codes.ts'
import { didOf } from '../../receipts/did.ts'
import { A2A_VERSION } from '../a2a/routes.ts'
import { jsonDocument } from '../document.ts'
import type { Facts } from '../facts.ts'
import { PLACES } from '../places.ts'
import { describeService, INTERFACE_VERSION, SERVICE_NAME } from '../service.ts'

const TYPE = 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1'

const Registration = z.object({
  type: z.literal(TYPE),
  name: z.string(),
  description: z.string(),
  image: z.url(),
  services: z.array(z.object({ name: z.string(), endpoint: z.string(), version: z.string().optional() })),
  x402Support: z.literal(true),
  active: z.boolean(),
  registrations: z.array(z.object({ agentId: z.int(), agentRegistry: z.string() })),
  supportedTrust: z.array(z.string()),
})

/** `/.well-known/agent-registration.json`: ERC-8004. No registry lists this agent until its owner enters it there. */
const registration = (facts: Facts): z.input<typeof Registration> => {
  const at = (path: string) => `${facts.publicUrl}${path}`
  return {
    type: TYPE,
    name: SERVICE_NAME,
    description: describeService(facts),
    image: at('/favicon.ico'),
    services: [
      { name: 'web', endpoint: at('/') },
      { name: 'A2A', endpoint: at(PLACES.agentCard.path), version: A2A_VERSION },
      { name: 'MCP', endpoint: at(PLACES.mcp.path), version: MCP_VERSION },
      { name: 'OpenAPI', endpoint: at(PLACES.openapi.path), version: INTERFACE_VERSION },
      { name: 'DID', endpoint: didOf(facts.publicUrl) },
    ],
    x402Support: true,
    active: true,
    registrations: [],
    supportedTrust: [],
  }
}

export const agentRegistration = jsonDocument(PLACES.agentRegistration.path, Registration, registration)
