import { HOUR, SECOND } from '../../ops/units.ts'
import { CAPTURED_HEADERS, type CapturedHeader, type Reply } from './exchange.ts'

/** What a page in a browser may read beside the body. */
const EXPOSED = [
  'PAYMENT-REQUIRED',
  'PAYMENT-RESPONSE',
  'X-PAYMENT-RESPONSE',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Allow',
  'WWW-Authenticate',
  'ETag',
  'Link',
  'X-Service-Credit-Balance-Usdc',
  'X-Service-Credit-Held-Usdc',
  'X-Service-Other-Payment',
  'X-Request-Id',
].join(', ')

/** On every answer too; pages and documents say it themselves. */
export const NO_SNIFF = 'x-content-type-options'

/** On every answer. No answer depends on a cookie, so any page may read any of them. */
export const ON_EVERY_ANSWER = [
  ['access-control-allow-origin', '*'],
  ['access-control-expose-headers', EXPOSED],
] as const satisfies Reply['headers']

/** Headers we read that no page sends: the browser's own, and a provider's. */
const NOT_A_PAGES: ReadonlySet<string> = new Set([
  ...(['content-length', 'transfer-encoding', 'origin', 'access-control-request-method'] as const),
  'stripe-signature',
] satisfies CapturedHeader[])

/**
 * Includes an answer's header, because the stock fetch wrapper sends it in its request. `*` is for tracing headers and
 * the like; it does not cover Authorization, which MCP clients send although nothing here asks for it.
 */
const ALLOWED = [
  ...CAPTURED_HEADERS.filter((name) => !NOT_A_PAGES.has(name)),
  'x-request-id',
  'access-control-expose-headers',
  'authorization',
  '*',
].join(', ')

/** The answer to a browser's preflight, whatever the path: the request that follows is answered in the usual way. */
export const PREFLIGHT: Reply = {
  status: 204,
  headers: [
    ['access-control-allow-methods', 'GET, HEAD, POST, OPTIONS'],
    ['access-control-allow-headers', ALLOWED],
    ['access-control-max-age', String((24 * HOUR) / SECOND)],
    ['vary', 'access-control-request-method'],
  ],
  body: '',
}

export const API_CATALOG_PATH = '/.well-known/api-catalog'

/** What the API catalog says of itself, also to a HEAD (RFC 9727, 2). */
export const API_CATALOG_LINK: Reply['headers'] = [['link', `<${API_CATALOG_PATH}>; rel="api-catalog"`]]

/** Where a lost client finds the rest: RFC 9727, RFC 8631. Only what is served is named. */
const DISCOVERY = [
  [API_CATALOG_PATH, 'api-catalog'],
  ['/openapi.json', 'service-desc'],
  ['/x402/services.json', 'service-desc'],
  ['/catalog', 'service-doc'],
] as const

export function discoveryLinks(isServed: (path: string) => boolean): Reply['headers'] {
  const links = DISCOVERY.filter(([path]) => isServed(path)).map(([path, rel]) => `<${path}>; rel="${rel}"`)
  return links.length === 0 ? [] : [['link', links.join(', ')]]
}
