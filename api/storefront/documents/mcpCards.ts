import { type Document, jsonDocument, jsonText } from '../document.ts'
import type { Facts } from '../facts.ts'
import { PLACES } from '../places.ts'
import { INTERFACE_VERSION, SERVICE_NAME, SERVICE_SLUG, SHORT_DESCRIPTION } from '../service.ts'

const SERVER_CARD_TYPE = 'application/mcp-server-card+json'

/** `com.example/agent-micro-data` for https://example.com. */
const reverseDnsName = (publicUrl: string): string =>
  `${new URL(publicUrl).hostname.split('.').reverse().join('.')}/${SERVICE_SLUG}`

/** An MCP server card (SEP-2127): where the server listens, not what it can do; that is asked of itself. */
const serverCard = ({ publicUrl, mode }: Facts) => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
  name: reverseDnsName(publicUrl),
  version: INTERFACE_VERSION,
  title: SERVICE_NAME,
  description: SHORT_DESCRIPTION,
  websiteUrl: `${publicUrl}/`,
  remotes: [{ type: 'streamable-http', url: `${publicUrl}${PLACES.mcp.path}` }],
  _meta: { [`${reverseDnsName(publicUrl)}`]: { mode } },
})

const cardAt = (path: `/${string}`, type: string): Document => ({
  path,
  type,
  text: (facts) => jsonText(serverCard(facts)),
})

/** A catalog of one server: clients learn the card's address here. */
const catalog = (facts: Facts) => {
  const { name, title, description, version } = serverCard(facts)
  const [namespace = '', server = ''] = name.split('/')
  return {
    specVersion: '1.0',
    host: { displayName: SERVICE_NAME, identifier: facts.publicUrl },
    entries: [
      {
        identifier: `urn:air:${namespace.split('.').reverse().join('.')}:${server}`,
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
  cardAt(PLACES.mcpCard.path, SERVER_CARD_TYPE),
  cardAt('/.well-known/mcp/server-card.json', SERVER_CARD_TYPE),
  jsonDocument('/.well-known/mcp/catalog.json', catalog),
]
