import { z } from 'zod'
import { FEED_PATH } from '../entitlements/feedToken.ts'
import { API_CATALOG_PATH } from '../http/manners.ts'

/** A surface that others point to. Every path here is served; a test holds this table against the routes. */
export type Place = {
  path: `/${string}`
  type: string //   media type when Accept asks for nothing special
  title: string
  note: string
}

const JSON_TYPE = 'application/json'
const HTML_TYPE = 'text/html'

/** By the names that JSON documents use for the links. In the order in which a reader wants them. */
export const PLACES = {
  services: {
    path: '/x402/services.json',
    type: JSON_TYPE,
    title: 'Services',
    note: 'Every paid GET with price, parameters and an example of its answer',
  },
  openapi: {
    path: '/openapi.json',
    type: JSON_TYPE,
    title: 'OpenAPI',
    note: 'OpenAPI 3.1 of every route, with x-payment-info',
  },
  skill: {
    path: '/skill.md',
    type: 'text/markdown',
    title: 'Skill',
    note: 'How to buy, step by step, as an agent skill',
  },
  llms: {
    path: '/llms.txt',
    type: 'text/plain',
    title: 'llms.txt',
    note: 'This service in a few hundred tokens',
  },
  llmsFull: {
    path: '/llms-full.txt',
    type: 'text/plain',
    title: 'llms-full.txt',
    note: 'Everything in one text: goods, limits, rails, errors',
  },
  store: {
    path: '/agent-store.json',
    type: JSON_TYPE,
    title: 'Catalog manifest',
    note: 'All SKUs, also those sold by classic purchase or card; opening sale',
  },
  rails: {
    path: '/payment-rails',
    type: JSON_TYPE,
    title: 'Payment rails',
    note: 'Ways to pay by transfer, and who settles',
  },
  toolbox: {
    path: '/agent-toolbox.json',
    type: JSON_TYPE,
    title: 'Toolbox',
    note: 'All reads as tools, and the locally run tool: trial, permits, licence',
  },
  commerce: {
    path: '/.well-known/ai-commerce.json',
    type: JSON_TYPE,
    title: 'Commerce',
    note: 'Purchase paths, refunds, receipts',
  },
  x402: {
    path: '/.well-known/x402',
    type: JSON_TYPE,
    title: 'x402 resources',
    note: 'URLs of all paid resources with what they accept',
  },
  receiptOracle: {
    path: '/.well-known/receipt-oracle.json',
    type: JSON_TYPE,
    title: 'Receipt keys',
    note: 'Public keys and how to check a receipt',
  },
  did: {
    path: '/.well-known/did.json',
    type: JSON_TYPE,
    title: 'DID document',
    note: 'The same keys for x402 offers and receipts',
  },
  agentCard: {
    path: '/.well-known/agent-card.json',
    type: JSON_TYPE,
    title: 'Agent card',
    note: 'A2A 1.0',
  },
  agentRegistration: {
    path: '/.well-known/agent-registration.json',
    type: JSON_TYPE,
    title: 'Agent registration',
    note: 'ERC-8004 registration file',
  },
  mcp: {
    path: '/mcp',
    type: JSON_TYPE,
    title: 'MCP server',
    note: 'Streamable HTTP, by POST; every read is a paid tool',
  },
  mcpCard: {
    path: '/mcp/server-card',
    type: 'application/mcp-server-card+json',
    title: 'MCP server card',
    note: 'Where the MCP server listens',
  },
  apiCatalog: {
    path: API_CATALOG_PATH,
    type: 'application/linkset+json',
    title: 'API catalog',
    note: 'RFC 9727 link set',
  },
  audit: {
    path: '/surface-audit.json',
    type: JSON_TYPE,
    title: 'Audit',
    note: 'Masked sales and the self-check of these documents',
  },
  venueWire: {
    path: '/venue-wire/gaps',
    type: JSON_TYPE,
    title: 'Venue wire',
    note: 'Free: gaps in bands, every 30 minutes',
  },
  alphaPreview: {
    path: '/alpha/preview',
    type: JSON_TYPE,
    title: 'Alpha preview',
    note: 'Free: edges in bands, delayed',
  },
  feed: { path: FEED_PATH, type: JSON_TYPE, title: 'Alpha feed', note: 'Needs a feed token' },
  live: { path: '/', type: HTML_TYPE, title: 'Live board', note: 'Free; HTML, markdown or JSON by Accept' },
  catalog: {
    path: '/catalog',
    type: HTML_TYPE,
    title: 'Catalog',
    note: 'Prices, and a box to try a purchase',
  },
  quickstart: {
    path: '/quickstart',
    type: HTML_TYPE,
    title: 'Quickstart',
    note: 'A first purchase in curl, TypeScript and Python',
  },
  agents: {
    path: '/agents',
    type: HTML_TYPE,
    title: 'For agents',
    note: 'Ways to pay, headers, retry rules',
  },
  terms: {
    path: '/commerce',
    type: HTML_TYPE,
    title: 'Terms of trade',
    note: 'Prices, passes, credits, refunds',
  },
  docs: { path: '/docs', type: HTML_TYPE, title: 'Reference', note: 'Every route' },
  errors: {
    path: '/errors',
    type: HTML_TYPE,
    title: 'Errors',
    note: 'Every problem code and what to do next',
  },
  checkoutHelp: {
    path: '/checkout-help',
    type: HTML_TYPE,
    title: 'Checkout help',
    note: 'Classic purchase, step by step',
  },
  receipts: {
    path: '/receipt-oracle',
    type: HTML_TYPE,
    title: 'Receipt oracle',
    note: 'Check a receipt in the browser',
  },
  localTool: {
    path: '/install/tor-mcp',
    type: HTML_TYPE,
    title: 'Locally run tool',
    note: 'What is free, permits and unlock keys',
  },
  history: {
    path: '/history',
    type: HTML_TYPE,
    title: 'History',
    note: 'Gap episodes and how past cards turned out',
  },
} as const satisfies Record<string, Place>

export type PlaceName = keyof typeof PLACES

/** Absolute URLs by name, as JSON documents carry them. */
export const linksTo = <Name extends PlaceName>(
  publicUrl: string,
  names: readonly Name[],
): Record<Name, string> =>
  Object.fromEntries(names.map((name) => [name, `${publicUrl}${PLACES[name].path}`])) as Record<Name, string>

/** The shape of such links. */
export const Links = <Name extends PlaceName>(names: readonly Name[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, z.url()])) as Record<Name, z.ZodURL>)

/** A line of a markdown list. */
export const markdownLink = (publicUrl: string, name: PlaceName): string => {
  const { title, path, note } = PLACES[name]
  return `- [${title}](${publicUrl}${path}): ${note}`
}
