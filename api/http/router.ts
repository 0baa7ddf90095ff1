import { andThen } from '../andThen.ts'
import type { CapturedHeader, Handler, HttpRequest, Reply } from './exchange.ts'
import { limited } from './limited.ts'
import { API_CATALOG_LINK, API_CATALOG_PATH, discoveryLinks, PREFLIGHT } from './manners.ts'
import { withHeaders } from './prepared.ts'
import type { RateLimit } from './rateLimit.ts'
import { problemReply } from './respond.ts'

export type Route = {
  method: 'GET' | 'POST'
  path: string //  '…/*': any one segment there that has no route of its own
  handler: Handler
  head?: false //  a GET that redeems: no HEAD
  limit?: RateLimit | OtherLimit // absent: that of everything free
}

/**
 * `own`: the handler applies a limit itself, because what pays is in the body. `none`: a provider calls, and repeats
 * until it is heard.
 */
type OtherLimit = 'own' | 'none'

/** The headers of a HEAD that its handler sees: none that can pay, spend or redeem (HTTP-07). */
const HEAD_SHOWS = new Set<CapturedHeader>([
  'accept',
  'if-none-match',
  'content-length',
  'transfer-encoding',
  'x-agent-id',
  'x-service-feed-token',
  'x-marketplace-token',
])

/**
 * Exact paths only: another case, a doubled or trailing slash, an encoded letter is another path and unknown.
 * Price and handler of a paid path come from one route, so a path cannot be served without its gate. A HEAD
 * is answered by the handler of GET as if the caller had sent no secret that can be spent.
 * @param free limits every route that names no other
 */
export function createRouter(routes: readonly Route[], free?: RateLimit): Handler {
  const byPath = new Map<string, Map<string, Handler>>()
  for (const route of routes) {
    const { method, path, head } = route
    const limit = route.limit ?? free ?? 'none'
    const handler = typeof limit === 'string' ? route.handler : limited(limit, route.handler)
    const methods = byPath.get(path) ?? new Map<string, Handler>()
    methods.set(method, handler)
    if (method === 'GET' && head !== false) methods.set('HEAD', (request) => handler(unpaid(request)))
    byPath.set(path, methods)
  }
  const links = discoveryLinks((path) => byPath.has(path))
  link('/', links)
  link(API_CATALOG_PATH, API_CATALOG_LINK)
  return (request) => {
    const { path } = request
    const methods = byPath.get(path) ?? byPath.get(`${path.slice(0, path.lastIndexOf('/'))}/*`)
    const handler = methods?.get(request.method)
    if (handler !== undefined) return handler(request)
    if (request.method === 'OPTIONS') {
      if (request.header('access-control-request-method') !== '') return PREFLIGHT
      if (methods !== undefined) return { status: 204, headers: [allowOf(methods)], body: '' }
    }
    if (methods !== undefined)
      return problemReply({ problem: 'method_not_allowed' }, [allowOf(methods), ...links])
    const meant = plain(path)
    const extra = byPath.has(meant) ? { didYouMean: meant } : undefined
    return problemReply({ problem: 'not_found', ...(extra && { extra }) }, links)
  }

  function link(path: string, headers: Reply['headers']): void {
    const methods = byPath.get(path)
    for (const [method, handler] of methods ?? []) methods!.set(method, linked(handler, headers))
  }
}

const allowOf = (methods: ReadonlyMap<string, Handler>): Reply['headers'][number] => [
  'allow',
  [...methods.keys(), 'OPTIONS'].join(', '),
]

/**
 * The path in its usual spelling. It is only suggested, never served: a payment is valid for the path it was made for.
 */
const plain = (path: string): string =>
  path
    .toLowerCase()
    .replace(/\/{2,}/g, '/')
    .replace(/(.)\/$/, '$1')

const linked =
  (handler: Handler, links: Reply['headers']): Handler =>
  (request) => {
    const add = (reply: Reply): Reply => withHeaders(reply, links)
    return andThen(handler(request), add)
  }

const unpaid = (request: HttpRequest): HttpRequest => ({
  method: request.method,
  path: request.path,
  rawQuery: request.rawQuery,
  header: (name) => (HEAD_SHOWS.has(name) ? request.header(name) : ''),
  headerCount: (name) => (HEAD_SHOWS.has(name) ? request.headerCount(name) : 0),
  get address() {
    return request.address
  },
  body: (maxBytes) => request.body(maxBytes),
})
