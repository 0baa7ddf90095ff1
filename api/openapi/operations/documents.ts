import { z } from 'zod'
import { assert } from '../../../ops/errors.ts'
import { camelCase, capital } from '../../letterCase.ts'
import { DOCUMENT_SHAPES } from '../../storefront/documents/index.ts'
import { PLACES, type Place } from '../../storefront/places.ts'
import type { Answer, Operation } from '../operation.ts'
import { FEED } from './feed.ts'
import { FREE } from './free.ts'
import { MACHINES } from './machines.ts'
import { PAGE_SHAPES } from './pages.ts'
import { RECEIPTS } from './receipts.ts'

/** The interface description; its own format defines the rest. */
const OpenApiDocument = z.looseObject({
  openapi: z.literal('3.1.0'),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.looseObject({})),
})

const SHAPES: ReadonlyMap<string, z.ZodType> = new Map([
  ...DOCUMENT_SHAPES,
  ...PAGE_SHAPES,
  [PLACES.openapi.path, OpenApiDocument],
  [PLACES.docs.path, OpenApiDocument],
])

function shapeAt(path: string): z.ZodType {
  const shape = SHAPES.get(path)
  assert(shape !== undefined, `${path} has a shape`)
  return shape
}

/** Paths that are described elsewhere, with their shapes. */
const DESCRIBED: ReadonlySet<string> = new Set(
  [...FREE, ...FEED, ...RECEIPTS, ...MACHINES].map(({ path }) => path),
)

/** Documents that need no link: other addresses of the same, and what programs ask for by custom. */
const CUSTOMARY: readonly (Place & Pick<Operation, 'when'>)[] = [
  { path: '/robots.txt', type: 'text/plain', title: 'robots.txt', note: 'Everything may be read' },
  { path: '/sitemap.xml', type: 'application/xml', title: 'Sitemap', note: 'Pages and documents' },
  { path: '/favicon.ico', type: 'image/x-icon', title: 'Icon', note: 'For browsers and registries' },
  {
    path: '/.well-known/x402.json',
    type: 'application/json',
    title: 'x402 resources',
    note: 'The same as /.well-known/x402',
  },
  {
    path: '/.well-known/mcp/server-card.json',
    type: 'application/mcp-server-card+json',
    title: 'MCP server card',
    note: 'The same as /mcp/server-card',
  },
  {
    path: '/.well-known/mcp/catalog.json',
    type: 'application/json',
    title: 'MCP catalog',
    note: 'The MCP servers of this host',
  },
  {
    path: '/.well-known/security.txt',
    type: 'text/plain',
    title: 'security.txt',
    note: 'Whom to tell about a weakness (RFC 9116)',
    when: ({ securityContact }) => securityContact !== null,
  },
]

const isPage = ({ type }: Place): boolean => type === 'text/html'

const idOfPath = (path: string): string =>
  camelCase(path.split(/[^A-Za-z0-9]+/).filter((word) => word !== ''))

/** A page has three forms on one address. */
const contentOf = (place: Place): Answer['content'] =>
  isPage(place)
    ? { 'text/html': {}, 'text/markdown': {}, 'application/json': { schema: shapeAt(place.path) } }
    : { [place.type]: place.type.includes('json') ? { schema: shapeAt(place.path) } : {} }

const documentOperation = (place: Place & Pick<Operation, 'when'>): Operation => ({
  method: 'GET',
  path: place.path,
  id: `${isPage(place) ? 'page' : 'document'}${capital(idOfPath(place.path))}`,
  tag: isPage(place) ? 'pages' : 'discovery',
  summary: `${place.title}: ${place.note}`,
  answers: {
    200: {
      description: isPage(place) ? 'HTML, markdown or JSON by Accept' : place.note,
      content: contentOf(place),
      ...(place === PLACES.apiCatalog ? { headers: ['link'] } : {}),
    },
    304: { description: 'The same as before: If-None-Match had its ETag' },
  },
  ...(place.when === undefined ? {} : { when: place.when }),
})

/** Style sheets, scripts and icons of the pages; each address names its content. */
const ASSETS: Operation = {
  method: 'GET',
  path: '/assets/{file}',
  id: 'asset',
  tag: 'pages',
  summary: 'A file of a page, kept for ever',
  parameters: [
    {
      in: 'path',
      name: 'file',
      required: true,
      description: 'As a page names it',
      example: 'style-0123456789ab.css',
    },
  ],
  answers: {
    200: {
      description: 'The file. For a style or an icon of another version: that of this one, which is not kept',
      content: { 'text/css': {}, 'text/javascript': {}, 'image/svg+xml': {} },
    },
    304: { description: 'The same as before' },
  },
  problems: ['not_found'],
}

/** Discovery documents and pages, from the table that all surfaces link from. */
export const documentOperations = (): Operation[] => [
  ...[...Object.values<Place>(PLACES), ...CUSTOMARY]
    .filter(({ path }) => !DESCRIBED.has(path))
    .map(documentOperation),
  ASSETS,
]
