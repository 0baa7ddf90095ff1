import type { CapturedHeader, Handler, HttpRequest } from './exchange.ts'
import { problemReply } from './respond.ts'

export type Route = {
  method: 'GET' | 'POST'
  path: string //  '…/*': any one segment there that has no route of its own
  handler: Handler
  head?: false // a GET that pays or redeems: no HEAD
}

/** What a HEAD may show of itself: nothing that can pay, spend or redeem (HTTP-07). */
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
 */
export function createRouter(routes: readonly Route[]): Handler {
  const byPath = new Map<string, Map<string, Handler>>()
  for (const { method, path, handler, head } of routes) {
    const methods = byPath.get(path) ?? new Map<string, Handler>()
    methods.set(method, handler)
    if (method === 'GET' && head !== false) methods.set('HEAD', (request) => handler(unpaid(request)))
    byPath.set(path, methods)
  }
  return (request) => {
    const { path } = request
    const methods = byPath.get(path) ?? byPath.get(`${path.slice(0, path.lastIndexOf('/'))}/*`)
    if (methods === undefined) return problemReply({ problem: 'not_found' })
    const handler = methods.get(request.method)
    if (handler === undefined)
      return problemReply({ problem: 'method_not_allowed' }, [['allow', [...methods.keys()].join(', ')]])
    return handler(request)
  }
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
