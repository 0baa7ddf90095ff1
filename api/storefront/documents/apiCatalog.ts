import { type Document, jsonText } from '../document.ts'
import type { Facts } from '../facts.ts'
import { PLACES, type PlaceName } from '../places.ts'

/** Link relations of RFC 8631, and `item` of RFC 9727 for the APIs themselves. */
const RELATIONS: Readonly<Record<string, readonly PlaceName[]>> = {
  'service-desc': ['openapi', 'services', 'mcpCard', 'agentCard'],
  'service-doc': ['docs', 'quickstart', 'llms', 'skill'],
  'service-meta': ['store', 'rails', 'receiptOracle', 'x402'],
  status: ['audit'],
}

/** `/.well-known/api-catalog`: RFC 9727, a link set by RFC 9264. */
export const apiCatalog: Document = {
  path: PLACES.apiCatalog.path,
  type: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  text: ({ publicUrl }: Facts) => {
    const link = (name: PlaceName) => ({
      href: `${publicUrl}${PLACES[name].path}`,
      type: PLACES[name].type,
      title: PLACES[name].title,
    })
    const apis = [`${publicUrl}/`, `${publicUrl}${PLACES.mcp.path}`]
    return jsonText({
      linkset: [
        {
          anchor: `${publicUrl}${PLACES.apiCatalog.path}`,
          item: apis.map((href) => ({ href })),
        },
        {
          anchor: `${publicUrl}/`,
          ...Object.fromEntries(
            Object.entries(RELATIONS).map(([relation, names]) => [relation, names.map(link)]),
          ),
        },
        { anchor: `${publicUrl}${PLACES.mcp.path}`, 'service-desc': [link('mcpCard')] },
      ],
    })
  },
}
