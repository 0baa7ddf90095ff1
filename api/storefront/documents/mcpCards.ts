import { isIP } from 'node:net'
import { z } from 'zod'
import { Mode } from '../../../ops/mode.ts'
import { type Document, jsonDocument } from '../document.ts'
import type { Facts } from '../facts.ts'
import { PLACES } from '../places.ts'
import { INTERFACE_VERSION, SERVICE_NAME, SERVICE_SLUG, SHORT_DESCRIPTION } from '../service.ts'

const SERVER_CARD_TYPE = 'application/mcp-server-card+json'

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'

const ServerCard = z.object({
  $schema: z.literal(SCHEMA),
  name: z.string().describe('Reverse DNS name and slug'),
  version: z.string(),
  title: z.string(),
  description: z.string(),
  websiteUrl: z.url(),
  remotes: z.array(z.object({ type: z.literal('streamable-http'), url: z.url() })),
  _meta: z.record(z.string(), z.object({ mode: Mode })),
})

const Catalog = z.object({
  specVersion: z.string(),
  host: z.object({ displayName: z.string(), identifier: z.url() }),
  entries: z.array(
    z.object({
      identifier: z.string().describe('urn:air:host:name'),
      displayName: z.string(),
      description: z.string(),
      version: z.string(),
      type: z.literal(SERVER_CARD_TYPE),
      url: z.url(),
    }),
  ),
})

/** The host for names that must begin with a letter; an IP address is replaced by `localhost`. */
function hostName(publicUrl: string): string {
  const { hostname } = new URL(publicUrl)
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : 'localhost'
}

/** `com.example/agent-micro-data` for https://example.com. */
const reverseDnsName = (publicUrl: string): string =>
  `${hostName(publicUrl).split('.').reverse().join('.')}/${SERVICE_SLUG}`

/** An MCP server card (SEP-2127): where the server listens. What it can do is asked of the server itself. */
const serverCard = ({ publicUrl, mode }: Facts): z.input<typeof ServerCard> => ({
  $schema: SCHEMA,
  name: reverseDnsName(publicUrl),
  version: INTERFACE_VERSION,
  title: SERVICE_NAME,
  description: SHORT_DESCRIPTION,
  websiteUrl: `${publicUrl}/`,
  remotes: [{ type: 'streamable-http', url: `${publicUrl}${PLACES.mcp.path}` }],
  _meta: { [reverseDnsName(publicUrl)]: { mode } },
})

const cardAt = (path: `/${string}`): Document => jsonDocument(path, ServerCard, serverCard, SERVER_CARD_TYPE)

/** A catalog of one server: clients learn the card's address here. */
const catalog = (facts: Facts): z.input<typeof Catalog> => {
  const { title, description, version } = serverCard(facts)
  return {
    specVersion: '1.0',
    host: { displayName: SERVICE_NAME, identifier: facts.publicUrl },
    entries: [
      {
        identifier: `urn:air:${hostName(facts.publicUrl)}:${SERVICE_SLUG}`,
        displayName: title,
        description,
        version,
        type: SERVER_CARD_TYPE,
        url: `${facts.publicUrl}${PLACES.mcpCard.path}`,
      },
    ],
  }
}

/** The path is still moving between drafts, so the same card is at both. */
export const mcpCards: readonly Document[] = [
  cardAt(PLACES.mcpCard.path),
  cardAt('/.well-known/mcp/server-card.json'),
  jsonDocument('/.well-known/mcp/catalog.json', Catalog, catalog),
]
