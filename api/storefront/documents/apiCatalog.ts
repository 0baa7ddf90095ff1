import { z } from 'zod'
import { jsonDocument } from '../document.ts'
import type { Facts } from '../facts.ts'
import { PLACES, type PlaceName } from '../places.ts'

/** Link relations of RFC 8631, and `item` of RFC 9727 for the APIs themselves. */
const RELATIONS: Readonly<Record<string, readonly PlaceName[]>> = {
  'service-desc': ['openapi', 'services', 'mcpCard', 'agentCard'],
  'service-doc': ['docs', 'quickstart', 'llms', 'skill'],
  'service-meta': ['store', 'rails', 'receiptOracle', 'x402'],
  status: ['audit'],
}

const Link = z.object({ href: z.url(), type: z.string().optional(), title: z.string().optional() })
const LinkSet = z.object({
  linkset: z
    .array(
      z.object({
        anchor: z.url(),
        item: z.array(Link).optional(),
        ...Object.fromEntries(Object.keys(RELATIONS).map((relation) => [relation, z.array(Link).optional()])),
      }),
    )
    .describe('Each: links by relation'),
})

const TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

/** `/.well-known/api-catalog`: RFC 9727, a link set by RFC 9264. */
export const apiCatalog = jsonDocument(
  PLACES.apiCatalog.path,
  LinkSet,
  ({ publicUrl }: Facts) => {
    const link = (name: PlaceName) => ({
      href: `${publicUrl}${PLACES[name].path}`,
      type: PLACES[name].type,
      title: PLACES[name].title,
    })
    const apis = [`${publicUrl}/`, `${publicUrl}${PLACES.mcp.path}`]
    return {
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
    }
  },
  TYPE,
)
