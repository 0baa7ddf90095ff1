import type { Handler } from './exchange.ts'
import { problemReply } from './respond.ts'

export type Route = { method: 'GET' | 'POST'; path: string; handler: Handler }

/**
 * Exact paths only: another case, a doubled or trailing slash, an encoded letter is another path and unknown.
 * Price and handler of a paid path come from one route, so a path cannot be served without its gate.
 */
export function createRouter(routes: readonly Route[]): Handler {
  const byPath = new Map<string, Map<string, Handler>>()
  for (const { method, path, handler } of routes) {
    const methods = byPath.get(path) ?? new Map()
    methods.set(method, handler)
    byPath.set(path, methods)
  }
  return (request) => {
    const methods = byPath.get(request.path)
    if (methods === undefined) return problemReply({ problem: 'not_found' })
    const handler = methods.get(request.method)
    if (handler === undefined)
      return problemReply({ problem: 'method_not_allowed' }, [['allow', [...methods.keys()].join(', ')]])
    return handler(request)
  }
}
